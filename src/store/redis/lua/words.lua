-- Part of every function: the clock, the counters of the namespace, and how numbers are spelled.
-- Set when a function begins: while the library is loaded there is no Redis to call yet.
local call, try, unpack, sub, byte, find, match, gmatch, format, floor, tonumber, pairs, now, now_text, micros, meta
local function int(n) return format('%d', n) end
-- The clock never goes back: when the one it reads does, it goes on from where it was.
local function read_clock(given_ms)
  local read
  if given_ms ~= '' then
    read = tonumber(given_ms)
    micros = read * 1000
  else
    local time = call('TIME')
    micros = time[1] * 1000000 + time[2]
    read = floor(micros / 1000)
  end
  local offset, before = tonumber(meta.clock_offset) or 0, tonumber(meta.clock_read) or read
  if read < before then offset = offset + before - read end
  meta.clock_read, meta.clock_offset = int(read), int(offset)
  now = read + offset
  now_text = int(now)
  micros = micros + offset * 1000
end
-- False: this is not the data that the caller knows.
local function begin(given_ms, generation)
  call, try, unpack, tonumber, pairs = redis.call, redis.pcall, _G.unpack, _G.tonumber, _G.pairs
  sub, byte, find, match, gmatch, format, floor = string.sub, string.byte, string.find, string.match, string.gmatch, string.format, math.floor
  local v = call('HMGET', K.meta, 'generation', 'clock_read', 'clock_offset', 'seq', 'steps', 'place', 'filing',
    'registry_version', 'quarantine_until', 'lost_at', 'settle_until', 'fence_floor')
  -- Made at once: a table that grows is made again and again.
  meta = {
    generation = v[1] or '', clock_read = v[2] or '', clock_offset = v[3] or '', seq = v[4] or '', steps = v[5] or '',
    place = v[6] or '', filing = v[7] or '', registry_version = v[8] or '0', quarantine_until = v[9] or '',
    lost_at = v[10] or '', settle_until = v[11] or '', fence_floor = v[12] or '' }
  if generation ~= '' and meta.generation ~= generation then return false end
  read_clock(given_ms)
  return true
end
local function keep_meta()
  call('HSET', K.meta, 'clock_read', meta.clock_read, 'clock_offset', meta.clock_offset,
    'seq', meta.seq, 'place', meta.place, 'steps', int((tonumber(meta.steps) or 0) + 1))
end
