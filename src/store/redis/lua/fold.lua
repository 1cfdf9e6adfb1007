-- Brings what people read up to date with the facts: counts, lists by state, statistics. Each fact once:
-- the step only counts if nobody has counted since `from`.
-- Arguments: from, to, counts, moves [task, from state, to state, seq],
-- daily {date: {counter: n}}, hourly {'hour counter': n}, completed {date: [issue]}, held [agent, task, seq],
-- results [task, at].
-- Reply: `ok`, or `stale` with where the others are.

local folded = call('HGET', K.meta, 'folded') or '0'
if folded ~= a.from then return reply('stale', folded) end
for name, by in pairs(a.counts) do
  if call('HINCRBY', K.queue_counts, name, by) == 0 then call('HDEL', K.queue_counts, name) end
end
for _, move in ipairs(a.moves) do
  if move[2] ~= 'none' then call('ZREM', K.tasks_state .. move[2], move[1]) end
  call('ZADD', K.tasks_state .. move[3], move[4], move[1])
end
for date, counters in pairs(a.daily) do
  for name, by in pairs(counters) do call('HINCRBY', K.stats_daily .. date, name, int(by)) end
  call('EXPIRE', K.stats_daily .. date, TTL.stats)
end
for field, by in pairs(a.hourly) do call('HINCRBY', K.stats_hourly, field, int(by)) end
if next(a.hourly) then call('EXPIRE', K.stats_hourly, TTL.stats) end
for date, issues in pairs(a.completed) do
  call('SADD', K.issues_completed .. date, unpack(issues))
  call('EXPIRE', K.issues_completed .. date, TTL.stats)
end
for _, held in ipairs(a.held) do call('ZADD', K.process_tasks .. held[1], held[3], held[2]) end
for _, result in ipairs(a.results) do call('ZADD', K.tasks_results, result[2], result[1]) end
put(meta, 'folded', a.to)
return reply('ok')
