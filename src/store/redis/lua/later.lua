-- Part of every step: what is written once for a whole batch.

-- Lists that steps change far more often than they look at them are changed when the batch ends, each by
-- one command for all its verbs. `value` false takes the member out; the last word on a member counts.
-- Staged is what the verb that runs now has changed: one that fails leaves nothing of it.
local staged, staged_count, pending
local function later(add, remove, key, member, value)
  local list, n = pending[key], staged_count
  if not list then
    list = { add = add, remove = remove, values = {} }
    pending[key] = list
  end
  staged[n + 1], staged[n + 2], staged[n + 3] = list, member, value
  staged_count = n + 3
end
local function zadd(key, score, member) later('ZADD', 'ZREM', key, member, score) end
local function zrem(key, member) later('ZADD', 'ZREM', key, member, false) end

local function accept_staged()
  for n = 1, staged_count, 3 do staged[n].values[staged[n + 1]] = staged[n + 2] end
  staged_count = 0
end

-- One command for many; Lua can pass on a few thousand values at most.
local add, remove = {}, {}
local function settle(key)
  local list = pending[key]
  if not list or not next(list.values) then return end
  local values = list.values
  list.values = {}
  local scored, flat = list.add == 'ZADD', list.add == 'SADD'
  local a, r = 2, 2
  add[1], add[2], remove[1], remove[2] = list.add, key, list.remove, key
  for member, value in pairs(values) do
    if value == false then
      r = r + 1
      remove[r] = member
    elseif scored then
      add[a + 1], add[a + 2] = value, member
      a = a + 2
    else
      add[a + 1], add[a + 2] = member, value
      a = flat and a + 1 or a + 2
    end
    if a >= 2000 then
      call(unpack(add, 1, a))
      a = 2
    end
    if r >= 2000 then
      call(unpack(remove, 1, r))
      r = 2
    end
  end
  if a > 2 then call(unpack(add, 1, a)) end
  if r > 2 then call(unpack(remove, 1, r)) end
end
local function settle_all()
  accept_staged()
  for key in pairs(pending) do settle(key) end
end
