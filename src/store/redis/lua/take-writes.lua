-- Outbox entries that are due, locked for whoever asked.
-- Arguments: limit, lockMs. Reply: `ok` with the entries as JSON.

local taken = {}
for _, id in ipairs(call('ZRANGEBYSCORE', K.outbox_due, '-inf', int(now), 'LIMIT', 0, a.limit)) do
  local entry = load_write(id)
  if entry then taken[#taken + 1] = lock_write(entry, now + a.lockMs) else call('ZREM', K.outbox_due, id) end
end
return reply('ok', taken)
