-- What is run by EVAL, each part by itself: it has nothing of the library.

-- name: guard
-- Keys: KEYS[1] the last fact that was derived from, which the caller watches. Arguments: ARGV[1] what it must be still.
-- Where it is not, it is written as it is: then the transaction that follows is not made.
local projected = redis.call('GET', KEYS[1]) or ''
if projected ~= ARGV[1] then redis.call('SET', KEYS[1], projected) end

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
