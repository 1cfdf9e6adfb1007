-- What instances share beside tasks: locks with an owner, and how they fare.

-- name: take
-- Arguments: name, owner, ttlMs. Takes the lock, or renews it for its owner. Reply: `ok` or `taken`.
local key = K.lock_process .. a.name
if call('GET', key) == a.owner then
  call('PEXPIRE', key, int(a.ttlMs))
  return reply('ok')
end
return reply(call('SET', key, a.owner, 'NX', 'PX', int(a.ttlMs)) and 'ok' or 'taken')

-- name: give
-- Arguments: name, owner. Only its owner removes a lock. Reply: `ok` or `taken`.
local key = K.lock_process .. a.name
if call('GET', key) ~= a.owner then return reply('taken') end
call('DEL', key)
return reply('ok')

-- name: listed
-- Arguments: ttlMs. Everything was listed into this generation, as long as this server answers. Reply: `ok`.
local server = call('HGET', K.meta, 'server') or ''
call('HSET', K.meta, 'listed', meta.generation .. ' ' .. server, 'listed_until', int(now + a.ttlMs))
return reply('ok')

-- name: metrics
-- Arguments: instance, cpu (share of one core, as text), memory (bytes), kept (entries of the history).
-- Reply: `ok`.
call('HSET', K.metrics_cpu, a.instance, '{"cpu":' .. a.cpu .. ',"at":' .. int(now) .. '}')
call('RPUSH', K.metrics_memory, '{"instance":' .. say(a.instance) .. ',"memory":' .. int(a.memory) .. ',"at":' .. int(now) .. '}')
call('LTRIM', K.metrics_memory, -a.kept, -1)
call('EXPIRE', K.metrics_cpu, TTL.temp_data)
call('EXPIRE', K.metrics_memory, TTL.temp_data)
return reply('ok')
