-- Part of every step: the clock, the hashes it loads and changes, the facts it appends.
-- What every verb is given: `a`, its arguments, and for a claim `groups`. What it answers: `reply(word, …)`.

-- Set when a batch begins: while the library is loaded there is no Redis to call yet.
local call, encode, floor
local now, micros, meta, records, facts, shifted, told
local openings, last_words = {}, {}

local function int(n) return string.format('%.0f', n) end
local function given(value) return value ~= nil and value ~= cjson.null end

-- cjson rounds numbers to 14 digits, so numbers are written by `int` and only texts by cjson.
local function text(value)
  if not given(value) or value == '' then return 'null' end
  return (string.gsub(encode(value), '\\/', '/'))
end
local function say(value)
  if not given(value) then return 'null' end
  return (string.gsub(encode(value), '\\/', '/'))
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

-- A record is a hash as a table: [1] its key, [2] the fields to write, [3] whether it was there.
local function record(key, fields)
  local r = records[key]
  if r then return r end
  r = { key, {}, false }
  if fields then
    local values = call('HMGET', key, unpack(fields))
    for i = 1, #fields do
      if values[i] then r[3] = true end
      r[fields[i]] = values[i] or ''
    end
  else
    local flat = call('HGETALL', key)
    r[3] = #flat > 0
    for i = 1, #flat, 2 do r[flat[i]] = flat[i + 1] end
  end
  records[key] = r
  return r
end

local function put(r, name, value)
  if not given(value) then value = '' elseif type(value) == 'number' then value = int(value) end
  if r[name] ~= value then
    r[name] = value
    r[2][name] = true
  end
end

local function write(r)
  local args, n = {}, 0
  for name in pairs(r[2]) do
    args[n + 1], args[n + 2] = name, r[name]
    n = n + 2
    if n >= 4000 then
      call('HSET', r[1], unpack(args))
      args, n = {}, 0
    end
  end
  if n > 0 then call('HSET', r[1], unpack(args)) end
  r[2] = {}
end

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
  now = read + offset
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
  local id = call('XADD', K.facts, '0-*', 'at', int(now), 'body', '{' .. body .. '}', 'shift', shifted or '')
  shifted = nil
  local seq = string.sub(id, 3)
  facts[#facts + 1] = '{"seq":' .. seq .. ',"at":' .. int(now) .. ',' .. body .. '}'
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
  call, encode, floor = redis.call, cjson.encode, math.floor
  records, facts, shifted, told = {}, {}, nil, {}
  meta = record(K.meta, META)
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
    for _, r in pairs(records) do
      if r ~= meta and next(r[2]) then write(r) end
    end
    return answer
  end
  records, shifted = { [K.meta] = meta }, nil
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
