-- Ends a live lease with a failure: an attempt is counted; back in line after a delay, or dead.
-- Arguments: taskId, token, agentId, fingerprint, reason, delaysMs (one for each attempt that may
-- be retried; none: dead), ledger, deadLedger.
-- Reply: `ok` with task and result, `lease_lost`, `not_found`, `forbidden`. Repeated with the same token and
-- fingerprint: the same; with another fingerprint: `conflict`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if not live(t) or t.lease_token ~= a.token then
  return answer_again(t, 'failed', a)
end
if foreign(t, a) then return reply('forbidden') end

local agent, leased_at = t.lease_agent, tonumber(t.leased_at)
local attempt = tonumber(t.attempts) + 1
local delay = a.delaysMs[attempt]
local state = not delay and 'dead' or delay > 0 and 'delayed' or 'ready'
local ready_at = delay and now + delay or ''
local reasons = { dead = a.reason, delayed = 'retry', ready = '' }
end_attempt(t, 'failed', a.reason, a.fingerprint)
-- It joins the queue again at the end, when it becomes ready.
shift(t, {
  state = state, reason = reasons[state], attempts = attempt, ready_at = ready_at, timed = '1',
  enqueued_at = '', ended_at = state == 'dead' and now or '' })
touch(agent)
fact('failed', t, ',"agentId":' .. text(agent) .. ',"fence":' .. t.fence .. ',"reason":' .. say(a.reason)
  .. ',"attempt":' .. int(attempt) .. ',"readyAt":' .. number(ready_at) .. ',"workedMs":' .. int(now - leased_at))
tell(agent, 'responses')
if state == 'dead' then bury(t, a.reason, a.deadLedger) else want(load_issue(t.issue), a.ledger) end
return reply('ok', show_task(t))
