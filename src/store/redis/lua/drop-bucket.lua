-- Forgets a bucket if it is empty, for the sweep and for `banto keys clean`. Every ranking is outdated by it, and what was
-- filed by its number has to look again. Reply: 1, or 0 when it holds a task or has another number now.
local function drop_bucket(bucket, buckets, counters, name, number)
  if redis.call('EXISTS', bucket) == 1 or redis.call('HGET', buckets, name) ~= number then return 0 end
  redis.call('HDEL', buckets, name)
  redis.call('HINCRBY', counters, 'filing', '1')
  redis.call('HINCRBY', counters, 'registry_version', '1')
  return 1
end
