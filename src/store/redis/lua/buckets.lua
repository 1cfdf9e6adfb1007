-- Part of the library: buckets get short numbers, and the list of their heads is checked.

-- Arguments: clock, generation, then names of buckets. Reply: `ok`, what filing goes by, and the number of each.
-- A new bucket outdates every ranking.
local function number_buckets(_, A)
  if not begin(A[1], A[2]) then return { 'generation' } end
  local numbers = {}
  for n = 3, #A do
    local number = call('HGET', K.queue_buckets, A[n])
    if not number then
      number = int(call('HINCRBY', K.meta, 'bucket_seq', '1'))
      call('HSET', K.queue_buckets, A[n], number)
      call('HINCRBY', K.meta, 'registry_version', '1')
    end
    numbers[n - 2] = number
  end
  return { 'ok', meta.filing, numbers }
end

-- Arguments: clock, generation, then name and number of buckets that are to go if they are empty. What was filed by
-- these numbers has to look again.
local function drop_buckets(_, A)
  if not begin(A[1], A[2]) then return { 'generation' } end
  for n = 3, #A, 2 do
    if call('EXISTS', K.queue_bucket .. A[n + 1]) == 0 and call('HGET', K.queue_buckets, A[n]) == A[n + 1] then
      call('HDEL', K.queue_buckets, A[n])
      call('HINCRBY', K.meta, 'registry_version', '1')
      call('HINCRBY', K.meta, 'filing', '1')
    end
  end
  return { 'ok' }
end

-- Arguments: clock, generation. Every bucket's head is what `queue:heads` says. Reply: `ok` and how many were not.
local function check_heads(_, A)
  if not begin(A[1], A[2]) then return { 'generation' } end
  local said, wrong = {}, 0
  for _, name in ipairs(call('ZRANGE', K.queue_heads, '0', '-1')) do
    local bucket = sub(name, 18)
    if said[bucket] then call('ZREM', K.queue_heads, name) wrong = wrong + 1 else said[bucket] = name end
  end
  for _, bucket in ipairs(call('HVALS', K.queue_buckets)) do
    local head = head_of(bucket)
    if head ~= said[bucket] then
      wrong = wrong + 1
      if said[bucket] then call('ZREM', K.queue_heads, said[bucket]) end
      if head then call('ZADD', K.queue_heads, '0', head) end
    end
    said[bucket] = nil
  end
  for _, name in pairs(said) do call('ZREM', K.queue_heads, name) end
  return { 'ok', wrong }
end
