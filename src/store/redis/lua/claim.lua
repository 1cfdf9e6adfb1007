-- Part of the step: claim, the only choice that is made in Redis. The oldest task of the first group of buckets that
-- has one. The lease is a line on top of the task's unchanged row, and another on the issue's ledger row: whoever
-- reads them unfolds them by the rules of core.

-- Groups of bucket numbers, `1,2|7;3`, as bucket → group; `;` before a group whose buckets are less urgent than all
-- before it, `*` in front where that order is not kept. What a text means never changes, so it is kept between calls.
local rankings, ranked = {}, 0
local function ranking_of(text)
  local rank = rankings[text]
  if rank then return rank end
  if ranked == 100 then rankings, ranked = {}, 0 end
  rank = { ordered = sub(text, 1, 1) ~= '*', first = {} }
  local group = 0
  for urgent in gmatch(text, '[^;*]+') do
    rank.first[group + 1] = rank.ordered
    for part in gmatch(urgent, '[^|]+') do
      group = group + 1
      for bucket in gmatch(part, '%d+') do rank[bucket] = group end
    end
  end
  rankings[text], ranked = rank, ranked + 1
  return rank
end
-- Reads more heads, the most urgent and oldest first. False: all are known.
local function load_heads(w)
  if not w.next then return false end
  local names = call('ZRANGE', K.queue_heads, w.next, '+', 'BYLEX', 'LIMIT', '0', int(w.page))
  for n = 1, #names do
    local bucket = sub(names[n], 18)
    w.known[#w.known + 1], w.head[bucket], w.was[bucket] = bucket, names[n], names[n]
  end
  -- Digits come before a colon.
  w.read = #names == w.page and names[#names] or ':'
  w.next, w.page = w.read ~= ':' and '(' .. w.read, 4 * w.page
  return true
end
-- The bucket with the oldest head of the first group that has one. What is not read yet is less urgent or younger than
-- what is: it cannot come before the head of a group that nothing as urgent goes before, nor before one that is more
-- urgent.
local function best_bucket(w, rank)
  local best, group, name
  repeat
    best, group = nil, math.huge
    for n = 1, #w.known do
      local bucket = w.known[n]
      local head, this = w.head[bucket], rank[bucket]
      if head and this and (this < group or this == group and head < name) then best, group, name = bucket, this, head end
    end
    local settled = best and (rank.first[group] and name <= w.read or rank.ordered and sub(name, 1, 3) < sub(w.read, 1, 3))
  until settled or not load_heads(w)
  return best
end
local function page(bucket, from)
  return call('ZRANGE', K.queue_bucket .. bucket, int(from), int(from + 2), 'WITHSCORES')
end
-- Takes the oldest task of a bucket that this call has not taken or passed over; nothing leaves a bucket before the end.
-- The next one is its head from here on.
local function take(w, bucket)
  local c = w.candidates[bucket] or { at = 1, from = 0, list = page(bucket, 0) }
  w.candidates[bucket] = c
  local id, score = c.list[c.at], c.list[c.at + 1]
  c.at = c.at + 2
  if c.at > 6 then c.from, c.at, c.list = c.from + 3, 1, page(bucket, c.from + 3) end
  w.head[bucket] = c.list[c.at] and head_name(bucket, c.list[c.at + 1]) or false
  return id, score
end
local function leave_bucket(w, bucket, id)
  w.gone[bucket] = w.gone[bucket] or { 'ZREM', K.queue_bucket .. bucket }
  table.insert(w.gone[bucket], id)
end
local function set_aside(w, bucket, id, row)
  leave_bucket(w, bucket, id)
  -- Ready in another bucket: this list alone was wrong.
  if row and sub(row, 1, 1) == 'r' then return end
  for _, queue in ipairs({ K.queue_high, K.queue_normal, K.queue_low }) do call('ZREM', queue, id) end
  call('HSET', K.queue_corrupt, id, 'bucket ' .. bucket .. ' at ' .. now_text)
  w.corrupt[#w.corrupt + 1] = id
end
-- Takes the first task that can be taken; nil when there is none.
local function choose(w, rank, owner, ms)
  for _ = 1, 500 do
    local bucket = best_bucket(w, rank)
    if not bucket then return end
    local id, score = take(w, bucket)
    -- Otherwise the list of heads was wrong.
    if id then
      local issue = match(id, '^(.*)~')
      local rows = call('HMGET', K.rows, id, '#' .. (issue or ''), '!' .. (issue or ''), '?' .. (issue or ''))
      local row = rows[1]
      local fence, filed, attempts, born, lock, branch
      if row then fence, filed, attempts, born, lock, branch = match(row, '^r(%d+) (%d+) (%d+) (%d+) (%S+) ([^\n]*)') end
      if filed ~= bucket then set_aside(w, bucket, id, row)
      -- After data was lost a task may be leased without our knowing, unless its issue is younger than the loss.
      elseif (w.quarantine <= now or tonumber(born) >= w.lost_at) and call('SET', K.lock_issue .. lock, owner, 'NX', 'PX', ms) then
        leave_bucket(w, bucket, id)
        return { id = id, issue = issue, rows = rows, fence = tonumber(fence), attempts = attempts, branch = branch, score = score }
      else w.passed[bucket] = true end
    end
  end
end
-- One claim: group list, registry version, leases it may have besides, agent, token, seconds, lock of writes in ms,
-- lowest fence, request (JSON).
-- Reply: `leased`, id, row, ledger row before, head of the issue, when it was seen; or another word and what belongs to it.
local function claim(A, p, w)
  local agent, token, seconds = A[p + 3], A[p + 4], A[p + 5]
  -- What was leased in this very call is written at its end.
  local held = w.held[agent] or call('ZRANGE', K.process_holds, '[' .. agent .. ' ', '(' .. agent .. '!', 'BYLEX')
  w.held[agent] = held
  local holds = table.concat(held, ' ')
  if holds ~= A[p + 2] then return 'holds', holds end
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
  local id, score, rows, ledger_name = found.id, found.score, found.rows, '#' .. found.issue
  -- Leased in this very call: the row is written at its end.
  local ledger = w.set[ledger_name] or rows[2] or ''
  local lock_ms, above = A[p + 6], math.max(found.fence, tonumber(A[p + 7]), w.fence_floor) + 1
  local fence = above > micros and int(above) or w.micros
  local expires = int(now + ms)
  local layer = 'L' .. expires .. ' ' .. token .. ' ' .. agent .. ' ' .. fence .. ' ' .. seconds .. ' ' .. now_text .. ' ' .. A[p + 8]
  local text = layer .. '\n' .. rows[1]
  w.set[id] = text
  w.set[ledger_name] = 'B' .. now_text .. ' ' .. fence .. ' ' .. lock_ms .. ' ' .. id .. ' ' .. agent .. ' ' .. found.branch .. '\n' .. ledger
  w.facts[w.f + 1], w.facts[w.f + 2], w.f = 'L ' .. score .. ' ' .. found.attempts, id .. '\n' .. layer, w.f + 2
  local rank = tonumber(score)
  local queue = rank < 1e13 and w.high or rank < 51e13 and w.normal or w.low
  local l, d, h = w.leases, w.due, w.holds
  l[#l + 1], l[#l + 2], d[#d + 1], d[#d + 2] = expires, id, int(now + lock_ms), found.issue
  local hold = agent .. ' ' .. id
  h[#h + 1], h[#h + 2], held[#held + 1] = '0', hold, hold
  queue[#queue + 1], w.opening[#w.opening + 1] = id, id
  return 'leased', id, text, ledger, rows[3] or '', rows[4] or ''
end
-- Rows and facts, then lists, as in `apply`.
local function finish_claims(w, failed)
  if w.f > 5 then append(w.facts, 1, w.f) end
  local set, s = { 'HSET', K.rows }, 2
  for name, text in pairs(w.set) do set[s + 1], set[s + 2], s = name, text, s + 2 end
  if s > 2 then call(unpack(set, 1, s)) end
  for _, gone in pairs(w.gone) do run(gone, 1, #gone, failed) end
  local gone, new = { 'ZREM', K.queue_heads }, { 'ZADD', K.queue_heads }
  for bucket in pairs(w.candidates) do
    -- What was passed over is still there.
    local head = w.passed[bucket] and head_of(bucket) or w.head[bucket]
    if head ~= w.was[bucket] then
      gone[#gone + 1] = w.was[bucket]
      if head then new[#new + 1], new[#new + 2] = '0', head end
    end
  end
  for _, list in ipairs({ w.leases, w.holds, w.due, w.high, w.normal, w.low, w.opening, gone, new }) do
    if #list > 3 or (#list == 3 and list[1] == 'ZREM') then run(list, 1, #list, failed) end
  end
end
-- Groups, each once; then the claims.
local function claim_all(A, p, corrupt, failed)
  local answers, groups = {}, tonumber(A[p])
  if groups == 0 then return answers end
  local w = {
    groups = {}, known = {}, head = {}, was = {}, next = '-', page = 16, read = '', candidates = {}, passed = {}, gone = {}, held = {},
    set = {}, facts = { 'XADD', K.facts, '', 'at', '' }, f = 5, corrupt = corrupt, micros = int(micros),
    leases = { 'ZADD', K.leases }, holds = { 'ZADD', K.process_holds }, due = { 'ZADD', K.outbox_due, 'LT' },
    opening = { 'ZREM', K.queue_opening }, high = { 'ZREM', K.queue_high }, normal = { 'ZREM', K.queue_normal },
    low = { 'ZREM', K.queue_low }, quarantine = tonumber(meta.quarantine_until) or 0, lost_at = tonumber(meta.lost_at) or 0,
    fence_floor = tonumber(meta.fence_floor) or 0, maintenance = call('GET', K.flags_maintenance) == 'true' }
  for g = 1, groups do w.groups[g] = ranking_of(A[p + g]) end
  p = p + groups + 1
  local count = tonumber(A[p])
  p = p + 1
  for c = 1, count do
    local reply = { claim(A, p, w) }
    for n = 1, 6 do answers[6 * c - 6 + n] = reply[n] or '' end
    p = p + 9
  end
  finish_claims(w, failed)
  return answers
end
-- The step. Arguments: the test's clock in ms ('' for Redis' own), the generation the caller knows, the instant the
-- changes were decided at, how old that may be; then changes (see `apply`), groups and claims (see `claim`).
-- Reply: `ok`, the instant, the clock's offset, the number of facts before, the last place in line, the registry's
-- version; then lists: a word for each change, what failed, what was set aside, six values for each claim.
local function step(A)
  local seq, words, failed, corrupt = meta.seq, {}, {}, {}
  if A[3] ~= '' and math.abs(now - A[3]) > tonumber(A[4]) then
    return { 'clock', now_text, meta.clock_offset, seq, meta.place, meta.registry_version }
  end
  local p = apply(A, 5, words, failed)
  -- Changes may have outdated it.
  local version = A[5] == '0' and meta.registry_version or call('HGET', K.meta, 'registry_version')
  meta.registry_version = version and version ~= '' and version or '0'
  local answers = claim_all(A, p, corrupt, failed)
  keep_meta()
  return { 'ok', now_text, meta.clock_offset, seq, meta.place, meta.registry_version, words, failed, corrupt, answers }
end
