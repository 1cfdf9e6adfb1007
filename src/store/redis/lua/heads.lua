-- Part of a claim: the oldest tasks of the buckets it looks at, read a few at a time.

-- Groups of buckets as a claim names them, `1,2|7`, taken apart once: agents ask for the same over and over.
local known_groups, known_count = {}, 0
local function groups_of(words)
  local order = known_groups[words]
  if order then return order end
  order = {}
  for group in string.gmatch(words, '[^|]+') do
    local buckets = {}
    for n in string.gmatch(group, '%d+') do buckets[#buckets + 1] = n end
    order[#order + 1] = buckets
  end
  if known_count >= 100 then known_groups, known_count = {}, 0 end
  known_groups[words], known_count = order, known_count + 1
  return order
end

-- The oldest tasks of a bucket, `id, score, id, score, …`, and `at` the first that is still there.
-- Texts rather than numbers: Redis spells out every number that a script hands it, and that is dear.
local function read_heads(n)
  local key = K.queue_bucket .. n
  settle(key)
  local known = call('ZRANGE', key, '0', '3', 'WITHSCORES')
  known.at, known.all = 1, #known < 8
  for m = 2, #known, 2 do known[m] = tonumber(known[m]) end
  heads[n] = known
  return known
end

local function head_of(n, passed)
  local by = passed[n]
  if by then
    settle(K.queue_bucket .. n)
    local found = call('ZRANGE', K.queue_bucket .. n, int(by), int(by), 'WITHSCORES')
    return found[1], tonumber(found[2])
  end
  local known = heads[n] or read_heads(n)
  if known.at > #known and not known.all then known = read_heads(n) end
  return known[known.at], known[known.at + 1]
end

-- `passed` says how many of a bucket the claim has passed by.
local function best_head(group, passed)
  local best, bucket, score
  for m = 1, #group do
    local n = group[m]
    local known, id, at = heads[n], nil, nil
    if known and not passed[n] and known[known.at] then id, at = known[known.at], known[known.at + 1]
    elseif not (known and known.all) or passed[n] then id, at = head_of(n, passed) end
    if id and (not score or at < score) then best, bucket, score = id, n, at end
  end
  return best, bucket
end
