-- Whatever time brings about: leases that lapsed, tasks that are due, reservations that end.
-- Arguments: limit, maxAttempts, ledger and deadLedger by kind, activeMs.
-- Reply: `ok` with how many expired, were promoted, were opened, when something falls due next ('' never), and
-- what was set aside as corrupt.

local function due(key)
  return call('ZRANGEBYSCORE', key, '-inf', int(now), 'LIMIT', 0, a.limit)
end
local function first_at(key)
  local head = call('ZRANGE', key, 0, 0, 'WITHSCORES')
  return head[2] and tonumber(head[2]) or nil
end

local function expire(t)
  local agent, attempt = t.lease_agent, tonumber(t.attempts) + 1
  local dead = attempt >= a.maxAttempts
  end_attempt(t, 'expired')
  shift(t, {
    state = dead and 'dead' or 'ready', reason = dead and 'expired' or '', attempts = attempt,
    ended_at = dead and now or '' })
  lapse(agent)
  fact('expired', t, ',"agentId":' .. text(agent) .. ',"fence":' .. t.fence .. ',"attempt":' .. int(attempt))
  tell(agent, 'requests')
  if dead then bury(t, 'expired', a.deadLedger[t.kind]) else want(load_issue(t.issue), a.ledger[t.kind]) end
end

local corrupt = {}
-- An entry whose task is gone, or is in another state, is set aside rather than lost.
local function each(name, key, state, act)
  local ids = due(key)
  for _, id in ipairs(ids) do
    local t = load_task(id)
    if t and t.state == state then act(t)
    else
      zrem(key, id)
      call('HSET', K.queue_corrupt, id, name .. ' at ' .. int(now))
      corrupt[#corrupt + 1] = id
    end
  end
  return #ids
end

local expired = each('leases', K.leases, 'leased', expire)
local promoted = each('delayed', K.queue_delayed, 'delayed', function(t)
  shift(t, { state = 'ready', reason = '' })
  fact('ready', t, ',"reason":null')
end)
local opened = each('opening', K.queue_opening, 'ready', function(t)
  unfile(t)
  enter(t)
  put(t, 'updated_at', now)
  fact('ready', t, ',"reason":"opened"')
end)

settle_all()
call('ZREMRANGEBYSCORE', K.processes_active, '-inf', '(' .. int(now - a.activeMs))
local next_due
for _, key in ipairs({ K.leases, K.queue_delayed, K.queue_opening }) do
  local at = first_at(key)
  if at and (not next_due or at < next_due) then next_due = at end
end
return reply('ok', expired, promoted, opened, next_due and int(next_due) or '', corrupt)
