-- Part of the step: applies changes that somebody decided, each only if what it was decided from still holds. Rows and
-- facts first, both or neither; then lists. One that cannot be changed is reported: the sweep builds it from the rows.
-- The score of a bucket's oldest task, by which `queue:heads` has the bucket.
local function head_of(bucket) return try('ZRANGE', K.queue_bucket .. bucket, '0', '0', 'WITHSCORES')[2] end
-- `XADD`, its key, room for the number, `at`, room for the instant; then two texts for each fact.
local function append(facts, first, last)
  local seq = int((tonumber(meta.seq) or 0) + (last - first - 4) / 2)
  facts[first + 2], facts[first + 4] = '0-' .. seq, now_text
  call(unpack(facts, first, last))
  meta.seq = seq
end
-- Only its owner removes a lock, or renews it. Keys, owners, and ms ('' to remove it).
local function own_locks(items, first, last)
  local get, drop = { 'MGET' }, { 'DEL' }
  for x = first, last, 3 do get[#get + 1] = items[x] end
  local owners = call(unpack(get))
  for n = 1, #owners do
    local x = first + 3 * n - 3
    if owners[n] ~= items[x + 1] then owners[n] = false
    elseif items[x + 2] == '' then drop[#drop + 1] = items[x]
    else call('PEXPIRE', items[x], items[x + 2]) end
  end
  if #drop > 1 then call(unpack(drop)) end
  return owners[1]
end
-- How many issues use a label that is not learned yet: the first and the last use outdate every ranking. Labels, by how many.
local function count_uses(items, first, last)
  for x = first, last, 2 do
    local label, by = items[x], items[x + 1]
    local uses = call('HINCRBY', K.labels_uses, label, by)
    if uses <= 0 then call('HDEL', K.labels_uses, label) end
    if uses <= 0 or uses == tonumber(by) then meta.registry_version = int(call('HINCRBY', K.meta, 'registry_version', '1')) end
  end
end
-- Who holds what: agent → ids. Agents, tasks, and '+' for one that is held, '' for one that is not any more.
local function change_holds(items, first, last)
  local get, held, set, drop = { 'HMGET', K.process_holds }, {}, { 'HSET', K.process_holds }, { 'HDEL', K.process_holds }
  for x = first, last, 3 do get[#get + 1] = items[x] end
  local found = call(unpack(get))
  for n = 1, #found do
    local x = first + 3 * n - 3
    local agent, id = items[x], items[x + 1]
    local ids = held[agent] or ' ' .. (found[n] and found[n] .. ' ' or '')
    local from, to = find(ids, ' ' .. id .. ' ', 1, true)
    if from and items[x + 2] == '' then ids = sub(ids, 1, from) .. sub(ids, to + 1)
    elseif not from and items[x + 2] == '+' then ids = ids .. id .. ' ' end
    held[agent] = ids
  end
  for agent, ids in pairs(held) do
    if ids == ' ' then drop[#drop + 1] = agent else set[#set + 1], set[#set + 2] = agent, sub(ids, 2, -2) end
  end
  if #set > 2 then call(unpack(set)) end
  if #drop > 2 then call(unpack(drop)) end
end
local SPECIAL = { LOCK = own_locks, USE = count_uses, HOLD = change_holds }
-- What cannot be changed is reported, and harms nothing else.
local function run(command, first, last, failed)
  local special, fine, reply = SPECIAL[command[first]], true, nil
  if special then fine, reply = pcall(special, command, first + 1, last) else reply = try(unpack(command, first, last)) end
  local problem = not fine and reply or type(reply) == 'table' and reply.err and reply
  if not problem then return end
  failed[#failed + 1] = command[first] .. ' ' .. command[first + 1] .. ': ' .. (type(problem) == 'table' and problem.err or tostring(problem))
end
-- What changes are bound to: of each its number, until when, its first and last place in line, what it was filed by; ''
-- where it is not bound. Places of one caller differ anyway, so that they need only be later than those of others.
local function bind(A, first, last, ok, places)
  for p = first, last, 5 do
    local c, till, from, to, filing = tonumber(A[p]), A[p + 1], A[p + 2], A[p + 3], A[p + 4]
    if till ~= '' and tonumber(till) <= now or filing ~= '' and filing ~= meta.filing
      or from ~= '' and tonumber(from) <= places.before then ok[c], ok.all = false, false
    elseif from ~= '' then places[c] = tonumber(to) end
  end
end
-- A command: how many words; how many of them come before its items, how many an item has, the change of each item as one
-- character; the words. Reply: the words, the place of the first and of the last, without the items of changes that do not hold; the
-- last before the first where nothing is left. Then where the next one begins.
local function kept(A, p, ok)
  local count = tonumber(A[p])
  if count == 0 then return A, p + 1, p, p + 1 end
  local first, last = p + 2, p + 1 + count
  if ok.all then return A, first, last, last + 1 end
  local head, width, owners = match(A[p + 1], '^(%d+) (%d+) (.*)$')
  local left, x, from = {}, 0, first + head
  for q = first, from - 1 do x = x + 1 left[x] = A[q] end
  local any = false
  for n = 1, #owners do
    if ok[byte(owners, n)] then
      any = true
      for q = from, from + width - 1 do x = x + 1 left[x] = A[q] end
    end
    from = from + width
  end
  return left, 1, any and x or 0, last + 1
end
-- Compares rows by what their texts begin with: the first line, which nobody writes twice; '' where there must be none.
local function compare(A, p, ok)
  local count = tonumber(A[p])
  if count == 0 then return p + 1 end
  local found, expected = call(unpack(A, p + 2, p + 1 + count)), p + 1 + count
  for n = 1, count - 2 do
    local text, want = found[n], A[expected + n]
    if want == '' and text or want ~= '' and sub(text or '', 1, #want) ~= want then
      ok[byte(A[p + 1], -(count - 1 - n))], ok.all = false, false
    end
  end
  return expected + count - 1
end
local function move_head(bucket)
  local head = head_of(bucket)
  if head then try('ZADD', K.queue_heads, head, bucket) else try('ZREM', K.queue_heads, bucket) end
end
-- Changes: how many; what they are bound to, and how many values that is; rows to compare, and their texts; facts, rows to
-- set, rows to remove; buckets that change; all other commands. Reply: where claims begin.
local function apply(A, p, words, failed)
  local count = tonumber(A[p])
  if count == 0 then return p + 1 end
  local ok, places = { all = true }, { before = tonumber(meta.place) or 0 }
  for c = 1, count do ok[c] = true end
  local bound = tonumber(A[p + 1])
  bind(A, p + 2, p + 1 + bound, ok, places)
  p = compare(A, p + 2 + bound, ok)
  local command, first, last
  command, first, last, p = kept(A, p, ok)
  if last > first then append(command, first, last) end
  for _ = 1, 2 do
    command, first, last, p = kept(A, p, ok)
    if last > first then call(unpack(command, first, last)) end
  end
  local buckets, touched = p, tonumber(A[p])
  p = p + touched + 2
  for _ = 1, tonumber(A[p - 1]) do
    command, first, last, p = kept(A, p, ok)
    if last >= first then run(command, first, last, failed) end
  end
  for k = 1, touched do move_head(A[buckets + k]) end
  for c = 1, count do
    words[c] = ok[c] and 'ok' or 'stale'
    if ok[c] and places[c] and places[c] > (tonumber(meta.place) or 0) then meta.place = int(places[c]) end
  end
  return p
end
