-- Part of a step: one pair of fields for each lease ever given, `attempt:<fence>` and `end:<fence>`.

local function begin_attempt(t)
  put(t, 'attempt:' .. t.fence, '{"agentId":' .. text(t.lease_agent) .. ',"fence":' .. t.fence
    .. ',"token":' .. text(t.lease_token) .. ',"branch":' .. say(t.branch) .. ',"startedAt":' .. int(now) .. '}')
end

local function end_attempt(t, outcome, note)
  put(t, 'end:' .. t.fence, outcome .. ' {"endedAt":' .. int(now) .. ',"note":' .. say(note) .. '}')
end

local function outcome_of(t, fence)
  local ended = t['end:' .. fence]
  return ended and string.match(ended, '^%a+') or ''
end

-- How the lease with this token ended; the newest, should a caller have used a token twice.
local function outcome_by_token(t, token)
  local newest = 0
  for name, value in pairs(t) do
    if type(name) == 'string' and string.sub(name, 1, 8) == 'attempt:' then
      local attempt = cjson.decode(value)
      if attempt.token == token and attempt.fence > newest then newest = attempt.fence end
    end
  end
  return newest > 0 and outcome_of(t, int(newest)) or ''
end
