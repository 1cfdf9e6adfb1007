-- Part of a step: issues, their labels and how many unfinished tasks they have.

local function load_issue(id) return record(K.issue_status .. id) end
local function open_index(i) return K.issues_open .. i.repository end

-- How many issues with unfinished tasks carry a label; the registry names those nobody has learned.
local function use_label(label, by)
  local uses = call('HINCRBY', K.labels_uses, label, by)
  local crossed = (by > 0 and uses == by) or (by < 0 and uses == 0)
  if crossed and call('SISMEMBER', K.labels_learned, label) == 0 then bump('registry_version') end
  if uses <= 0 then call('HDEL', K.labels_uses, label) end
end

local function match_labels(id)
  local json = call('HGET', K.issue_metadata .. id, 'match_labels')
  return json and decode(json) or {}
end

-- Keeps the two lists that hang on an issue being open and having unfinished tasks.
local function shelve_issue(i)
  local unfinished = tonumber(i.unfinished) or 0
  if i.open == 'open' or unfinished > 0 then
    call('ZADD', open_index(i), i.number, i.issue)
    call('ZREM', K.issues_closed, i.issue)
  else
    call('ZREM', open_index(i), i.issue)
    call('ZADD', K.issues_closed, i.seen_at, i.issue)
  end
end

local function count_unfinished(i, by)
  local before = tonumber(i.unfinished) or 0
  put(i, 'unfinished', before + by)
  if (before == 0) == (before + by == 0) then return end
  for _, label in ipairs(match_labels(i.issue)) do use_label(label, by > 0 and 1 or -1) end
  shelve_issue(i)
end
