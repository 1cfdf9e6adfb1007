-- Part of every step: what all the others share, and how numbers and texts are spelled.
-- What every verb is given: `a`, its arguments, and for a claim `groups`. What it answers: `reply(word, …)`.

-- Set when a batch begins: while the library is loaded there is no Redis to call yet.
local call, encode, decode, floor
local now, now_text, micros, meta, facts, shifted, told, maintenance
local openings, last_words = {}, {}
-- The oldest tasks of a bucket as this batch knows them: claim.lua. Filing forgets them.
local heads, fronts, empty_groups
local format, find, gsub, concat, null
local type, tonumber, next, pairs, ipairs, unpack, setmetatable

-- Every number in a step is whole, and '%d' is much cheaper than '%.0f'. A batch spells the same instants
-- over and over.
local ints
local function int(n)
  local spelled = ints[n]
  if not spelled then
    spelled = format('%d', n)
    ints[n] = spelled
  end
  return spelled
end
local function given(value) return value ~= nil and value ~= null end
-- Every value of a record is a text.
local function as_text(value)
  if type(value) == 'number' then return int(value) end
  return value ~= nil and value ~= null and value or ''
end

-- cjson rounds numbers to 14 digits, so numbers are written by `int` and only texts by cjson. A batch says
-- the same few texts over and over.
local quoted
local function say(value)
  if value == nil or value == null then return 'null' end
  local json = quoted[value]
  if json then return json end
  json = encode(value)
  if find(json, '/', 1, true) then json = gsub(json, '\\/', '/') end
  quoted[value] = json
  return json
end
local function text(value)
  if value == '' then return 'null' end
  return say(value)
end
local function number(value)
  if not given(value) or value == '' then return 'null' end
  return int(tonumber(value))
end
local function list(values)
  local parts = {}
  for i = 1, #values do parts[i] = say(values[i]) end
  return '[' .. concat(parts, ',') .. ']'
end
