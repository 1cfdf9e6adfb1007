-- Part of a step: how a plan meets the task it finds. The table of `TaskPlan` in core/store.ts, row by row.

local function turn_held(w, ready_at, timed)
  return { state = 'held', reason = w.reason, ready_at = given(w.graceMs) and now + w.graceMs or ready_at, timed = timed }
end

-- Nil: such a task is not made.
local function from_nothing(w)
  if w.state == 'cancelled' then return nil end
  if w.state == 'held' then return turn_held(w, '', '') end
  if w.state == 'delayed' and w.delayMs > 0 then
    return { state = 'delayed', reason = w.reason, ready_at = now + w.delayMs, timed = '' }
  end
  return { state = 'ready', reason = '', ready_at = '', timed = '' }
end

-- An instant that outlived the hold is kept; a delay from acceptance that ends later counts too.
local function lift(t, w, refused)
  local kept = tonumber(t.ready_at) or 0
  if kept > now and string.sub(t.reason, 1, #refused) == refused then return nil end
  local planned = 0
  if w.state == 'delayed' and t.timed ~= '1' then planned = tonumber(t.created_at) + w.delayMs end
  if math.max(kept, planned) <= now then
    return { state = 'ready', reason = '', ready_at = t.ready_at, timed = t.timed }
  end
  if w.state == 'delayed' and planned >= kept then
    return { state = 'delayed', reason = w.reason, ready_at = planned, timed = '' }
  end
  return { state = 'delayed', reason = 'retry', ready_at = kept, timed = '1' }
end

local function delay_anew(t, w)
  local ready_at = tonumber(t.created_at) + w.delayMs
  if ready_at <= now then
    if t.state == 'ready' then return nil end
    return { state = 'ready', reason = '', ready_at = ready_at, timed = '' }
  end
  if t.state == 'delayed' and tonumber(t.ready_at) == ready_at and t.reason == w.reason then return nil end
  return { state = 'delayed', reason = w.reason, ready_at = ready_at, timed = '' }
end

-- Nil: it stays as it is. 'cancel': it is cancelled. Otherwise what it turns into.
local function plan_meets(t, w, reopened, refused)
  if t.state == 'cancelled' then return reopened and from_nothing(w) or nil end
  if t.state == 'done' then return nil end
  if w.state == 'cancelled' then return 'cancel' end
  if t.state == 'leased' or t.state == 'dead' then return nil end
  if w.state == 'held' then
    if t.state == 'held' and t.reason == w.reason then return nil end
    return turn_held(w, t.ready_at, t.timed)
  end
  if t.state == 'held' then return lift(t, w, refused) end
  if w.state == 'ready' or t.timed == '1' then return nil end
  return delay_anew(t, w)
end
