-- Gives a live lease back: ready at its old place, no attempt counted.
-- Arguments: taskId, token, agentId, reason, ledger.
-- Reply: `ok` with task and result, `lease_lost`, `not_found`, `forbidden`. Repeated with the same token: the same.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if not live(t) or t.lease_token ~= a.token then
  if outcome_by_token(t, a.token) == 'released' then return reply('ok', show_task(t)) end
  return reply('lease_lost')
end
if foreign(t, a) then return reply('forbidden') end

local agent = t.lease_agent
end_attempt(t, 'released', a.reason)
shift(t, { state = 'ready', reason = '' })
touch(agent)
fact('released', t, ',"agentId":' .. text(agent) .. ',"fence":' .. t.fence .. ',"reason":' .. say(a.reason))
tell(agent, 'responses')
want(load_issue(t.issue), a.ledger)
return reply('ok', show_task(t))
