-- Takes the oldest task of the first group of buckets that has one, with the lease in the same step.
-- Arguments: agentId, capabilities (JSON), requestId, token, seconds, version,
-- ledger by kind, lockMs, fenceFloor; groups the groups of bucket numbers, `1,2|7`.
-- Reply: `leased` or `unfinished` as hand-out.lua has it;
-- `none` with what was set aside as corrupt, `stale`, `maintenance`, `quarantine` with its end.

introduce(a.agentId, a.capabilities)

-- What the agent holds is looked at before everything that stops hand-out.
local held = held_by(a.agentId)
for _, t in ipairs(held) do
  if given(a.requestId) and t.lease_request == a.requestId then return hand_out('leased', t, 1, a.lockMs) end
end
if held[1] then return hand_out('unfinished', held[1], 0, nil) end
if maintenance == nil then maintenance = call('GET', K.flags_maintenance) == 'true' end
if maintenance then return reply('maintenance') end
if (tonumber(meta.registry_version) or 0) ~= a.version then return reply('stale') end

local quarantine, settling = tonumber(meta.quarantine_until) or 0, tonumber(meta.settle_until) or 0
if settling > now then return reply('quarantine', int(math.max(quarantine, settling))) end
local corrupt, passed, tries = {}, {}, 0

-- After data was lost a task may be leased without our knowing, unless its issue is younger than the loss.
local function proved_free(t)
  return quarantine <= now or tonumber(t.born_at) >= tonumber(meta.lost_at)
end

local function set_aside(bucket, id)
  heads[bucket] = nil
  zrem(K.queue_bucket .. bucket, id)
  for _, queue in ipairs({ K.queue_high, K.queue_normal, K.queue_low }) do zrem(queue, id) end
  accept_staged()
  call('HSET', K.queue_corrupt, id, 'bucket ' .. bucket .. ' at ' .. int(now))
  corrupt[#corrupt + 1] = id
end

local function take(t)
  local first = t.fence == '0'
  put(t, 'fence', math.max(tonumber(t.fence) + 1, micros, a.fenceFloor + 1))
  local seconds, request = a.seconds, a.requestId
  shift(t, {
    state = 'leased', reason = '', lease_agent = a.agentId, lease_token = a.token, lease_seconds = seconds,
    leased_at = now, lease_expires_at = now + seconds * 1000, lease_request = request })
  begin_attempt(t)
  fact('leased', t, ',"agentId":' .. text(a.agentId) .. ',"fence":' .. t.fence .. ',"expiresAt":'
    .. t.lease_expires_at .. ',"attempt":' .. int(tonumber(t.attempts) + 1) .. ',"requestId":' .. text(request)
    .. ',"waitedMs":' .. int(math.max(0, now - tonumber(t.enqueued_at))))
  tell(a.agentId, 'requests')
  load_writes({ 'branch:' .. t.id, labels_id(t) })
  if t.kind ~= 'review' then write_branch(t) end
  want(load_issue(t.issue), a.ledger[t.kind], t)
  return hand_out('leased', t, 0, a.lockMs, corrupt, first)
end

-- Groups that a claim of this batch found empty stay so until a task is filed.
local order = groups_of(groups)
for g = (empty_groups[groups] or 0) + 1, #order do
  local group = order[g]
  local id, bucket = best_head(group, passed)
  if not id and g == (empty_groups[groups] or 0) + 1 then empty_groups[groups] = g end
  while id and tries < 500 do
    tries = tries + 1
    local t = load_task(id)
    if not t or t.state ~= 'ready' or t.bucket ~= bucket then
      set_aside(bucket, id)
    elseif not proved_free(t)
      or not call('SET', lock_key(t), a.agentId .. ' ' .. a.token, 'NX', 'PX', int(a.seconds * 1000)) then
      passed[bucket] = (passed[bucket] or 0) + 1
    else
      return take(t)
    end
    id, bucket = best_head(group, passed)
  end
end
if quarantine > now then return reply('quarantine', int(quarantine)) end
return reply('none', corrupt)
