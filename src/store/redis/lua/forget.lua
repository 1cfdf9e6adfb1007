-- What the sweep forgets: history, results, closed issues, idle agents, empty buckets, old hours; and what
-- it checks on the way: entries of the queues that belong to no ready task are set aside.
-- Arguments: limit, factsBefore, folded (facts up to here are counted),
-- resultsBefore, bucketsBefore, hoursBefore ('2026-11-15T20'), audit (entries of each queue to check).
-- Reply: `ok`, whether a limit was reached (1 or 0), and what was set aside as corrupt.

local more = 0

local last
local old = call('XRANGE', K.facts, '-', '0-' .. a.folded, 'COUNT', a.limit)
for n, entry in ipairs(old) do
  if tonumber(entry[2][2]) >= a.factsBefore then break end
  last = entry[1]
  if n == a.limit then more = 1 end
end
if last then call('XTRIM', K.facts, 'MINID', '0-' .. int(tonumber(string.sub(last, 3)) + 1)) end

local ended = call('ZRANGEBYSCORE', K.tasks_results, '-inf', '(' .. int(a.resultsBefore), 'LIMIT', 0, a.limit)
for _, id in ipairs(ended) do
  call('DEL', K.task_result .. id)
  call('ZREM', K.tasks_results, id)
end
if #ended >= a.limit then more = 1 end

local function forgettable(i)
  if i.open ~= 'closed' or (tonumber(i.unfinished) or 0) > 0 then return false end
  if call('EXISTS', K.issues_dependents .. i.repository .. ':' .. i.number) == 1 then return false end
  if load_write(labels_id(i)) then return false end
  for id in string.gmatch(i.tasks, '%S+') do
    local t = load_task(id)
    if t and t.state ~= 'done' and t.state ~= 'cancelled' then return false end
    if load_write('branch:' .. id) or load_write('comment:' .. id .. ':dead') then return false end
  end
  return true
end

local function forget_task(t)
  for _, attempt in ipairs(attempts_of(t)) do call('ZREM', K.process_tasks .. attempt.agentId, t.id) end
  call('HINCRBY', K.queue_counts, t.state .. ' ' .. t.kind .. ' ' .. t.priority, -1)
  call('ZREM', K.tasks_all, t.id)
  call('ZREM', K.tasks_state .. t.state, t.id)
  call('DEL', key_of[t], K.task_result .. t.id, K.task_history .. t.id, K.review_delay .. t.delay)
  removed(t)
end

local function forget_issue(i)
  for id in string.gmatch(i.tasks, '%S+') do
    local t = load_task(id)
    if t then forget_task(t) end
  end
  local known = call('HMGET', K.issue_metadata .. i.issue, 'indexed', 'depends_on')
  for _, label in ipairs(decode(known[1] or '[]')) do call('SREM', K.labels_issues .. label, i.issue) end
  for _, n in ipairs(decode(known[2] or '[]')) do
    call('SREM', K.issues_dependents .. i.repository .. ':' .. int(n), i.issue)
  end
  call('ZREM', K.issues_closed, i.issue)
  call('DEL', key_of[i], K.issue_metadata .. i.issue)
  removed(i)
end

local forgotten = 0
for _, id in ipairs(call('ZRANGEBYSCORE', K.issues_closed, '-inf', '(' .. int(a.resultsBefore), 'LIMIT', 0, 1000)) do
  local i = load_issue(id)
  if forgotten < a.limit and forgettable(i) then
    forget_issue(i)
    forgotten = forgotten + 1
  end
end
if forgotten >= a.limit then more = 1 end

for _, id in ipairs(call('ZRANGEBYSCORE', K.processes_known, '-inf', '(' .. int(a.resultsBefore), 'LIMIT', 0, a.limit)) do
  local agent = load_agent(id)
  if agent.holds == '' and (tonumber(agent.last_seen_at) or 0) < a.resultsBefore then
    call('DEL', key_of[agent], K.process_heartbeat .. id, K.process_tasks .. id)
    call('ZREM', K.processes_known, id)
    call('SREM', K.processes_zombies, id)
    removed(agent)
  end
end

-- A bucket that has just run empty is likely to fill again; each coming and going outdates every ranking.
local buckets = call('HGETALL', K.queue_buckets)
for n = 1, #buckets, 2 do
  local key, bucket = buckets[n], buckets[n + 1]
  if call('EXISTS', K.queue_bucket .. bucket) == 0 then
    local left = tonumber(call('HGET', K.meta, 'left:' .. bucket) or '0')
    if left <= a.bucketsBefore then
      call('HDEL', K.queue_buckets, key)
      call('HDEL', K.meta, 'left:' .. bucket)
      bump('registry_version')
    end
  end
end

if call('HGET', K.meta, 'hours_before') ~= a.hoursBefore then
  put(meta, 'hours_before', a.hoursBefore)
  for _, field in ipairs(call('HKEYS', K.stats_hourly)) do
    if string.sub(field, 1, #a.hoursBefore) < a.hoursBefore then call('HDEL', K.stats_hourly, field) end
  end
end

local corrupt = {}
-- No value names a key: a namespace can be restored under another name.
for name, queue in pairs({ high = K.queue_high, normal = K.queue_normal, low = K.queue_low }) do
  local field = 'audited:' .. name
  local from = tonumber(call('HGET', K.meta, field) or '0')
  local ids = call('ZRANGE', queue, from, from + a.audit - 1)
  for _, id in ipairs(ids) do
    if call('HGET', K.task_info .. id, 'state') ~= 'ready' then
      call('ZREM', queue, id)
      call('HSET', K.queue_corrupt, id, 'queue ' .. name .. ' at ' .. int(now))
      corrupt[#corrupt + 1] = id
    end
  end
  put(meta, field, #ids < a.audit and 0 or from + #ids)
end
return reply('ok', more, corrupt)
