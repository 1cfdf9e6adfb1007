-- Part of the library: named locks with an owner. Arguments: clock, generation, name, owner, and ms to take it.

-- Takes the lock, or renews it for its owner.
local function take_lock(_, A)
  if not begin(A[1], A[2]) then return { 'generation' } end
  local key = K.lock_process .. A[3]
  if call('GET', key) == A[4] then
    call('PEXPIRE', key, A[5])
    return { 'ok' }
  end
  return { call('SET', key, A[4], 'NX', 'PX', A[5]) and 'ok' or 'taken' }
end

-- Only its owner removes a lock.
local function give_lock(_, A)
  if not begin(A[1], A[2]) then return { 'generation' } end
  local key = K.lock_process .. A[3]
  if call('GET', key) ~= A[4] then return { 'taken' } end
  call('DEL', key)
  return { 'ok' }
end

-- Arguments: clock, generation, key, text expected, next text, seconds it lives. Sets the text if it is as expected.
-- Reply: `ok` or `stale`, the text that was there, the instant, when data was lost.
local function swap_text(_, A)
  if not begin(A[1], A[2]) then return { 'generation' } end
  local text = call('GET', A[3]) or ''
  if text == A[4] then call('SET', A[3], A[5], 'EX', A[6]) end
  return { text == A[4] and 'ok' or 'stale', text, now_text, meta.lost_at }
end
