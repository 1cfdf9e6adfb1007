-- Takes the lease away from whoever holds it: ready at its old place, no attempt counted.
-- Arguments: taskId, ledger.
-- Reply: `ok` or `conflict` with task and result, `not_found`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if t.state ~= 'leased' then
  -- Unlocked and not taken since: the caller asks again because it never heard.
  local again = t.state == 'ready' and outcome_of(t, t.fence) == 'unlocked'
  return reply(again and 'ok' or 'conflict', show_task(t))
end

local agent = t.lease_agent
end_attempt(t, 'unlocked')
shift(t, { state = 'ready', reason = '' })
fact('unlocked', t, ',"agentId":' .. text(agent) .. ',"fence":' .. t.fence)
tell(agent, 'requests')
want(load_issue(t.issue), a.ledger)
return reply('ok', show_task(t))
