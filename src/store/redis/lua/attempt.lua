-- Part of a step: one pair of fields for each of the last leases, `attempt:<fence>` and `end:<fence>`.

local function attempts_of(t)
  local attempts, flat = {}, call('HGETALL', key_of[t])
  for n = 1, #flat, 2 do
    if string.sub(flat[n], 1, 8) == 'attempt:' then attempts[#attempts + 1] = decode(flat[n + 1]) end
  end
  return attempts
end

-- The oldest go when there are too many; core/history.ts says how many. `fences` names those that are kept.
local MOST_ATTEMPTS = 20
local function forget_attempts(t)
  local fences = {}
  for fence in string.gmatch(t.fences or '', '%S+') do fences[#fences + 1] = fence end
  fences[#fences + 1] = t.fence
  while #fences > MOST_ATTEMPTS do
    local fence = table.remove(fences, 1)
    call('HDEL', key_of[t], 'attempt:' .. fence, 'end:' .. fence, 'progress:' .. fence)
  end
  put(t, 'fences', table.concat(fences, ' '))
end

local function begin_attempt(t)
  forget_attempts(t)
  show(t, 'attempt:' .. t.fence, '{"agentId":' .. text(t.lease_agent) .. ',"fence":' .. t.fence
    .. ',"token":' .. text(t.lease_token) .. ',"branch":' .. say(t.branch) .. ',"startedAt":' .. int(now) .. '}')
end

-- The fingerprint of what the holder reported stands last: nothing in the note can imitate it there.
local function end_attempt(t, outcome, note, fingerprint)
  local tail = given(fingerprint) and ',"fingerprint":"' .. fingerprint .. '"}' or '}'
  show(t, 'end:' .. t.fence, outcome .. ' {"endedAt":' .. int(now) .. ',"note":' .. say(note) .. tail)
end

local function outcome_of(t, fence)
  local ended = shown(t, 'end:' .. fence)
  return ended and string.match(ended, '^%a+') or ''
end

-- How the lease with this token ended; the newest, should a caller have used a token twice.
local function end_by_token(t, token)
  local newest = 0
  for _, attempt in ipairs(attempts_of(t)) do
    if attempt.token == token and attempt.fence > newest then newest = attempt.fence end
  end
  return newest > 0 and shown(t, 'end:' .. int(newest)) or ''
end
