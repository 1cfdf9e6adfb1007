-- Part of every step: what is written once for a whole batch.

-- Lists that steps change far more often than they look at them are changed when the batch ends, each by
-- one command for all its verbs. `value` false takes the member out; the last word on a member counts.
-- Staged is what the verb that runs now has changed: one that fails leaves nothing of it.
local staged, pending
local function later(add, remove, key, member, value)
  local n = #staged
  staged[n + 1], staged[n + 2], staged[n + 3], staged[n + 4], staged[n + 5] = add, remove, key, member, value
end
local function zadd(key, score, member) later('ZADD', 'ZREM', key, member, score) end
local function zrem(key, member) later('ZADD', 'ZREM', key, member, false) end

local function accept_staged()
  for n = 1, #staged, 5 do
    local key = staged[n + 2]
    local list = pending[key]
    if not list then
      list = { add = staged[n], remove = staged[n + 1], values = {} }
      pending[key] = list
    end
    list.values[staged[n + 3]] = staged[n + 4]
  end
  if #staged > 0 then staged = {} end
end

-- One command for many; Lua can pass on a few thousand values at most.
local function call_many(args, n)
  args[n + 1] = nil
  call(unpack(args, 1, n))
end
local function settle(key)
  local list = pending[key]
  if not list then return end
  pending[key] = nil
  local add, remove, a, r = { list.add, key }, { list.remove, key }, 2, 2
  for member, value in pairs(list.values) do
    if value == false then
      r = r + 1
      remove[r] = member
    elseif list.add == 'SADD' then
      a = a + 1
      add[a] = member
    else
      add[a + 1], add[a + 2] = list.add == 'ZADD' and value or member, list.add == 'ZADD' and member or value
      a = a + 2
    end
    if a >= 2000 then
      call_many(add, a)
      a = 2
    end
    if r >= 2000 then
      call_many(remove, r)
      r = 2
    end
  end
  if a > 2 then call_many(add, a) end
  if r > 2 then call_many(remove, r) end
end
local function settle_all()
  accept_staged()
  for key in pairs(pending) do settle(key) end
end
