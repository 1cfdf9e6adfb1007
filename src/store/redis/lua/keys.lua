-- What `banto keys` needs one step for. It has no part of the store's own steps: a namespace that is being
-- restored has no meta hash yet.

-- name: renew
-- Keys: KEYS[1] a lock. Arguments: ARGV[1] its owner, ARGV[2] ms. Reply: 1, or 0 when it is not the owner's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])

-- name: release
-- Keys: KEYS[1] a lock. Arguments: ARGV[1] its owner. Reply: 1, or 0 when it is not the owner's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])

-- name: dropBucket
-- Keys: the bucket, the hash of buckets, the meta hash. Arguments: ARGV[1] the bucket's name, ARGV[2] its number.
return drop_bucket(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2])
