-- Part of a step: tasks, where they are filed, and the one way they change state.

local OPEN = { held = true, delayed = true, ready = true, leased = true }

local function load_task(id)
  local key = K.task_info .. id
  local t = records[key]
  if t then return t end
  local json = call('HGET', key, 'record')
  return json and read_record(key, json) or nil
end

local function live(t) return t.state == 'leased' and tonumber(t.lease_expires_at) > now end
-- The call came with the own token of an agent that does not hold this lease.
local function foreign(t, a) return given(a.agentId) and a.agentId ~= t.lease_agent end
local function lock_key(t) return K.lock_issue .. t.lock end
local function lock_value(t) return t.lease_agent .. ' ' .. t.lease_token end

-- Only its owner removes a lock.
local function unlock(t)
  if call('GET', lock_key(t)) == lock_value(t) then call('DEL', lock_key(t)) end
end

local function queue_of(priority)
  if priority >= 100 then return K.queue_high end
  return priority >= 50 and K.queue_normal or K.queue_low
end

-- As core/match.ts writes it: [repository, kind, priority, only, authors, labels].
local KINDS = { implement = '0', review = '1', fix = '2' }
local function bucket_key(t)
  local labels, relevant = match_labels(t.issue), {}
  if #labels > 0 then
    local learned = call('SMISMEMBER', K.labels_learned, unpack(labels))
    for i = 1, #labels do
      if learned[i] == 1 then relevant[#relevant + 1] = labels[i] end
    end
  end
  table.sort(relevant)
  local authors = t.kind == 'review' and decode(t.authors) or {}
  table.sort(authors)
  return '[' .. text(t.repository) .. ',' .. KINDS[t.kind] .. ',' .. t.priority .. ',' .. text(t.only_agent)
    .. ',' .. list(authors) .. ',' .. list(relevant) .. ']'
end

local function bucket_of(t)
  local key = bucket_key(t)
  local n = call('HGET', K.queue_buckets, key)
  if not n then
    n = int(bump('bucket_seq'))
    call('HSET', K.queue_buckets, key, n)
    bump('registry_version')
  end
  return n
end

-- Score of seed 004. The instant of joining is strictly rising, for exact first come, first served.
local function file(t)
  if t.enqueued_at == '' then
    put(meta, 'enqueued_at', math.max((tonumber(meta.enqueued_at) or 0) + 1, now))
    put(t, 'enqueued_at', meta.enqueued_at)
  end
  local priority = tonumber(t.priority)
  local score = int((100 - priority) * 1e13 + tonumber(t.enqueued_at))
  put(t, 'bucket', bucket_of(t))
  heads[t.bucket], fronts, empty_groups = nil, {}, {}
  zadd(K.queue_bucket .. t.bucket, score, t.id)
  zadd(queue_of(priority), score, t.id)
  if t.opens_at ~= '' then zadd(K.queue_opening, t.opens_at, t.id) end
end

local function unfile(t)
  local known = heads[t.bucket]
  if known and known[known.at] == t.id then known.at = known.at + 2 else heads[t.bucket] = nil end
  zrem(K.queue_bucket .. t.bucket, t.id)
  put(meta, 'left:' .. t.bucket, now)
  zrem(queue_of(tonumber(t.priority)), t.id)
  if t.opens_at ~= '' then zrem(K.queue_opening, t.id) end
  t.bucket, spelled_of[t] = nil, nil
end

local function leave(t, i)
  if t.state == 'ready' then unfile(t)
  elseif t.state == 'delayed' then zrem(K.queue_delayed, t.id)
  elseif t.state == 'leased' then
    zrem(K.leases, t.id)
    unlock(t)
    unhold(t.lease_agent, t.id)
    put(i, 'leased', (tonumber(i.leased) or 1) - 1)
    if i.leased == '0' then later('SADD', 'SREM', K.issues_processing, t.issue, false) end
    t.lease_agent, t.lease_token, t.lease_seconds, t.leased_at = nil, nil, nil, nil
    t.lease_expires_at, t.lease_request, spelled_of[t] = nil, nil, nil
  end
end

local function open_if_due(t)
  if t.opens_at ~= '' and tonumber(t.opens_at) <= now then
    put(t, 'only_agent', '')
    put(t, 'opens_at', '')
  end
end

local function enter(t, i)
  open_if_due(t)
  if t.state == 'ready' then file(t)
  elseif t.state == 'delayed' then zadd(K.queue_delayed, t.ready_at, t.id)
  elseif t.state == 'leased' then
    zadd(K.leases, t.lease_expires_at, t.id)
    hold(t.lease_agent, t.id)
    put(i, 'leased', (tonumber(i.leased) or 0) + 1)
    if i.leased == '1' then later('SADD', 'SREM', K.issues_processing, t.issue, true) end
  end
  if t.kind == 'review' and t.state == 'ready' then
    call('HSET', K.review_delay .. t.delay, 'status', 'READY_FOR_ASSIGNMENT')
    call('EXPIRE', K.review_delay .. t.delay, TTL.review_delay)
  end
end

-- What people see of an issue: the task that changed last.
local function show_issue(i, t)
  local beside = sides_of[i] or sides(i)
  beside.state, beside.task, beside.holder = t.state, t.id, t.lease_agent
  beside.attempts, beside.updated_at = t.attempts, now_text
end

-- The one way a task changes: out of the lists of its state, the changes, into those of the new one.
local function shift(t, changes)
  local i = load_issue(t.issue)
  local from, priority = t.state, t.priority
  leave(t, i)
  put_all(t, changes)
  t.updated_at = now_text
  enter(t, i)
  shifted = table.concat({ from, t.state, t.kind, priority, t.priority, t.seq }, ' ')
  local by = (OPEN[t.state] and 1 or 0) - (OPEN[from] and 1 or 0)
  if by ~= 0 then count_unfinished(i, by) end
  show(t, 'state', t.state)
  show_issue(i, t)
end

-- Another priority in the same state; only a ready task has to move for it.
local function reprioritize(t, priority, before_filing)
  local before = t.priority
  if t.state == 'ready' then unfile(t) end
  put(t, 'priority', priority)
  put(t, 'updated_at', now)
  if before_filing then before_filing(t) end
  if t.state == 'ready' then file(t) end
  shifted = table.concat({ t.state, t.state, t.kind, before, t.priority, t.seq }, ' ')
  fact('prioritized', t, ',"priority":' .. t.priority)
end

-- ISO 8601 of an instant, in UTC.
local function iso(ms)
  local days, rest = floor(ms / 86400000), ms % 86400000
  local z = days + 719468
  local era = floor(z / 146097)
  local doe = z - era * 146097
  local yoe = floor((doe - floor(doe / 1460) + floor(doe / 36524) - floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + floor(yoe / 4) - floor(yoe / 100))
  local mp = floor((5 * doy + 2) / 153)
  local month = mp < 10 and mp + 3 or mp - 9
  return string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ',
    yoe + era * 400 + (month <= 2 and 1 or 0), month, doy - floor((153 * mp + 2) / 5) + 1,
    floor(rest / 3600000), floor(rest / 60000) % 60, floor(rest / 1000) % 60, rest % 1000)
end

-- Found once, and never found anew (seed 000).
local function begin_delay(t)
  local key = K.review_delay .. t.delay
  call('HSETNX', key, 'found_at', iso(now))
  call('HSET', key, 'pr_number', t.pr_number, 'status', 'PENDING')
  call('EXPIRE', key, TTL.review_delay)
end

-- Makes a task. `name` says which (id, repository, number, kind, round, issue, lock, delay), `v` how.
local function make_task(name, v, i)
  local t = new_record(K.task_info .. name.id)
  put_all(t, name)
  put_all(t, v)
  t.author_first = nil
  t.seq = int(bump('task_seq'))
  t.attempts, t.fence, t.created_at, t.updated_at = '0', '0', now_text, now_text
  if v.state == 'dead' then put(t, 'ended_at', now) end
  if v.author_first > 0 then
    local authors = decode(t.authors)
    if #authors > 0 then
      put(t, 'only_agent', authors[#authors])
      put(t, 'opens_at', (tonumber(t.ready_at) or now) + v.author_first)
    end
  end
  put(i, 'tasks', i.tasks == '' and t.id or i.tasks .. ' ' .. t.id)
  zadd(K.tasks_all, t.seq, t.id)
  if t.kind == 'review' then begin_delay(t) end
  enter(t, i)
  shifted = table.concat({ 'none', t.state, t.kind, t.priority, t.priority, t.seq }, ' ')
  if OPEN[t.state] then count_unfinished(i, 1) end
  show(t, 'state', t.state)
  show_issue(i, t)
  fact('accepted', t, ',"kind":"' .. t.kind .. '","priority":' .. t.priority .. ',"reason":' .. text(t.reason))
  return t
end

-- A reply shows everything of a task as one JSON text, and what its agent reported once it is done.
local function show_task(t)
  return spell(t), t.state == 'done' and call('HGETALL', K.task_result .. t.id) or {}
end

-- A verb whose lease is over: the same answer as before when this token ended it in this way and said the
-- same, a conflict when it said something else, lost otherwise.
local function answer_again(t, outcome, said)
  local ended = end_by_token(t, said.token)
  if string.match(ended, '^%a+') ~= outcome then return reply('lease_lost') end
  local recorded = string.match(ended, '"fingerprint":"(%w+)"}$')
  if recorded and given(said.fingerprint) and recorded ~= said.fingerprint then return reply('conflict') end
  return reply('ok', show_task(t))
end
