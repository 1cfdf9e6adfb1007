-- Part of the library: tickets. All of them: clock, generation, then their own arguments.
-- Arguments: id, agent, data (without its closing brace), ms, and how many at most of the agent and in all ('' for
-- any). Reply: `ok`, `perAgent` or `all`.
local function create_ticket(A)
  local id, own, ms = A[3], K.tickets_agent .. A[4], tonumber(A[6])
  if A[7] ~= '' and call('SISMEMBER', K.tickets_index, id) == 0 then
    if call('SCARD', own) >= tonumber(A[7]) then
      for _, other in ipairs(call('SMEMBERS', own)) do
        local waits = call('SISMEMBER', K.tickets_index, other) == 1 and call('EXISTS', K.ticket_data .. other) == 1
        if not waits then call('SREM', own, other) end
      end
      if call('SCARD', own) >= tonumber(A[7]) then return { 'perAgent' } end
    end
    if call('SCARD', K.tickets_index) >= tonumber(A[8]) then return { 'all' } end
  end
  call('SADD', own, id)
  call('EXPIRE', own, int(math.max(TTL.tickets_agent, math.ceil(ms / 1000))))
  call('SET', K.ticket_data .. id, A[5] .. int(now + ms) .. '}', 'PX', int(ms))
  call('SADD', K.tickets_index, id)
  return { 'ok' }
end
-- Arguments: ids that a bulk read did not find. Those that are still without data leave the index and pending.
-- Reply: `ok` with the data of those that are there after all.
local function repair_tickets(A)
  local found = {}
  for n = 3, #A do
    local data = call('GET', K.ticket_data .. A[n])
    if data and tonumber(match(data, '(%d+)}$')) > now then found[#found + 1] = data
    else
      call('SREM', K.tickets_index, A[n])
      call('ZREM', K.tickets_pending, A[n])
    end
  end
  return { 'ok', found }
end
-- Arguments: limit, pending ms. Reply: `ok` with ids nobody is matching; they are pending from here on.
local function list_tickets(A)
  call('ZREMRANGEBYSCORE', K.tickets_pending, '-inf', now_text)
  local ids, pending = {}, {}
  for _, id in ipairs(call('ZRANGE', K.tickets_pending, '0', '-1')) do pending[id] = true end
  for _, id in ipairs(call('SMEMBERS', K.tickets_index)) do
    if #ids >= tonumber(A[3]) then break end
    if not pending[id] then
      ids[#ids + 1] = id
      call('ZADD', K.tickets_pending, int(now + A[4]), id)
    end
  end
  return { 'ok', ids }
end
