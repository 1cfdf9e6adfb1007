-- Ends a task that nobody shall do, and its lease with it.
-- Arguments: taskId, reason, ledger.
-- Reply: `ok` or `conflict` with task and result, `not_found`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if t.state == 'done' or t.state == 'cancelled' then
  local again = t.state == 'cancelled' and t.reason == a.reason
  return reply(again and 'ok' or 'conflict', show_task(t))
end
cancel_task(t, a.reason)
want(load_issue(t.issue), a.ledger)
return reply('ok', show_task(t))
