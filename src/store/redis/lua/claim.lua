-- Part of the step: claim, the only choice that is made in Redis. The oldest task of the first group of buckets that
-- has one. The lease is a line on top of the task's unchanged row, and another on the issue's ledger row: whoever
-- reads them unfolds them by the rules of core.

-- Groups of bucket numbers, `1,2|7`, as bucket → group.
local function ranks_of(text)
  local rank, group = {}, 0
  for part in gmatch(text, '[^|]+') do
    group = group + 1
    for bucket in gmatch(part, '%d+') do rank[bucket] = group end
  end
  return rank
end

-- The oldest task of a bucket that this call has not taken or passed over. Nothing leaves a bucket before the end.
local function candidate(w, bucket)
  local c = w.candidates[bucket]
  if not c then
    c = { at = 1, from = 0, size = 4, list = call('ZRANGE', K.queue_bucket .. bucket, '0', '3', 'WITHSCORES') }
    w.candidates[bucket] = c
  elseif not c.list[c.at] and #c.list == 2 * c.size then
    c.from, c.size, c.at = c.from + c.size, 32, 1
    c.list = call('ZRANGE', K.queue_bucket .. bucket, int(c.from), int(c.from + 31), 'WITHSCORES')
  end
  return c.list[c.at], c.list[c.at + 1]
end

