-- Part of every step: the hashes it loads and changes.

-- A record is a table of texts, one for each field; a field without text is '' or missing. Tasks and issues
-- travel as one JSON text, in the field `record` of their hash: Redis hands a script one text far faster
-- than thirty. Beside it stand fields for people, and those that steps seldom read. Agents and `meta` have
-- nothing but such fields.
local records, key_of, sides_of, spelled_of, plain, touched

-- What most records have not; they do not carry it about.
local blank = {
  reason = '', enqueued_at = '', ready_at = '', only_agent = '', opens_at = '', pr_number = '', ended_at = '',
  bucket = '', pinned = '', timed = '', lease_agent = '', lease_token = '', lease_seconds = '', leased_at = '',
  lease_expires_at = '', lease_request = '', answered = '', issue = '', repository = '', number = '', open = '',
  picture_at = '', seen_at = '', wanted = '', written = '', written_at = '', unfinished = '', leased = '',
  tasks = '' }
local BLANK = { __index = blank }

local function new_record(key)
  local r = setmetatable({}, BLANK)
  records[key], key_of[r] = r, key
  return r
end

-- What a text says never changes: a record that a batch leaves behind is known by its text when the next
-- one reads it. Who takes it may change it, and so takes it out.
local young, old, young_count = {}, {}, 0
local MOST_YOUNG = 500
local function remember_records()
  if young_count > MOST_YOUNG then young, old, young_count = {}, young, 0 end
  for _, r in pairs(records) do
    local json = spelled_of[r]
    if json then young[json], young_count = r, young_count + 1 end
  end
end

-- A record that is one text: `json` as it was read.
local function read_record(key, json)
  local r = young[json] or old[json]
  if r then young[json], old[json] = nil, nil else r = setmetatable(decode(json), BLANK) end
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

-- Marks a record as changed; what is put here is written beside it.
local function sides(r)
  local beside = {}
  sides_of[r] = beside
  touched[#touched + 1] = r
  return beside
end

local function put(r, name, value)
  value = as_text(value)
  if r[name] == value then return end
  r[name], spelled_of[r] = value, nil
  local beside = sides_of[r] or sides(r)
  if plain[r] then beside[name] = value end
end

-- Many fields of a task or an issue at once.
local function put_all(r, values)
  for name, value in pairs(values) do
    if type(value) ~= 'string' then value = as_text(value) end
    if value == '' and blank[name] then value = nil end
    r[name] = value
  end
  spelled_of[r] = nil
  if not sides_of[r] then sides(r) end
end

-- A field beside the record.
local function show(r, name, value)
  local beside = sides_of[r] or sides(r)
  beside[name] = value
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

-- Filled anew for each command, and never let go: a table that grows is dear.
local args = {}
local function write(r)
  local n = 2
  args[1], args[2] = 'HSET', key_of[r]
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
