-- Undoes the lease with this fence because the forge will never accept its writes; the task is held.
-- Arguments: taskId, fence (as text), reason, heldReason, holdMs, ledger.
-- Reply: `ok` with task and result, `lease_lost`, `not_found`. Repeated with the same fence: the same.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if not live(t) or t.fence ~= a.fence then
  if outcome_of(t, a.fence) == 'refused' then return reply('ok', show_task(t)) end
  return reply('lease_lost')
end

local agent = t.lease_agent
end_attempt(t, 'refused', a.reason)
shift(t, { state = 'held', reason = a.heldReason, ready_at = now + a.holdMs })
fact('refused', t, ',"agentId":' .. text(agent) .. ',"fence":' .. t.fence .. ',"reason":' .. say(a.heldReason))
tell(agent, 'requests')
want(load_issue(t.issue), a.ledger)
return reply('ok', show_task(t))
