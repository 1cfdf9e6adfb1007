-- How fast instances speak to one forge, counted for all of them together: the bucket, the quotas, what the forge
-- said about its limits, what is under way. One step does what is given: it takes in what was heard, takes a place,
-- lets a request leave.
-- Arguments: forge (who they are to it, hashed), limits (see `core/pace.ts`); turnMs, flightMs, againMs, sameMs;
-- landed (ids), blockedMs, heard (a list of `of`, `limit`, `remaining`, `resetMs`); for a place `line` and
-- `mostWaitMs` (null: any); for a request `id` and `as`.
-- Reply: `ok`, or why not (`blocked`, `core`, `graphql`, `pace`, `turn`); the wait in ms; how long the block still
-- lasts; limit, remaining and ms to the reset of the core budget ('' while it has said nothing).

local MINUTE, HOUR = 60000, 3600000
local state, flying = K.pace_state .. a.forge, K.pace_flying .. a.forge
local limits = a.limits
local s, changed = {}, {}
do
  local flat = call('HGETALL', state)
  for i = 1, #flat, 2 do s[flat[i]] = flat[i + 1] end
end
local function known(name) return tonumber(s[name]) or 0 end
local function set(name, value)
  s[name] = value
  changed[#changed + 1] = name
  changed[#changed + 1] = type(value) == 'number' and string.format('%.3f', value) or value
end
local function block(until_at)
  if until_at > known('blocked_until') then set('blocked_until', until_at) end
end

-- What was sent before data was lost nobody knows any more: after a minute of silence it does not matter.
local data = call('HMGET', K.meta, 'generation', 'lost_at')
if s.generation ~= data[1] then
  set('generation', data[1] or '')
  local lost_at = tonumber(data[2] or '')
  if lost_at then block(lost_at + MINUTE) end
end

-- Answers overtake each other: within one hour the lowest figure is the newest.
local function hear(said)
  local limit, remaining, reset_at = said.limit, said.remaining, now + said.resetMs
  local before = known(said.of .. '_reset_at')
  if before > now and known(said.of .. '_limit') == limit then
    local later = reset_at - before
    if later < -a.sameMs then return end
    if later <= a.sameMs then
      remaining = math.min(remaining, known(said.of .. '_remaining'))
      reset_at = math.max(reset_at, before)
    end
  end
  set(said.of .. '_limit', limit)
  set(said.of .. '_remaining', remaining)
  set(said.of .. '_reset_at', reset_at)
end

call('ZREMRANGEBYSCORE', flying, '-inf', int(now - a.flightMs))
for _, id in ipairs(a.landed) do
  for _, as in ipairs({ 'read ', 'write ', 'graphql ' }) do call('ZREM', flying, as .. id) end
end
if a.blockedMs > 0 then block(now + a.blockedMs) end
for _, said in ipairs(a.heard) do hear(said) end

local out = { read = 0, write = 0, graphql = 0, all = 0, writing = 0 }
if given(a.line) or given(a.id) then
  local flights = call('ZRANGE', flying, 0, -1, 'WITHSCORES')
  for i = 1, #flights, 2 do
    local as = string.match(flights[i], '^%a+')
    out[as] = out[as] + 1
    out.all = out.all + 1
    if as ~= 'read' and tonumber(flights[i + 1]) > now - a.turnMs then out.writing = out.writing + 1 end
  end
end

local function used_up(of, under_way, reserve)
  local reset_at = known(of .. '_reset_at')
  if reset_at <= now then return nil end
  if known(of .. '_remaining') - under_way > math.floor(known(of .. '_limit') * reserve) then return nil end
  return reset_at - now
end

local function shut(as)
  local blocked = known('blocked_until') - now
  if blocked > 0 then return 'blocked', blocked end
  local wait = used_up('core', out.read + out.write, as == 'read' and limits.readReserve or 0)
  if wait then return 'core', wait end
  wait = as == 'graphql' and used_up('graphql', out.graphql, 0)
  if wait then return 'graphql', wait end
end

-- So many at once, then a steady rate; places are given out in advance.
local function take_rate(line, most)
  local rate = limits[line]
  local every = MINUTE / rate.perMinute
  local after = math.max(known(line .. '_full_at'), now) + every
  local wait = math.ceil(math.max(0, after - rate.burst * every - now))
  if wait > most then return 'pace', wait end
  set(line .. '_full_at', after)
  return 'ok', wait
end

-- So many in any minute and any hour.
local function take_quota(key, quota, most)
  local kept = given(quota.perHour) and HOUR or MINUTE
  call('ZREMRANGEBYSCORE', key, '-inf', '(' .. int(now - kept))
  local function free_in(count, window)
    local oldest = call('ZRANGE', key, -count, -count, 'WITHSCORES')[2]
    return oldest and math.max(0, tonumber(oldest) + window - now) or 0
  end
  local wait = free_in(quota.perMinute, MINUTE)
  if given(quota.perHour) then wait = math.max(wait, free_in(quota.perHour, HOUR)) end
  if wait > most then return 'pace', wait end
  set('places', known('places') + 1)
  call('ZADD', key, int(now + wait), int(now) .. ' ' .. int(known('places')))
  call('EXPIRE', key, TTL.pace)
  return 'ok', wait
end

local function leave()
  local member = a.as .. ' ' .. a.id
  if call('ZSCORE', flying, member) then return 'ok', 0 end
  local reason, wait = shut(a.as)
  if reason then return reason, wait end
  if out.all >= limits.atOnce or (a.as ~= 'read' and out.writing >= limits.writesAtOnce) then
    return 'turn', a.againMs
  end
  if a.as ~= 'read' then
    reason, wait = take_quota(K.pace_sent .. a.forge, limits.sent, 0)
    if reason ~= 'ok' then return reason, wait end
  end
  call('ZADD', flying, int(now), member)
  call('EXPIRE', flying, TTL.pace)
  return 'ok', 0
end

local function take()
  local reason, wait = shut(a.line == 'reads' and 'read' or 'write')
  if reason then return reason, wait end
  local most = given(a.mostWaitMs) and a.mostWaitMs or math.huge
  if a.line == 'content' then return take_quota(K.pace_content .. a.forge, limits.content, most) end
  return take_rate(a.line, most)
end

local word, wait = 'ok', 0
if given(a.line) then word, wait = take() elseif given(a.id) then word, wait = leave() end

local blocked = math.max(0, known('blocked_until') - now)
if #changed > 0 then
  call('HSET', state, unpack(changed))
  call('EXPIRE', state, int(math.max(TTL.pace, math.ceil(blocked / 1000) + 60)))
end
local reset_at = known('core_reset_at')
if reset_at == 0 then return reply(word, int(math.ceil(wait)), int(math.ceil(blocked)), '', '', '') end
local left = reset_at > now and known('core_remaining') or known('core_limit')
return reply(word, int(math.ceil(wait)), int(math.ceil(blocked)),
  int(known('core_limit')), int(left), int(math.max(0, math.ceil(reset_at - now))))
