-- What choosing looks at: buckets and labels, never tasks.

-- name: registry
-- Reply: version, buckets with their numbers, labels in use, learned labels, labels half learned, paused names.
local call = redis.call
return {
  call('HGET', K.meta, 'registry_version') or '0', call('HGETALL', K.queue_buckets),
  call('HKEYS', K.labels_uses), call('SMEMBERS', K.labels_learned), call('SMEMBERS', K.labels_learning),
  call('SMEMBERS', K.maintenance_paused) }

-- name: peek
-- Arguments: ARGV[1] how many scores of each, then bucket numbers. Reply: for each its size and scores.
local call, reply = redis.call, {}
for n = 2, #ARGV do
  local key, scores = K.queue_bucket .. ARGV[n], {}
  if ARGV[1] ~= '0' then
    local heads = call('ZRANGE', key, 0, ARGV[1] - 1, 'WITHSCORES')
    for h = 2, #heads, 2 do scores[#scores + 1] = heads[h] end
  end
  reply[#reply + 1] = { call('ZCARD', key), scores }
end
return reply

-- name: holding
-- Arguments: agents. Reply: those that hold a task.
local holding = {}
for n = 1, #ARGV do
  local holds = redis.call('HGET', K.process_info .. ARGV[n], 'holds')
  if holds and holds ~= '' then holding[#holding + 1] = ARGV[n] end
end
return holding
