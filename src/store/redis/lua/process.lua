-- Part of the library: named locks with an owner. Arguments: clock, generation, name, owner, and ms to take it.
-- Takes the lock, or renews it for its owner.
local function take_lock(A)
  local key = K.lock_process .. A[3]
  local taken = own_locks({ key, A[4], A[5] }, 1, 3) or call('SET', key, A[4], 'NX', 'PX', A[5])
  return { taken and 'ok' or 'taken' }
end
local function give_lock(A) return { own_locks({ K.lock_process .. A[3], A[4], '' }, 1, 3) and 'ok' or 'taken' } end
-- Arguments: clock, generation, key, text expected, next text, seconds it lives. Sets the text if it is as expected.
-- Reply: `ok` or `stale`, the text that was there, the instant, when data was lost.
local function swap_text(A)
  local text = call('GET', A[3]) or ''
  if text == A[4] then call('SET', A[3], A[5], 'EX', A[6]) end
  return { text == A[4] and 'ok' or 'stale', text, now_text, meta.lost_at }
end
