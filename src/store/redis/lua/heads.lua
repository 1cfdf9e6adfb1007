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

-- The oldest tasks of a bucket, `id, score, id, score, …`, and `at` the first that is still there. Few at
-- first, as most buckets of a group are not taken from; more of those that are.
-- Texts rather than numbers: Redis spells out every number that a script hands it, and that is dear.
local function read_heads(n)
  local key, before = K.queue_bucket .. n, heads[n]
  local last = before and math.min(before.last * 4 + 3, 127) or 1
  settle(key)
  local known = call('ZRANGE', key, '0', int(last), 'WITHSCORES')
  known.at, known.last, known.all = 1, last, #known < 2 * last + 2
  for m = 2, #known, 2 do known[m] = tonumber(known[m]) end
  heads[n] = known
  return known
end

-- A bucket's oldest task and its score; nothing when it is empty.
local function head_of(n)
  local known = heads[n] or read_heads(n)
  if known.at > #known and not known.all then known = read_heads(n) end
  return known[known.at], known[known.at + 1]
end

-- The same for a claim that has passed by so many of them.
local function head_after(n, passed)
  if not passed then return head_of(n) end
  settle(K.queue_bucket .. n)
  local found = call('ZRANGE', K.queue_bucket .. n, int(passed), int(passed), 'WITHSCORES')
  return found[1], tonumber(found[2])
end

local function sift_up(order, scores, n)
  local k, score = #order + 1, scores[n]
  while k > 1 do
    local above = (k - k % 2) / 2
    if scores[order[above]] <= score then break end
    order[k], k = order[above], above
  end
  order[k] = n
end

local function sift_down(order, scores)
  local k, n = 1, order[1]
  local score = scores[n]
  while true do
    local child = 2 * k
    local left, right = order[child], order[child + 1]
    if not left then break end
    if right and scores[right] < scores[left] then child, left = child + 1, right end
    if scores[left] >= score then break end
    order[k], k = left, child
  end
  order[k] = n
end

-- A heap of the group's buckets by the score of their heads. A head only ever gets younger, so that a score
-- that is out of date is too low: the first whose score is still true is the oldest of all.
local function front_of(group)
  local front = fronts[group]
  if front then return front end
  local scores, order = {}, {}
  for m = 1, #group do
    local n = group[m]
    local _, score = head_of(n)
    if score then
      scores[n] = score
      sift_up(order, scores, n)
    end
  end
  front = { order = order, scores = scores }
  fronts[group] = front
  return front
end

-- The oldest task of a group, and its bucket. `passed` says how many of a bucket the claim has passed by.
local function best_head(group, passed)
  if next(passed) then
    local best, bucket, score
    for m = 1, #group do
      local id, at = head_after(group[m], passed[group[m]])
      if id and (not score or at < score) then best, bucket, score = id, group[m], at end
    end
    return best, bucket
  end
  local front = front_of(group)
  local order, scores = front.order, front.scores
  while order[1] do
    local n = order[1]
    local id, score = head_of(n)
    if id and score == scores[n] then return id, n end
    if score then scores[n] = score
    else
      order[1] = order[#order]
      order[#order] = nil
    end
    if order[1] then sift_down(order, scores) end
  end
end
