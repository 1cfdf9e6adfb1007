-- Part of every step: the clock, the facts it appends, and how a batch of steps runs.

local META = {
  'generation', 'clock_read', 'clock_offset', 'registry_version', 'write_version', 'enqueued_at',
  'steps', 'task_seq', 'bucket_seq', 'quarantine_until', 'lost_at', 'settle_until' }

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
  now_text = int(now)
  micros = micros + offset * 1000
end

local function bump(name)
  put(meta, name, (tonumber(meta[name]) or 0) + 1)
  return tonumber(meta[name])
end

local function at_start(reset) openings[#openings + 1] = reset end
local function at_end(write_rest) last_words[#last_words + 1] = write_rest end

-- Of a task's history the newest stay; core/history.ts says how many.
local MOST_HISTORY, HISTORY_SLACK = 1000, 100
local function remember_fact(t, seq)
  local key = K.task_history .. t.id
  if call('RPUSH', key, seq) > MOST_HISTORY + HISTORY_SLACK then call('LTRIM', key, -MOST_HISTORY, -1) end
end

-- Appends a fact. `rest` is JSON that begins with a comma; `t` is the task it is of, or nil. A fact that is
-- `passing` is no part of its task's history.
local function fact(kind, t, rest, passing)
  local body
  if t then body = '"type":"' .. kind .. '","taskId":' .. text(t.id) .. ',"state":"' .. t.state .. '"' .. rest
  else body = '"type":"' .. kind .. '"' .. rest end
  local id = call('XADD', K.facts, '0-*', 'at', now_text, 'body', '{' .. body .. '}', 'shift', shifted or '')
  shifted = nil
  local seq = string.sub(id, 3)
  facts[#facts + 1] = '{"seq":' .. seq .. ',"at":' .. now_text .. ',' .. body .. '}'
  if t and not passing then remember_fact(t, seq) end
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

local function forget_all()
  records, key_of, sides_of, spelled_of, plain, touched = {}, {}, {}, {}, {}, {}
  heads, fronts, empty_groups = {}, {}, {}
  staged, staged_count, pending = {}, 0, {}
end

-- Begins a batch of verbs. False: this is not the data that the caller knows.
local function begin_batch(given_ms, generation)
  call, encode, decode, floor, null = redis.call, cjson.encode, cjson.decode, math.floor, cjson.null
  format, find, gsub, concat = string.format, string.find, string.gsub, table.concat
  type, tonumber, next, pairs, ipairs = _G.type, _G.tonumber, _G.next, _G.pairs, _G.ipairs
  unpack, setmetatable = _G.unpack, _G.setmetatable
  forget_all()
  facts, shifted, told, quoted, ints, maintenance = {}, nil, {}, {}, {}, nil
  for n = 1, #openings do openings[n]() end
  meta = plain_record(K.meta, META)
  -- Written when the batch ends.
  sides_of[meta] = {}
  if generation ~= '' and meta.generation ~= generation then return false end
  read_clock(given_ms)
  bump('steps')
  return true
end

-- One verb of a batch: its changes are written before the next one looks. One that fails fails alone.
local function run_verb(verb, a, groups)
  local ok, answer = pcall(verb, a, groups)
  if ok then
    for n = 1, #last_words do last_words[n]() end
    for n = 1, #touched do
      if sides_of[touched[n]] then write(touched[n]) end
    end
    touched = {}
    accept_staged()
    return answer
  end
  staged_count = 0
  settle_all()
  local kept = sides_of[meta]
  forget_all()
  records[K.meta], key_of[meta], plain[meta], sides_of[meta] = meta, K.meta, true, kept
  shifted = nil
  for n = 1, #openings do openings[n]() end
  return { 'error', type(answer) == 'table' and answer.err or tostring(answer) }
end

-- Arguments: the test's clock in ms ('' for Redis' own), the generation the caller knows ('' for any), then
-- for each verb its name, its arguments as JSON, and a claim's groups ('' elsewhere).
-- Reply: the facts as a JSON list, then each verb's answer; `generation` when data was lost.
local function run_batch(verbs, args)
  if not begin_batch(args[1], args[2]) then return { '[]', 'generation' } end
  local answers = {}
  for n = 3, #args, 3 do
    answers[#answers + 1] = run_verb(verbs[args[n]], decode(args[n + 1]), args[n + 2])
  end
  settle_all()
  write(meta)
  remember_records()
  publish()
  return { '[' .. table.concat(facts, ',') .. ']', unpack(answers) }
end
