-- Puts a task in line again, with its attempts counted from 0.
-- Arguments: taskId, delayMs, ledger, refusedPrefix.
-- Reply: `ok` or `conflict` with task and result, `not_found`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end

local function allowed()
  if t.state == 'held' then return string.sub(t.reason, 1, #a.refusedPrefix) == a.refusedPrefix end
  if t.state == 'cancelled' then return load_issue(t.issue).open == 'open' end
  return t.state == 'dead' or t.state == 'delayed' or t.state == 'ready'
end
if not allowed() then return reply('conflict', show_task(t)) end
-- As asked already: the caller asks again because it never heard, and must not lose its place.
if t.state == 'ready' and t.attempts == '0' and a.delayMs <= 0 then return reply('ok', show_task(t)) end

local later = a.delayMs > 0
local ready_at = later and now + a.delayMs or ''
shift(t, {
  state = later and 'delayed' or 'ready', reason = later and 'requeued' or '', attempts = 0,
  ready_at = ready_at, timed = '1', enqueued_at = '', ended_at = '' })
fact('requeued', t, ',"readyAt":' .. number(ready_at))
want(load_issue(t.issue), a.ledger)
return reply('ok', show_task(t))
