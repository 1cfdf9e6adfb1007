-- Gives a live lease back: ready at its old place, no attempt counted.
-- Arguments: taskId, token, agentId, fingerprint, reason, ledger, unheardBy (only while the lease is this
-- request's and was not answered).
-- Reply: `ok` with task and result, `lease_lost`, `not_found`, `forbidden`. Repeated with the same token and
-- fingerprint: the same; with another fingerprint: `conflict`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if not live(t) or t.lease_token ~= a.token then
  return answer_again(t, 'released', a)
end
if foreign(t, a) then return reply('forbidden') end

if given(a.unheardBy) and (t.lease_request ~= a.unheardBy or answered(t)) then return reply('lease_lost') end

local agent = t.lease_agent
end_attempt(t, 'released', a.reason, a.fingerprint)
shift(t, { state = 'ready', reason = '' })
touch(agent)
fact('released', t, ',"agentId":' .. text(agent) .. ',"fence":' .. t.fence .. ',"reason":' .. say(a.reason))
tell(agent, 'responses')
want(load_issue(t.issue), a.ledger)
return reply('ok', show_task(t))
