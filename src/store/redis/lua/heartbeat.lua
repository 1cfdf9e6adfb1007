-- Renews a live lease and keeps the last progress notes.
-- Arguments: taskId, token, agentId, progress, notesKept.
-- Reply: `ok` with the new deadline, `lease_lost`, `not_found`, `forbidden`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if not live(t) or t.lease_token ~= a.token then return reply('lease_lost') end
if foreign(t, a) then return reply('forbidden') end

local seconds, before = tonumber(t.lease_seconds), tonumber(t.lease_expires_at)
put(t, 'lease_expires_at', now + seconds * 1000)
put(t, 'updated_at', now)
-- Whoever has the token was told of the lease.
put(t, 'answered', t.fence)
zadd(K.leases, t.lease_expires_at, t.id)
local owner = call('GET', lock_key(t))
if not owner or owner == lock_value(t) then
  call('SET', lock_key(t), lock_value(t), 'PX', int(seconds * 1000))
end

-- A note that repeats the last one is the same call again, not news.
local news = false
if given(a.progress) then
  local field = 'progress:' .. t.fence
  local known = shown(t, field)
  local notes = known and decode(known) or {}
  if notes[#notes] ~= a.progress then
    news = true
    notes[#notes + 1] = a.progress
    if #notes > a.notesKept then table.remove(notes, 1) end
    show(t, field, list(notes))
  end
end
touch(t.lease_agent)
-- As `recordsRenewal` in core/history.ts says.
local function quarter_of(at) return floor((at - tonumber(t.leased_at)) / (seconds * 250)) end
if news or quarter_of(now) ~= quarter_of(before - seconds * 1000) then
  fact('renewed', t, ',"agentId":' .. text(t.lease_agent) .. ',"fence":' .. t.fence .. ',"expiresAt":'
    .. t.lease_expires_at .. ',"progress":' .. (news and say(a.progress) or 'null'), not news)
  tell(t.lease_agent, 'responses')
end
return reply('ok', t.lease_expires_at)
