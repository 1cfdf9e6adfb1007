-- Says whether this is the data the caller knows. Lost, rolled back or restored, it begins a new generation,
-- in which nothing is handed out for one lease time except what can be proved free.
-- Arguments: the test's clock; known (the caller's generation, '' at its start), seen (the last fact it saw), server
-- (who answered it last, '' at its start), fresh (an id for a new generation), lease ms, settle ms, home, format, the
-- highest fence that the caller has seen: a loss may take it, and the clock it was made from, from everybody else.
-- Reply: `ok` with the generation, the server that answers, the repository with short ids, the end of the quarantine,
-- the instant and the clock's offset; `format` where another version of Banto wrote the data.
local function attach(A)
  local known, seen, fresh = A[2], tonumber(A[3]), A[5]
  local more = call('HMGET', K.meta, 'server', 'server_seq', 'home', 'format', 'restored')
  local last, server_seq = tonumber(meta.seq) or 0, tonumber(more[2]) or 0
  local answers = match(call('INFO', 'server'), 'run_id:(%x+)') or ''
  if meta.generation ~= '' and more[4] ~= A[9] then return { 'format' } end
  if tonumber(A[10]) > (tonumber(meta.fence_floor) or 0) then call('HSET', K.meta, 'fence_floor', A[10]) end
  -- Numbers of facts go on from the highest that anybody saw.
  local function mark()
    meta.seq = int(math.max(last, seen))
    append({ 'XADD', K.facts, '', 'at', '', '', '{"type":"setting_changed","name":"generation","value":"' .. meta.generation .. '"}' }, 1, 7)
  end
  local function quarantine()
    meta.quarantine_until = int(now + A[6])
    call('HSET', K.meta, 'lost_at', now_text, 'quarantine_until', meta.quarantine_until)
    mark()
  end
  local function renew()
    meta.generation = fresh
    call('HSET', K.meta, 'generation', fresh)
  end
  if meta.generation == '' then
    renew()
    call('HSET', K.meta, 'home', A[8], 'server', answers, 'server_seq', int(last), 'format', A[9], 'filing', '1', 'registry_version', '1')
    more[3] = A[8]
    -- What is known to be lost is waited for; a first start has nothing to wait for.
    if known ~= '' then quarantine() end
  elseif more[5] then
    -- Put back from a backup: leases may live that were given after it was made.
    call('HDEL', K.meta, 'restored')
    call('HSET', K.meta, 'server', answers, 'server_seq', int(last))
    renew()
    quarantine()
  else
    -- Another server answers, restarted or promoted: for a moment every instance says what it has seen.
    if more[1] ~= answers then
      server_seq = last
      call('HSET', K.meta, 'server', answers, 'server_seq', int(last), 'settle_until', int(now + A[7]))
    end
    local had = A[4] == answers and last or server_seq
    if known == meta.generation and seen > had then
      renew()
      quarantine()
    elseif known ~= '' and known ~= meta.generation then
      -- Somebody who knew nothing came first and took the loss for a first start.
      if meta.lost_at == '' then quarantine() elseif seen > last then mark() end
    end
  end
  keep_meta()
  return { 'ok', meta.generation, answers, more[3] or '', meta.quarantine_until, now_text, meta.clock_offset }
end
