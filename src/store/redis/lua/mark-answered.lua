-- The answer with this lease was sent.
-- Arguments: taskId, token. Reply: `ok`, also where the lease has ended.

local t = load_task(a.taskId)
if t and t.state == 'leased' and t.lease_token == a.token then put(t, 'answered', t.fence) end
return reply('ok')
