-- Says whether this is the data the caller knows. Lost, rolled back or restored, it begins a new generation, in which
-- nothing is handed out for one lease time except what can be proved free.
-- Arguments: known (the caller's generation, '' at its start), seen (the last
-- fact it saw), server (who answered it last, '' at its start), fresh (an id for a new generation), leaseMs, settleMs, home.
-- Reply: `ok` with the generation, the server that answered, the repository with short ids, the end of the quarantine and of settling.

local stream = call('EXISTS', K.facts) == 1 and call('XINFO', 'STREAM', K.facts) or {}
local last = 0
for n = 1, #stream, 2 do
  if stream[n] == 'last-generated-id' then last = tonumber(string.sub(stream[n + 1], 3)) end
end
local more = call('HMGET', K.meta, 'server', 'server_seq', 'settle_until', 'home', 'restored')
local server, server_seq, settle_until = more[1], tonumber(more[2]) or 0, tonumber(more[3]) or 0
local answers = string.match(call('INFO', 'server'), 'run_id:(%x+)') or ''

-- Numbers of facts go on from the highest that anybody saw.
local function mark()
  local seq = math.max(last, a.seen) + 1
  local body = '"type":"setting_changed","name":"generation","value":' .. text(meta.generation)
  call('XADD', K.facts, '0-' .. int(seq), 'at', int(now), 'body', '{' .. body .. '}', 'shift', '')
  facts[#facts + 1] = '{"seq":' .. int(seq) .. ',"at":' .. int(now) .. ',' .. body .. '}'
end

local function quarantine()
  put(meta, 'lost_at', now)
  put(meta, 'quarantine_until', now + a.leaseMs)
  mark()
end

if meta.generation == '' then
  put(meta, 'generation', a.fresh)
  put(meta, 'home', a.home)
  put(meta, 'server', answers)
  put(meta, 'server_seq', last)
  more[4] = a.home
  -- What is known to be lost is waited for; a first start has nothing to wait for.
  if a.known ~= '' then quarantine() end
elseif (more[5] or '') ~= '' then
  -- Put back from a backup: leases may live that were given after it was made.
  call('HDEL', K.meta, 'restored')
  put(meta, 'generation', a.fresh)
  put(meta, 'server', answers)
  put(meta, 'server_seq', last)
  quarantine()
else
  -- Another server answers, restarted or promoted: for a moment every instance says what it has seen.
  if server ~= answers then
    put(meta, 'server', answers)
    put(meta, 'server_seq', last)
    server_seq = last
    settle_until = now + a.settleMs
    put(meta, 'settle_until', settle_until)
  end
  local had = a.server == answers and last or server_seq
  if a.known == meta.generation and a.seen > had then
    put(meta, 'generation', a.fresh)
    quarantine()
  elseif a.known ~= '' and a.known ~= meta.generation then
    -- Somebody who knew nothing came first and took the loss for a first start.
    if meta.lost_at == '' then quarantine() elseif a.seen > last then mark() end
  end
end
return reply('ok', meta.generation, answers, more[4] or '', meta.quarantine_until, int(settle_until))
