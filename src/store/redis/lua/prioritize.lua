-- An operator's priority: no plan changes it any more. A ready task moves in line, its age stays.
-- Arguments: taskId, priority.
-- Reply: `ok` or `conflict` with task and result, `not_found`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if t.state == 'done' or t.state == 'cancelled' then return reply('conflict', show_task(t)) end
if t.pinned ~= '1' or tonumber(t.priority) ~= a.priority then
  put(t, 'pinned', '1')
  reprioritize(t, a.priority, open_if_due)
end
return reply('ok', show_task(t))
