-- Part of the library: buckets get short numbers, and the list of their heads is made.
-- Arguments: clock, generation, then names of buckets. Reply: `ok`, what filing goes by, and the number of each.
-- A new bucket outdates every ranking.
local function number_buckets(A)
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
-- Arguments: clock, generation, then name and number of buckets that are to go if they are empty.
local function drop_buckets(A)
  for n = 3, #A, 2 do drop_bucket(K.queue_bucket .. A[n + 1], K.queue_buckets, K.meta, A[n], A[n + 1]) end
  return { 'ok' }
end
-- Arguments: clock, generation, then numbers of buckets whose heads are written again.
local function check_heads(A)
  for n = 3, #A do move_head(A[n]) end
  return { 'ok' }
end
