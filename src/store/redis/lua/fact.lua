-- Part of every step: the clock, the hashes it loads and changes, the facts it appends.
-- What every verb is given: `a`, its arguments, and for a claim `groups`. What it answers: `reply(word, …)`.

-- Set when a batch begins: while the library is loaded there is no Redis to call yet.
local call, encode, floor
local now, now_text, micros, meta, facts, shifted, told
local openings, last_words = {}, {}
-- The oldest task of a bucket as this batch knows it: { id, score }, or false. Filing forgets it.
local heads
local format, find, gsub, null

-- Every number in a step is whole, and '%d' is much cheaper than '%.0f'.
local function int(n) return n == now and now_text or format('%d', n) end
local function given(value) return value ~= nil and value ~= null end

-- cjson rounds numbers to 14 digits, so numbers are written by `int` and only texts by cjson. A batch says
-- the same few texts over and over.
local quoted
local function say(value)
  if not given(value) then return 'null' end
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
  return '[' .. table.concat(parts, ',') .. ']'
end

-- A record is a hash as a table of its fields. Beside it: its key, the fields to write, whether it was there.
local records, key_of, dirty_of, was_there, touched
local function record(key, fields)
  local r = records[key]
  if r then return r end
  r = {}
  if fields then
    local values = call('HMGET', key, unpack(fields))
    for i = 1, #fields do r[fields[i]] = values[i] or '' end
  else
    local flat = call('HGETALL', key)
    was_there[r] = #flat > 0
    for i = 1, #flat, 2 do r[flat[i]] = flat[i + 1] end
  end
  records[key], key_of[r] = r, key
  return r
end

local function put(r, name, value)
  if value == nil or value == null then value = '' elseif type(value) == 'number' then value = int(value) end
  if r[name] == value then return end
  r[name] = value
  local dirty = dirty_of[r]
  if not dirty then
    dirty = {}
    dirty_of[r] = dirty
    touched[#touched + 1] = r
  end
  dirty[name] = true
end

local function write(r)
  local args, n = { 'HSET', key_of[r] }, 2
  for name in pairs(dirty_of[r]) do
    args[n + 1], args[n + 2] = name, r[name]
    n = n + 2
    if n >= 4000 then
      call(unpack(args, 1, n))
      n = 2
    end
  end
  if n > 2 then call(unpack(args, 1, n)) end
  dirty_of[r] = nil
end

-- What was removed is not written again.
local function removed(r) dirty_of[r] = {} end

local META = {
  'generation', 'clock_read', 'clock_offset', 'registry_version', 'write_version', 'enqueued_at',
  'task_seq', 'bucket_seq', 'quarantine_until', 'lost_at', 'settle_until' }

-- The clock never goes back: when the one it reads does, it goes on from where it was.
local function read_clock(given_ms)
  local read
  if given_ms ~= '' then
    read = tonumber(given_ms)
    micros = read * 1000
  else
    local time = call('TIME')
    micros = time[1] * 1000000 + time[2]
    read = floor(micros / 1000)
  end
  local offset = tonumber(meta.clock_offset) or 0
  local before = tonumber(meta.clock_read) or read
  if read < before then
    offset = offset + before - read
    put(meta, 'clock_offset', offset)
  end
  put(meta, 'clock_read', read)
  now_text = nil
  now = read + offset
  now_text = int(now)
  micros = micros + offset * 1000
end

local function bump(name)
  put(meta, name, (tonumber(meta[name]) or 0) + 1)
  return tonumber(meta[name])
end

local function at_start(reset) openings[#openings + 1] = reset end
local function at_end(write_rest) last_words[#last_words + 1] = write_rest end

-- Appends a fact. `rest` is JSON that begins with a comma; `t` is the task it is of, or nil.
local function fact(kind, t, rest)
  local body = '"type":"' .. kind .. '"'
  if t then body = body .. ',"taskId":' .. text(t.id) .. ',"state":"' .. t.state .. '"' end
  body = body .. rest
  local id = call('XADD', K.facts, '0-*', 'at', now_text, 'body', '{' .. body .. '}', 'shift', shifted or '')
  shifted = nil
  local seq = string.sub(id, 3)
  facts[#facts + 1] = '{"seq":' .. seq .. ',"at":' .. now_text .. ',' .. body .. '}'
  if t then put(t, 'facts', (t.facts or '') .. ' ' .. seq) end
end

-- What goes over an agent's own channel: to it (`requests`) or from it (`responses`).
local function tell(agent, direction)
  told[#told + 1] = { agent, direction, facts[#facts] }
end

local function publish()
  for i = 1, #facts, 100 do
    local last = math.min(i + 99, #facts)
    call('PUBLISH', K.channel_events, '[' .. table.concat(facts, ',', i, last) .. ']')
  end
  for _, message in ipairs(told) do
    call('PUBLISH', K.channel .. message[1] .. ':' .. message[2], message[3])
  end
end

local function reply(...) return { ... } end

-- Begins a batch of verbs. False: this is not the data that the caller knows.
local function begin_batch(given_ms, generation)
  call, encode, floor, null = redis.call, cjson.encode, math.floor, cjson.null
  format, find, gsub = string.format, string.find, string.gsub
  records, key_of, dirty_of, was_there, touched = {}, {}, {}, {}, {}
  facts, shifted, told, quoted, heads = {}, nil, {}, {}, {}
  meta = record(K.meta, META)
  -- Written when the batch ends.
  dirty_of[meta] = {}
  if generation ~= '' and meta.generation ~= generation then return false end
  read_clock(given_ms)
  return true
end

-- One verb of a batch: its changes are written before the next one looks. One that fails fails alone.
local function run_verb(verb, a, groups)
  for n = 1, #openings do openings[n]() end
  local ok, answer = pcall(verb, a, groups)
  if ok then
    for n = 1, #last_words do last_words[n]() end
    for n = 1, #touched do
      if dirty_of[touched[n]] then write(touched[n]) end
    end
    touched = {}
    return answer
  end
  records, dirty_of = { [K.meta] = meta }, { [meta] = dirty_of[meta] }
  touched, shifted, heads = {}, nil, {}
  return { 'error', type(answer) == 'table' and answer.err or tostring(answer) }
end

-- Arguments: the test's clock in ms ('' for Redis' own), the generation the caller knows ('' for any), then
-- for each verb its name, its arguments as JSON, and a claim's groups ('' elsewhere).
-- Reply: the facts as a JSON list, then each verb's answer; `generation` when data was lost.
local function run_batch(verbs, args)
  if not begin_batch(args[1], args[2]) then return { '[]', 'generation' } end
  local answers = {}
  for n = 3, #args, 3 do
    answers[#answers + 1] = run_verb(verbs[args[n]], cjson.decode(args[n + 1]), args[n + 2])
  end
  write(meta)
  publish()
  return { '[' .. table.concat(facts, ',') .. ']', unpack(answers) }
end
