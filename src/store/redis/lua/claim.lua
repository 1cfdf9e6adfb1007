-- Part of the step: claim, the only choice that is made in Redis: the oldest task of the first group of buckets that has
-- one. The lease is a line on top of the unchanged text of its issue, which whoever reads it unfolds by core's rules.
-- Groups of bucket numbers, `1,2|7;3`, as bucket → group; `;` before a group whose buckets are less urgent than all
-- before it, `*` in front where that order is not kept. What a text means never changes, so it is kept between calls.
local rankings, ranked = {}, 0
local function ranking_of(text)
  local rank = rankings[text]
  if rank then return rank end
  if ranked == 100 then rankings, ranked = {}, 0 end
  rank = { ordered = sub(text, 1, 1) ~= '*', first = {}, groups = 0 }
  for urgent in gmatch(text, '[^;*]+') do
    rank.first[rank.groups + 1] = rank.ordered
    for part in gmatch(urgent, '[^|]+') do
      rank.groups = rank.groups + 1
      for bucket in gmatch(part, '%d+') do rank[bucket] = rank.groups end
    end
  end
  rankings[text], ranked = rank, ranked + 1
  return rank
end
-- Reads more buckets, those with the most urgent and oldest heads first. False: all are known.
local function load_heads(w)
  if w.all then return false end
  local names = call('ZRANGE', K.queue_heads, int(#w.known), int(#w.known + w.page - 1))
  for n = 1, #names do w.known[#w.known + 1] = names[n] end
  w.all, w.page, w.read = #names < w.page, 4 * w.page, nil
  return true
end
-- Buckets that are known, by their group, in the order of the heads that they had.
local function by_group(w, rank)
  local groups = w.grouped[rank] or { upto = 0 }
  for n = groups.upto + 1, #w.known do
    local group = rank[w.known[n]]
    local list = groups[group]
    if list then list[#list + 1] = w.known[n] elseif group then groups[group] = { w.known[n], first = 1, moved = {} } end
  end
  groups.upto, w.grouped[rank] = #w.known, groups
  return groups
end
local function page(bucket, from) return call('ZRANGE', K.queue_bucket .. bucket, int(from), int(from + 2), 'WITHSCORES') end
-- The tasks at the head of a bucket that this call has not taken or passed over.
local function tasks_of(w, bucket)
  local c = w.candidates[bucket]
  if not c then
    c = { at = 1, from = 0, list = page(bucket, 0) }
    w.candidates[bucket], c.head = c, tonumber(c.list[2])
  end
  return c
end
-- The bucket with the oldest head of a group: the first that nothing was taken from, or one that something was taken
-- from. Those behind the first had younger heads, whatever became of them.
local function oldest_of(w, list)
  local c = w.candidates[list[list.first]]
  while c and c.moved do
    list.moved[#list.moved + 1], list.first = list[list.first], list.first + 1
    c = w.candidates[list[list.first]]
  end
  local best = list[list.first]
  if #list.moved == 0 then return best end
  local oldest = best and tasks_of(w, best).head or math.huge
  for n = 1, #list.moved do
    local head = w.candidates[list.moved[n]].head
    if head and head < oldest then best, oldest = list.moved[n], head end
  end
  return best
end
-- What is not read yet is less urgent or younger: it cannot come before the head of a group that nothing as urgent goes
-- before, nor before one that is more urgent.
local function is_settled(w, rank, group, best)
  local c = w.candidates[best]
  if w.all or rank.first[group] and not (c and c.moved) then return true end
  w.read = w.read or tonumber(call('ZSCORE', K.queue_heads, w.known[#w.known]))
  local oldest = tasks_of(w, best).head or math.huge
  return rank.first[group] and oldest <= w.read or rank.ordered and floor(oldest / SCORE.step) < floor(w.read / SCORE.step)
end
-- The bucket with the oldest head of the first group that has one.
local function best_bucket(w, rank)
  local best
  repeat
    local groups, group = by_group(w, rank), 0
    best = nil
    while not best and group < rank.groups do
      group = group + 1
      best = groups[group] and oldest_of(w, groups[group])
    end
  until best and is_settled(w, rank, group, best) or not load_heads(w)
  return best
end
-- Takes the oldest task; the next one is the bucket's head from here on.
local function take(w, bucket)
  local c = tasks_of(w, bucket)
  local id, score = c.list[c.at], c.list[c.at + 1]
  c.at, c.moved = c.at + 2, true
  if c.at > 6 then c.from, c.at, c.list = c.from + 3, 1, page(bucket, c.from + 3) end
  c.head = tonumber(c.list[c.at + 1])
  return id, score
end
local function leave_bucket(w, bucket, id)
  w.gone[bucket] = w.gone[bucket] or { 'ZREM', K.queue_bucket .. bucket }
  table.insert(w.gone[bucket], id)
end
local function set_aside(w, bucket, id, elsewhere)
  leave_bucket(w, bucket, id)
  -- Ready in another bucket: this list alone was wrong.
  if elsewhere then return end
  for _, queue in ipairs({ K.queue_high, K.queue_normal, K.queue_low }) do call('ZREM', queue, id) end
  call('HSET', K.queue_corrupt, id, 'bucket ' .. bucket .. ' at ' .. now_text)
  w.corrupt[#w.corrupt + 1] = id
end
-- The line of a ready task: its bucket, lock, attempts and fence; nothing where it is not ready, or under a lease.
local function ready_line(text, name)
  if byte(text) == 76 and (find(text, 'L' .. name .. ' ', 1, true) == 1 or find(text, '\nL' .. name .. ' ', 1, true)) then return end
  local _, last = find(text, '\n' .. name .. ' ', 1, true)
  if last then return match(text, '^(%d+) (%S+) (%d+) r(%d+) ', last + 1) end
end
-- After data was lost a task may be leased without our knowing, unless its issue is younger than the loss.
local function is_free(w, text)
  return w.quarantine <= now or (tonumber(match('\n' .. text, '\nv%d+ %S* (%d+)\n')) or 0) >= w.lost_at
end
-- Takes the first task that can be taken; nil when there is none.
local function choose(w, rank, owner, ms)
  for _ = 1, 500 do
    local bucket = best_bucket(w, rank)
    if not bucket then return end
    local id, score = take(w, bucket)
    -- Otherwise the list of heads was wrong.
    if id then
      local issue, name = match(id, '^(.*)~([^~]*)$')
      local found = issue and call('HMGET', K.rows, issue, '?' .. issue) or {}
      -- Leased in this very call: the row is written at its end.
      local text = w.set[issue] or found[1]
      local filed, lock, attempts, fence
      if text then filed, lock, attempts, fence = ready_line(text, name) end
      if filed ~= bucket then set_aside(w, bucket, id, filed)
      elseif is_free(w, text) and call('SET', K.lock_issue .. lock, owner, 'NX', 'PX', ms) then
        leave_bucket(w, bucket, id)
        return { id = id, issue = issue, name = name, text = text, seen = found[2], fence = tonumber(fence), attempts = attempts, score = score }
      else w.passed[bucket] = true end
    end
  end
end
-- One claim: group list, registry version, tasks it may hold, agent, token, seconds, lock of writes in ms, lowest fence,
-- request (JSON). Reply: `leased`, id, the row of its issue, when that was seen; or another word and what belongs to it.
local function claim(A, p, w)
  local agent, token, seconds = A[p + 3], A[p + 4], A[p + 5]
  local held = w.held[agent]
  if held ~= A[p + 2] then return 'holds', held end
  if w.maintenance then return 'maintenance' end
  if meta.registry_version ~= A[p + 1] then return 'stale' end
  local settling = tonumber(meta.settle_until) or 0
  if settling > now then return 'quarantine', int(math.max(w.quarantine, settling)) end
  local ms = seconds * 1000
  local found = choose(w, w.groups[tonumber(A[p])], agent .. ' ' .. token, int(ms))
  if not found then
    if w.quarantine > now then return 'quarantine', int(w.quarantine) end
    return 'none'
  end
  local id, score, issue = found.id, found.score, found.issue
  local lock_ms, above = A[p + 6], math.max(found.fence, tonumber(A[p + 7]), w.fence_floor) + 1
  local fence = above > micros and int(above) or w.micros
  local expires = int(now + ms)
  local line = 'L' .. found.name .. ' ' .. expires .. ' ' .. token .. ' ' .. agent .. ' ' .. fence .. ' ' .. seconds .. ' ' .. now_text .. ' ' .. lock_ms .. ' ' .. A[p + 8]
  local text = line .. '\n' .. found.text
  w.set[issue] = text
  w.facts[w.f + 1], w.facts[w.f + 2], w.f = 'L ' .. score .. ' ' .. found.attempts, issue .. '\n' .. line, w.f + 2
  local rank = tonumber(score)
  local queue = rank < SCORE.high and w.high or rank < SCORE.normal and w.normal or w.low
  local l, d = w.leases, w.due
  l[#l + 1], l[#l + 2], d[#d + 1], d[#d + 2] = expires, id, int(now + lock_ms), issue
  w.held[agent] = held == '' and id or held .. ' ' .. id
  w.holds[agent] = w.held[agent]
  queue[#queue + 1], w.opening[#w.opening + 1] = id, id
  return 'leased', id, text, found.seen or ''
end
-- Rows and facts, then lists, as in `apply`.
local function set_all(key, values, failed)
  local set, s = { 'HSET', key }, 2
  for name, text in pairs(values) do set[s + 1], set[s + 2], s = name, text, s + 2 end
  return set, 1, s, failed
end
local function finish_claims(w, failed)
  if w.f > 5 then append(w.facts, 1, w.f) end
  if next(w.set) then
    call(unpack(set_all(K.rows, w.set)))
    run(set_all(K.process_holds, w.holds, failed))
  end
  for _, gone in pairs(w.gone) do run(gone, 1, #gone, failed) end
  local gone, new = { 'ZREM', K.queue_heads }, { 'ZADD', K.queue_heads }
  for bucket, c in pairs(w.candidates) do
    -- What was passed over is still there.
    local head = w.passed[bucket] and head_of(bucket) or c.list[c.at + 1]
    if head then new[#new + 1], new[#new + 2] = head, bucket else gone[#gone + 1] = bucket end
  end
  for _, list in ipairs({ w.leases, w.due, w.high, w.normal, w.low, w.opening, gone, new }) do
    if #list > 3 or (#list == 3 and list[1] == 'ZREM') then run(list, 1, #list, failed) end
  end
end
-- Groups, each once; then the claims.
local function claim_all(A, p, corrupt, failed)
  local answers, groups = {}, tonumber(A[p])
  if groups == 0 then return answers end
  local w = {
    groups = {}, known = {}, page = 16, candidates = {}, grouped = {}, passed = {}, gone = {}, held = {},
    set = {}, facts = { 'XADD', K.facts, '', 'at', '' }, f = 5, corrupt = corrupt, micros = int(micros),
    leases = { 'ZADD', K.leases }, holds = {}, due = { 'ZADD', K.outbox_due, 'LT' },
    opening = { 'ZREM', K.queue_opening }, high = { 'ZREM', K.queue_high }, normal = { 'ZREM', K.queue_normal },
    low = { 'ZREM', K.queue_low }, quarantine = tonumber(meta.quarantine_until) or 0, lost_at = tonumber(meta.lost_at) or 0,
    fence_floor = tonumber(meta.fence_floor) or 0, maintenance = call('GET', K.flags_maintenance) == 'true' }
  for g = 1, groups do w.groups[g] = ranking_of(A[p + g]) end
  p = p + groups + 1
  local count = tonumber(A[p])
  local agents = { 'HMGET', K.process_holds }
  for c = 1, count do agents[c + 2] = A[p + 9 * c - 5] end
  local held = call(unpack(agents))
  for c = 1, count do w.held[agents[c + 2]] = held[c] or '' end
  for c = 1, count do
    local a = 4 * c
    answers[a - 3], answers[a - 2], answers[a - 1], answers[a] = claim(A, p + 9 * c - 8, w)
    for n = a - 2, a do answers[n] = answers[n] or '' end
  end
  finish_claims(w, failed)
  return answers
end
-- The step. Arguments: the test's clock in ms ('' for Redis' own), the generation the caller knows, the instant the
-- changes were decided at, how old that may be; then changes (see `apply`), groups and claims (see `claim`).
-- Reply: `ok`, the instant, the clock's offset, the number of facts before, the last place in line, the registry's
-- version; then lists: a word for each change, what failed, what was set aside, four values for each claim.
local function step(A)
  local seq, words, failed, corrupt = meta.seq, {}, {}, {}
  if A[3] ~= '' and math.abs(now - A[3]) > tonumber(A[4]) then
    return { 'clock', now_text, meta.clock_offset, seq, meta.place, meta.registry_version }
  end
  local p = apply(A, 5, words, failed)
  local answers = claim_all(A, p, corrupt, failed)
  keep_meta()
  return { 'ok', now_text, meta.clock_offset, seq, meta.place, meta.registry_version, words, failed, corrupt, answers }
end
