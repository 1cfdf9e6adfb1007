-- Part of a step: cancels a task, as an operator (cancel) and a closed issue (mirror) do.

local function cancel_task(t, reason)
  local agent, fence = t.lease_agent, t.fence
  if t.state == 'leased' then end_attempt(t, 'cancelled', reason) else fence = '' end
  shift(t, { state = 'cancelled', reason = reason, ended_at = now })
  fact('cancelled', t, ',"reason":' .. say(reason) .. ',"agentId":' .. text(agent) .. ',"fence":' .. number(fence))
  if agent ~= '' then tell(agent, 'requests') end
end
