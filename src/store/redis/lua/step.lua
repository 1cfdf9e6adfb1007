-- Part of the step: applies changes that somebody decided, each only if what it was decided from still holds.
-- Rows and facts first, and both or neither; then the lists that follow from rows. A list that cannot be
-- changed is reported: the sweep builds it from the rows again.

-- The oldest of a bucket, as `queue:heads` names it: 16 digits of its score, a space, the bucket.
local function head_name(bucket, score)
  return sub('0000000000000000', #score + 1) .. score .. ' ' .. bucket
end
local function head_of(bucket)
  local head = call('ZRANGE', K.queue_bucket .. bucket, '0', '0', 'WITHSCORES')
  return head[1] and head_name(bucket, head[2])
end

local function append(facts, count)
  if count == 5 then return end
  local last = int((tonumber(meta.seq) or 0) + (count - 5) / 2)
  facts[1], facts[2], facts[3], facts[4], facts[5] = 'XADD', K.facts, '0-' .. last, 'at', now_text
  call(unpack(facts, 1, count))
  meta.seq = last
end

-- Only its owner removes a lock, or renews it.
local function own_lock(key, value, ms)
  if call('GET', key) ~= value then return end
  if ms == '' then call('DEL', key) else call('PEXPIRE', key, ms) end
end

-- How many issues with open tasks carry a label; coming into use and going out of it outdates every ranking.
local function count_use(label, by)
  local uses = call('HINCRBY', K.labels_uses, label, by)
  if uses <= 0 then call('HDEL', K.labels_uses, label) end
  local crossed = uses <= 0 or uses == tonumber(by)
  if crossed and call('SISMEMBER', K.labels_learned, label) == 0 then
    call('HINCRBY', K.meta, 'registry_version', '1')
  end
end

local function run(command, last, failed)
  local reply = try(unpack(command, 1, last))
  if type(reply) == 'table' and reply.err then failed[#failed + 1] = command[1] .. ' ' .. command[2] .. ': ' .. reply.err end
end

local function run_own(own, command, failed)
  local fine, problem = pcall(own, command[2], command[3], command[4])
  if not fine then failed[#failed + 1] = command[2] .. ': ' .. (type(problem) == 'table' and problem.err or tostring(problem)) end
end

-- For each change: until, first and last place in line, what it was filed by (or '' for none of these).
local function held(A, p, n, ok, places)
  local place = tonumber(meta.place) or 0
  for c = 1, n do
    local till, first, filing = A[p], A[p + 1], A[p + 3]
    ok[c] = (till == '' or tonumber(till) > now) and (filing == '' or filing == meta.filing)
    if ok[c] and first ~= '' then
      ok[c] = tonumber(first) > place
      if ok[c] then place, places[c] = tonumber(A[p + 2]), A[p + 2] end
    end
    p = p + 4
  end
  return p
end

-- Rows: change, name, text expected (`*`: any), next text (`=`: as it is, `-`: none).
local function compare(A, p, rows, ok)
  if rows == 0 then return end
  local names, by = { 'HMGET', K.rows }, {}
  for k = 1, rows do names[k + 2] = A[p + 4 * k - 3] end
  local found = call(unpack(names))
  for k = 1, rows do
    local q = p + 4 * k - 4
    local c, name, expected = tonumber(A[q]), A[q + 1], A[q + 2]
    -- Two changes of one row in one call: the second one looks again.
    by[name] = by[name] or c
    if expected ~= '*' and ((found[k] or '') ~= expected or by[name] ~= c) then ok[c] = false end
  end
end

local function write_rows(A, p, rows, ok)
  local set, gone, s, g = { 'HSET', K.rows }, { 'HDEL', K.rows }, 2, 2
  for k = 1, rows do
    local q = p + 4 * k - 4
    local text = A[q + 3]
    if ok[tonumber(A[q])] and text ~= '=' then
      if text == '-' then g = g + 1 gone[g] = A[q + 1]
      else set[s + 1], set[s + 2], s = A[q + 1], text, s + 2 end
    end
  end
  if s > 2 then call(unpack(set, 1, s)) end
  if g > 2 then call(unpack(gone, 1, g)) end
end

-- Lists: verb, key (`@`: each item begins with its own), width and number of items; then for each its change and
-- its values. One command for a whole list, except where each item has its own key.
local function change_lists(A, p, ok, failed)
  local command = {}
  for _ = 1, tonumber(A[p]) do
    local verb, key, width = A[p + 1], A[p + 2], tonumber(A[p + 3])
    local own = verb == 'LOCK' and own_lock or verb == 'USE' and count_use
    local each = key == '@'
    local least = each and 1 or 2
    local items, x = tonumber(A[p + 4]), least
    command[1], command[2], p = verb, key, p + 4
    for _ = 1, items do
      if ok[tonumber(A[p + 1])] then
        for j = 1, width do command[x + j] = A[p + 1 + j] end
        if own then run_own(own, command, failed)
        elseif each then run(command, x + width, failed)
        else x = x + width end
        if x > 2000 then run(command, x, failed) x = least end
      end
      p = p + 1 + width
    end
    if x > least then run(command, x, failed) end
  end
  return p + 1
end

local function move_heads(buckets, before)
  for k = 1, #buckets do
    local head = head_of(buckets[k])
    if head ~= before[k] then
      if before[k] then call('ZREM', K.queue_heads, before[k]) end
      if head then call('ZADD', K.queue_heads, '0', head) end
    end
  end
end

local function apply(A, p, words, failed)
  local n, rows, ok, places = tonumber(A[p]), tonumber(A[p + 1]), {}, {}
  if n == 0 then return p + 2 end
  p = held(A, p + 2, n, ok, places)
  compare(A, p, rows, ok)
  local first = p
  p = p + 4 * rows
  local facts, f = {}, 5
  for _ = 1, tonumber(A[p]) do
    if ok[tonumber(A[p + 1])] then facts[f + 1], facts[f + 2], f = A[p + 2], A[p + 3], f + 2 end
    p = p + 3
  end
  append(facts, f)
  write_rows(A, first, rows, ok)
  local buckets, before = {}, {}
  for k = 1, tonumber(A[p + 1]) do
    buckets[k] = A[p + 1 + k]
    before[k] = head_of(buckets[k]) or false
  end
  p = change_lists(A, p + 2 + #buckets, ok, failed)
  move_heads(buckets, before)
  for c = 1, n do
    words[c] = ok[c] and 'ok' or 'stale'
    if ok[c] and places[c] then meta.place = places[c] end
  end
  return p
end
