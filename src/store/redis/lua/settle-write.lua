-- Records what became of a ledger write. A later step may have touched the entry meanwhile: it stays due.
-- Arguments: id, version, outcome, labels, delayMs, error. Reply: `ok`.

local entry = load_write(a.id)
if not entry then return reply('ok') end
local current = entry.version == a.version
local written = a.outcome == 'written' and given(a.labels)

-- A late word on a version that nobody holds any more. Its labels may still have reached the issue, so
-- that a later write must know to take them off.
if not current and entry.locked_version ~= a.version then
  if written then
    local i = load_issue(entry.issue)
    join_written(i, list(a.labels))
    put(i, 'written_at', now)
  end
  return reply('ok')
end

local place = ',"repository":' .. text(entry.repository) .. ',"number":' .. int(entry.number)
if written then
  local i = load_issue(entry.issue)
  if i.issue ~= '' then
    put(i, 'written', list(a.labels))
    put(i, 'written_at', now)
    fact('ledger_written', nil, place .. ',"labels":' .. list(a.labels))
  end
elseif a.outcome ~= 'written' then
  local final = current and a.outcome == 'refused'
  fact('ledger_failed', nil, place .. ',"error":' .. say(a.error) .. ',"final":' .. tostring(final))
end

if not current then
  entry.locked_version = nil
  save_write(entry, now)
elseif a.outcome == 'retry' then
  entry.attempts, entry.error, entry.locked_version = entry.attempts + 1, a.error, nil
  save_write(entry, now + a.delayMs)
  call('SADD', K.outbox_failing, a.id)
else
  drop_write(a.id)
end
return reply('ok')
