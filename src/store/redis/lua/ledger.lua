-- Part of a step: the labels wanted on an issue, and the outbox entries that bring them there.
-- Entries are JSON in one hash, by id, each with the instant `at` which it may be taken; one list is in the
-- order of those instants.

local entries, unsaved, spelled
at_start(function() entries, unsaved, spelled = {}, {}, {} end)

local function load_write(id)
  if entries[id] == nil then
    local json = call('HGET', K.outbox_entries, id)
    entries[id] = json and decode(json) or false
  end
  return entries[id]
end

-- Both entries of a lease with one look.
local function load_writes(ids)
  local json = call('HMGET', K.outbox_entries, unpack(ids))
  for n = 1, #ids do
    local id = ids[n]
    if entries[id] == nil then entries[id] = json[n] and decode(json[n]) or false end
  end
end

local function save_write(entry, at)
  entry.at, entries[entry.id], unsaved[entry.id], spelled[entry.id] = at, entry, true, nil
end

-- Once for each verb, however often it touched an entry.
at_end(function()
  for id in pairs(unsaved) do
    later('HSET', 'HDEL', K.outbox_entries, id, spelled[id] or encode(entries[id]))
    zadd(K.outbox_due, int(entries[id].at), id)
  end
  unsaved = {}
end)

local function drop_write(id)
  entries[id], unsaved[id] = false, nil
  later('HSET', 'HDEL', K.outbox_entries, id, false)
  zrem(K.outbox_due, id)
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
  if entry.locked_version and entry.at > now then at = entry.at end
  save_write(entry, at)
end

local function labels_id(place) return 'labels:' .. place.repository .. '#' .. place.number end

-- Lists of labels are texts here, JSON, as they stand in the issue's record; '' is an empty one.
local function no_labels(json) return json == '' or json == '[]' end

-- Labels compare without case and without order.
local function same_labels(one, other)
  if one == other then return true end
  if no_labels(one) or no_labels(other) then return no_labels(one) and no_labels(other) end
  local seen, count = {}, 0
  for _, label in ipairs(decode(one)) do
    label = string.lower(label)
    if not seen[label] then seen[label], count = 1, count + 1 end
  end
  for _, label in ipairs(decode(other)) do
    label = string.lower(label)
    if not seen[label] then return false end
    if seen[label] == 1 then seen[label], count = 2, count - 1 end
  end
  return count == 0
end

local function join_written(i, labels)
  if no_labels(labels) or i.written == labels then return false end
  if no_labels(i.written) then
    put(i, 'written', labels)
    return true
  end
  local written, seen = decode(i.written), {}
  local before = #written
  for _, label in ipairs(written) do seen[label] = true end
  for _, label in ipairs(decode(labels)) do
    if not seen[label] then written[#written + 1] = label end
  end
  if #written > before then put(i, 'written', list(written)) end
  return #written > before
end

-- Sets the labels wanted; where the issue does not show them, its one entry becomes due.
local function want(i, labels, t, adopt)
  local adopted = given(adopt) and join_written(i, adopt)
  if not adopted and same_labels(i.wanted, labels) then return end
  put(i, 'wanted', labels)
  if not load_write(labels_id(i)) and same_labels(i.written, labels) then return end
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
  if entry.type == 'labels' then
    local i = load_issue(entry.issue)
    join_written(i, i.wanted)
  end
  save_write(entry, until_at)
  spelled[entry.id] = encode(entry)
  return spelled[entry.id]
end

-- A task that is dead from here on: the fact, the comment and the labels.
local function bury(t, reason, labels)
  fact('dead', t, ',"reason":' .. say(reason))
  write_comment(t, 'dead')
  want(load_issue(t.issue), labels)
end
