-- Part of every step: the hashes it loads and changes.

-- A record is a table of texts, one for each field; a field without text is '' or missing. Tasks and issues
-- travel as one JSON text, in the field `record` of their hash: Redis hands a script one text far faster
-- than thirty. Beside it stand fields for people, and those that steps seldom read. Agents and `meta` have
-- nothing but such fields.
local records, key_of, sides_of, spelled_of, plain, touched

local BLANK = { __index = {
  reason = '', enqueued_at = '', ready_at = '', only_agent = '', opens_at = '', pr_number = '', ended_at = '',
  bucket = '', pinned = '', timed = '', lease_agent = '', lease_token = '', lease_seconds = '', leased_at = '',
  lease_expires_at = '', lease_request = '', issue = '', repository = '', number = '', open = '',
  picture_at = '', seen_at = '', wanted = '', written = '', written_at = '', unfinished = '', leased = '',
  tasks = '' } }

local function new_record(key)
  local r = setmetatable({}, BLANK)
  records[key], key_of[r] = r, key
  return r
end

-- A record that is one text: `json` as it was read.
local function read_record(key, json)
  local r = setmetatable(decode(json), BLANK)
  records[key], key_of[r], spelled_of[r] = r, key, json
  return r
end

local function record(key)
  local r = records[key]
  if r then return r end
  local json = call('HGET', key, 'record')
  return json and read_record(key, json) or new_record(key)
end

local function plain_record(key, fields)
  local r = records[key]
  if r then return r end
  r = {}
  local values = call('HMGET', key, unpack(fields))
  for i = 1, #fields do r[fields[i]] = values[i] or '' end
  records[key], key_of[r], plain[r] = r, key, true
  return r
end

local function sides(r)
  local beside = sides_of[r]
  if not beside then
    beside = {}
    sides_of[r] = beside
    touched[#touched + 1] = r
  end
  return beside
end

local function put(r, name, value)
  if value == nil or value == null then value = '' elseif type(value) == 'number' then value = int(value) end
  if r[name] == value then return end
  r[name] = value
  local beside = sides(r)
  if plain[r] then beside[name] = value else spelled_of[r] = nil end
end

-- A field beside the record.
local function show(r, name, value)
  sides(r)[name] = type(value) == 'number' and int(value) or value
end
local function shown(r, name)
  local beside = sides_of[r]
  return beside and beside[name] or call('HGET', key_of[r], name)
end

local function spell(r)
  local json = spelled_of[r]
  if not json then
    json = encode(r)
    spelled_of[r] = json
  end
  return json
end

local function write(r)
  local args, n = { 'HSET', key_of[r] }, 2
  if not plain[r] then args[3], args[4], n = 'record', spell(r), 4 end
  for name, value in pairs(sides_of[r]) do
    args[n + 1], args[n + 2] = name, value
    n = n + 2
    if n >= 4000 then
      call(unpack(args, 1, n))
      n = 2
    end
  end
  if n > 2 then call(unpack(args, 1, n)) end
  sides_of[r] = nil
end

-- What was removed is not written again.
local function removed(r)
  records[key_of[r]], sides_of[r] = nil, nil
end