-- The heads in order, or the first few of them: for one claim those mostly do.
local function load_heads(w, last)
  local names = call('ZRANGE', K.queue_heads, '0', last)
  local kept, moved = {}, false
  for n = 1, #names do
    local bucket = sub(names[n], 18)
    if w.candidates[bucket] then
      local id, score = candidate(w, bucket)
      if id then kept[#kept + 1], moved = head_name(bucket, score), true end
    else kept[#kept + 1] = names[n] end
  end
  if moved then table.sort(kept) end
  w.names, w.of, w.all = kept, {}, last == '-1' or #names < 12
  for n = 1, #kept do w.of[n] = sub(kept[n], 18) end
end

local function best_head(w, rank)
  if not w.names then load_heads(w, '11') end
  local names, of = w.names, w.of
  if not w.all then
    for n = 1, #names do
      if rank[of[n]] == 1 then return n end
    end
    load_heads(w, '-1')
    names, of = w.names, w.of
  end
  local best, group
  for n = 1, #names do
    local found = rank[of[n]]
    if found and (not group or found < group) then
      best, group = n, found
      if found == 1 then break end
    end
  end
  return best
end

-- The candidate at the head is used up: the next one of its bucket takes its place in the order.
local function move_on(w, at)
  local names, of, bucket = w.names, w.of, w.of[at]
  local c = w.candidates[bucket]
  c.at = c.at + 2
  local id, score = candidate(w, bucket)
  local name = id and head_name(bucket, score)
  if not name or (not w.all and name > names[#names]) then
    table.remove(names, at)
    table.remove(of, at)
    return
  end
  while names[at + 1] and names[at + 1] < name do
    names[at], of[at] = names[at + 1], of[at + 1]
    at = at + 1
  end
  names[at], of[at] = name, bucket
end

local function leave_bucket(w, bucket, id)
  local gone = w.gone[bucket]
  if not gone then
    gone = { 'ZREM', K.queue_bucket .. bucket }
    w.gone[bucket], w.heads[bucket] = gone, head_of(bucket) or false
  end
  gone[#gone + 1] = id
end

local function set_aside(w, bucket, id)
  leave_bucket(w, bucket, id)
  for _, queue in ipairs({ K.queue_high, K.queue_normal, K.queue_low }) do call('ZREM', queue, id) end
  call('HSET', K.queue_corrupt, id, 'bucket ' .. bucket .. ' at ' .. now_text)
  w.corrupt[#w.corrupt + 1] = id
end

-- After data was lost a task may be leased without our knowing, unless its issue is younger than the loss.
local function proved_free(w, born)
  return w.quarantine <= now or tonumber(born) >= (tonumber(meta.lost_at) or 0)
end

-- Takes the first task that can be taken: what its row says, its bucket and its score; nil when there is none.
local function choose(w, rank, owner, ms)
  for _ = 1, 500 do
    local at = best_head(w, rank)
    if not at then return end
    local bucket = w.of[at]
    local id, score = candidate(w, bucket)
    if not id then
      -- The list of heads was wrong; the sweep makes it right.
      table.remove(w.names, at)
      table.remove(w.of, at)
    else
      local row = call('HGET', K.rows, id)
      local fence, filed, attempts, born, lock, branch
      if row then fence, filed, attempts, born, lock, branch = match(row, '^r(%d+) (%d+) (%d+) (%d+) (%S+) ([^\n]*)') end
      move_on(w, at)
      if filed ~= bucket then set_aside(w, bucket, id)
      elseif proved_free(w, born) and call('SET', K.lock_issue .. lock, owner, 'NX', 'PX', ms) then
        leave_bucket(w, bucket, id)
        return id, row, tonumber(fence), attempts, branch, score
      end
    end
  end
end

local function queue_of(score)
  score = tonumber(score)
  return score < 1e13 and K.queue_high or score < 51e13 and K.queue_normal or K.queue_low
end

-- One claim: group list, registry version, leases it may have besides, agent, token, seconds, lock of writes in ms,
-- lowest fence, request (JSON), labels (JSON) of implement, review and fix.
-- Reply: `leased`, id, row, ledger row before, head of the issue, when it was seen; or another word and what belongs to it.
local function claim(A, p, w)
  local agent, token, seconds = A[p + 3], A[p + 4], A[p + 5]
  local held = call('SMEMBERS', K.process_holds .. agent)
  local holds = table.concat(held, ' ')
  if holds ~= A[p + 2] then return 'holds', holds end
  if w.maintenance then return 'maintenance' end
  if meta.registry_version ~= A[p + 1] then return 'stale' end
  local settling = tonumber(meta.settle_until) or 0
  if settling > now then return 'quarantine', int(math.max(w.quarantine, settling)) end
  local groups = w.groups[tonumber(A[p])]
  local ms = seconds * 1000
  local id, row, fence, attempts, branch, score = choose(w, groups, agent .. ' ' .. token, int(ms))
  if not id then
    if w.quarantine > now then return 'quarantine', int(w.quarantine) end
    return 'none'
  end
  local issue, kind = match(id, '^(.*)~(%a)[^~]*$')
  local rows = call('HMGET', K.rows, '#' .. issue, '!' .. issue, '?' .. issue)
  -- Leased in this very call: the row is written at its end.
  local ledger = w.set['#' .. issue] or rows[1] or ''
  fence = int(math.max(fence + 1, micros, tonumber(A[p + 7]) + 1))
  local expires, lock_ms = int(now + ms), A[p + 6]
  local layer = 'L' .. expires .. ' ' .. token .. ' ' .. agent .. ' ' .. fence .. ' ' .. seconds .. ' ' .. now_text .. ' ' .. A[p + 8]
  local labels = A[p + (kind == 'i' and 9 or kind == 'r' and 10 or 11)]
  local text = layer .. '\n' .. row
  w.set[id] = text
  w.set['#' .. issue] = 'B' .. now_text .. ' ' .. fence .. ' ' .. lock_ms .. ' ' .. id .. ' ' .. labels .. '\t' .. branch .. '\n' .. ledger
  w.facts[w.f + 1], w.facts[w.f + 2], w.f = 'L ' .. score .. ' ' .. attempts, id .. '\n' .. layer, w.f + 2
  local l = w.lists
  l[#l + 1] = { 'ZADD', K.leases, expires, id }
  l[#l + 1] = { 'ZADD', K.outbox_due, 'LT', int(now + lock_ms), issue }
  l[#l + 1] = { 'ZREM', queue_of(score), id }
  call('SADD', K.process_holds .. agent, id)
  return 'leased', id, text, ledger, rows[2] or '', rows[3] or ''
end

-- Rows and facts, then lists, as in `apply`.
local function finish_claims(w, failed)
  append(w.facts, w.f)
  local set, s = { 'HSET', K.rows }, 2
  for name, text in pairs(w.set) do set[s + 1], set[s + 2], s = name, text, s + 2 end
  if s > 2 then call(unpack(set, 1, s)) end
  for _, gone in pairs(w.gone) do run(gone, #gone, failed) end
  for _, command in ipairs(w.lists) do run(command, #command, failed) end
  local opening, o = { 'ZREM', K.queue_opening }, 2
  for name in pairs(w.set) do
    o = o + 1
    opening[o] = name
  end
  if o > 2 then run(opening, o, failed) end
  local buckets, before = {}, {}
  for bucket, head in pairs(w.heads) do buckets[#buckets + 1], before[#buckets + 1] = bucket, head end
  move_heads(buckets, before)
end

-- Groups, each once; then the claims.
local function claim_all(A, p, corrupt, failed)
  local answers, groups = {}, tonumber(A[p])
  local w = {
    groups = {}, candidates = {}, gone = {}, heads = {}, set = {}, facts = {}, f = 5, lists = {}, corrupt = corrupt,
    quarantine = tonumber(meta.quarantine_until) or 0, maintenance = false }
  if groups == 0 then return answers end
  w.maintenance = call('GET', K.flags_maintenance) == 'true'
  for g = 1, groups do w.groups[g] = ranks_of(A[p + g]) end
  p = p + groups + 1
  local count = tonumber(A[p])
  p = p + 1
  for c = 1, count do
    local reply = { claim(A, p, w) }
    for n = 1, 6 do answers[6 * c - 6 + n] = reply[n] or '' end
    p = p + 12
  end
  finish_claims(w, failed)
  return answers
end

-- The step. Arguments: the test's clock in ms ('' for Redis' own), the generation the caller knows, the instant the
-- changes were decided at, how old that may be; then changes (see `apply`) and claims (see `claim`).
-- Reply: `ok`, the instant, the clock's offset, the number of facts before, the last place in line, the registry's
-- version; then lists: a word for each change, what failed, what was set aside, six values for each claim.
local function step(_, A)
  if not begin(A[1], A[2]) then return { 'generation' } end
  local place, seq, words, failed, corrupt = nil, meta.seq, {}, {}, {}
  if A[3] ~= '' and math.abs(now - A[3]) > tonumber(A[4]) then
    return { 'clock', now_text, meta.clock_offset, seq, meta.place, meta.registry_version }
  end
  local p = apply(A, 5, words, failed)
  meta.registry_version = call('HGET', K.meta, 'registry_version') or '0'
  local claims = claim_all(A, p, corrupt, failed)
  keep_meta()
  return { 'ok', now_text, meta.clock_offset, seq, meta.place, meta.registry_version, words, failed, corrupt, claims }
end
