-- Tickets of seed 002: data that expires, an index that does not, repaired by bulk reads.
-- The document's lock around listing and de-indexing is the script itself: Redis runs one at a time.

-- name: create
-- Arguments: id, agent, data (JSON), ttlMs, most (`all` and `perAgent`, or null). Reply: `ok`, or the limit that
-- is reached. What an agent waits with is looked at only where its limit may be reached: it is tidied up then.
local own = K.tickets_agent .. a.agent
if given(a.most) and call('SISMEMBER', K.tickets_index, a.id) == 0 then
  if call('SCARD', own) >= a.most.perAgent then
    for _, id in ipairs(call('SMEMBERS', own)) do
      local waits = call('SISMEMBER', K.tickets_index, id) == 1 and call('EXISTS', K.ticket_data .. id) == 1
      if not waits then call('SREM', own, id) end
    end
    if call('SCARD', own) >= a.most.perAgent then return reply('perAgent') end
  end
  if call('SCARD', K.tickets_index) >= a.most.all then return reply('all') end
end
call('SADD', own, a.id)
call('EXPIRE', own, int(math.max(TTL.tickets_agent, math.ceil(a.ttlMs / 1000))))
call('SET', K.ticket_data .. a.id, string.sub(a.data, 1, -2) .. ',"expiresAt":' .. int(now + a.ttlMs) .. '}', 'PX', int(a.ttlMs))
call('SADD', K.tickets_index, a.id)
return reply('ok')

-- name: repair
-- Arguments: ids that a bulk read did not find. Those that are still without data leave the index and
-- pending. Reply: `ok` with the data of those that are there after all.
local found = {}
for _, id in ipairs(a.ids) do
  local data = call('GET', K.ticket_data .. id)
  if data and cjson.decode(data).expiresAt > now then
    found[#found + 1] = data
  else
    call('SREM', K.tickets_index, id)
    call('ZREM', K.tickets_pending, id)
  end
end
return reply('ok', found)

-- name: listActive
-- Arguments: limit, pendingMs. Reply: `ok` with ids nobody is matching; they are pending from here on.
call('ZREMRANGEBYSCORE', K.tickets_pending, '-inf', int(now))
local ids, pending = {}, {}
for _, id in ipairs(call('ZRANGE', K.tickets_pending, 0, -1)) do pending[id] = true end
for _, id in ipairs(call('SMEMBERS', K.tickets_index)) do
  if #ids >= a.limit then break end
  if not pending[id] then ids[#ids + 1] = id end
end
for _, id in ipairs(ids) do call('ZADD', K.tickets_pending, int(now + a.pendingMs), id) end
return reply('ok', ids)

-- name: assign
-- Arguments: ids that were given work: they leave the index for good. Reply: `ok`.
for _, id in ipairs(a.ids) do
  call('SREM', K.tickets_index, id)
  call('ZREM', K.tickets_pending, id)
end
return reply('ok')

-- name: release
-- Arguments: ids that may be listed again. Reply: `ok`.
for _, id in ipairs(a.ids) do call('ZREM', K.tickets_pending, id) end
return reply('ok')

-- name: delete
-- Arguments: id. Reply: `ok`.
call('DEL', K.ticket_data .. a.id)
call('SREM', K.tickets_index, a.id)
call('ZREM', K.tickets_pending, a.id)
return reply('ok')
