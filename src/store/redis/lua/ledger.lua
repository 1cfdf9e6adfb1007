-- Part of a step: the labels wanted on an issue, and the outbox entries that bring them there.
-- Entries are JSON in one hash, by id; one list has the instant at which each may be taken.

local entries, due, changed, spelled
at_start(function() entries, due, changed, spelled = {}, {}, {}, {} end)

local function load_write(id)
  if entries[id] == nil then
    local json = call('HGET', K.outbox_entries, id)
    entries[id] = json and cjson.decode(json) or false
  end
  return entries[id]
end

-- Both entries of a lease with one look.
local function load_writes(ids)
  local json = call('HMGET', K.outbox_entries, unpack(ids))
  for n, id in ipairs(ids) do
    if entries[id] == nil then entries[id] = json[n] and cjson.decode(json[n]) or false end
  end
end

local function available_at(id)
  if not due[id] then due[id] = tonumber(call('ZSCORE', K.outbox_due, id) or '0') end
  return due[id]
end

local function save_write(entry, at)
  entries[entry.id], changed[entry.id], spelled[entry.id] = entry, true, nil
  if at then due[entry.id] = at end
end

at_end(function()
  local hash, zset = {}, {}
  for id in pairs(changed) do
    hash[#hash + 1], hash[#hash + 2] = id, spelled[id] or encode(entries[id])
    if due[id] then zset[#zset + 1], zset[#zset + 2] = int(due[id]), id end
    if #hash >= 1000 then
      call('HSET', K.outbox_entries, unpack(hash))
      hash = {}
    end
    if #zset >= 1000 then
      call('ZADD', K.outbox_due, unpack(zset))
      zset = {}
    end
  end
  if #hash > 0 then call('HSET', K.outbox_entries, unpack(hash)) end
  if #zset > 0 then call('ZADD', K.outbox_due, unpack(zset)) end
end)

local function drop_write(id)
  entries[id], due[id], changed[id] = false, nil, nil
  call('HDEL', K.outbox_entries, id)
  call('ZREM', K.outbox_due, id)
  call('SREM', K.outbox_failing, id)
end

-- A later step on the same entry merges with it: new version, due at once. A lock stays, so that the
-- write that is under way ends first.
local function enqueue(id, kind, place, t, more)
  local entry = load_write(id) or { id = id, type = kind, attempts = 0 }
  entry.repository, entry.number, entry.issue = place.repository, tonumber(place.number), place.issue
  entry.task_id, entry.fence = t and t.id or nil, t and t.fence or nil
  entry.branch, entry.event = more.branch, more.event
  entry.version = bump('write_version')
  local at = now
  if entry.locked_version and available_at(id) > now then at = available_at(id) end
  save_write(entry, at)
end

local function labels_id(place) return 'labels:' .. place.repository .. '#' .. place.number end

-- Labels compare without case and without order.
local function same_labels(one, other)
  local seen, count = {}, 0
  for _, label in ipairs(one) do
    label = string.lower(label)
    if not seen[label] then seen[label], count = 1, count + 1 end
  end
  for _, label in ipairs(other) do
    label = string.lower(label)
    if not seen[label] then return false end
    if seen[label] == 1 then seen[label], count = 2, count - 1 end
  end
  return count == 0
end

local function labels_of(json) return json == '' and {} or cjson.decode(json) end

local function join_written(i, labels)
  local written, seen = labels_of(i.written), {}
  local before = #written
  for _, label in ipairs(written) do seen[label] = true end
  for _, label in ipairs(labels) do
    if not seen[label] then written[#written + 1] = label end
  end
  if #written > before then put(i, 'written', list(written)) end
  return #written > before
end

-- Sets the labels wanted; where the issue does not show them, its one entry becomes due.
local function want(i, labels, t, adopt)
  local adopted = given(adopt) and join_written(i, adopt)
  if not adopted and same_labels(labels_of(i.wanted), labels) then return end
  put(i, 'wanted', list(labels))
  if not load_write(labels_id(i)) and same_labels(labels_of(i.written), labels) then return end
  enqueue(labels_id(i), 'labels', i, t, {})
end

local function write_branch(t)
  enqueue('branch:' .. t.id, 'branch', t, t, { branch = t.branch })
end
local function write_comment(t, event)
  enqueue('comment:' .. t.id .. ':' .. event, 'comment', t, t, { event = event })
end

-- Locks an entry for whoever carries it out. From here on its labels may stand on the issue.
local function lock_write(entry, until_at)
  entry.locked_version = entry.version
  save_write(entry, until_at)
  if entry.type == 'labels' then
    local i = load_issue(entry.issue)
    join_written(i, labels_of(i.wanted))
  end
  spelled[entry.id] = encode(entry)
  return spelled[entry.id]
end

-- A task that is dead from here on: the fact, the comment and the labels.
local function bury(t, reason, labels)
  fact('dead', t, ',"reason":' .. say(reason))
  write_comment(t, 'dead')
  want(load_issue(t.issue), labels)
end
