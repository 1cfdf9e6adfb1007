-- Reads that must show one moment. They change nothing.

-- name: now
-- Arguments: ARGV[1] the test's clock ('' for Redis' own). Reply: the store's instant in milliseconds.
-- Redis' own clock is remembered by steps alone; a test's is remembered at every look, as it may jump.
local values = redis.call('HMGET', K.meta, 'clock_read', 'clock_offset')
local offset = tonumber(values[2]) or 0
local time = redis.call('TIME')
local read = ARGV[1] ~= '' and tonumber(ARGV[1]) or math.floor(time[1] * 1000 + time[2] / 1000)
local before = tonumber(values[1]) or read
if read < before then offset = offset + before - read end
if ARGV[1] ~= '' then redis.call('HSET', K.meta, 'clock_read', ARGV[1], 'clock_offset', string.format('%.0f', offset)) end
return string.format('%.0f', read + offset)

-- name: lastSeq
-- Reply: the number of the last fact ever appended, also when it has been forgotten.
if redis.call('EXISTS', K.facts) == 0 then return '0' end
local info = redis.call('XINFO', 'STREAM', K.facts)
for n = 1, #info, 2 do
  if info[n] == 'last-generated-id' then return string.sub(info[n + 1], 3) end
end

-- name: task
-- Arguments: ARGV[1] a task's id, ARGV[2] before which fact ('' for the newest), ARGV[3] how many facts.
-- Reply: task, result, issue, metadata, facts; nothing when it is not there.
local call = redis.call
local task, issue, facts = call('HGETALL', K.task_info .. ARGV[1]), nil, {}
for n = 1, #task, 2 do
  if task[n] == 'record' then issue = cjson.decode(task[n + 1]).issue end
end
if not issue then return false end
local before, seqs = tonumber(ARGV[2]), call('LRANGE', K.task_history .. ARGV[1], 0, -1)
local last = #seqs
while before and last > 0 and tonumber(seqs[last]) >= before do last = last - 1 end
for n = math.max(1, last - ARGV[3] + 1), last do
  local entry = call('XRANGE', K.facts, '0-' .. seqs[n], '0-' .. seqs[n])[1]
  if entry then facts[#facts + 1] = { entry[1], entry[2] } end
end
return {
  task, call('HGETALL', K.task_result .. ARGV[1]), call('HGET', K.issue_status .. issue, 'record') or '{}',
  call('HGETALL', K.issue_metadata .. issue), facts }

-- name: tasks
-- Arguments: ids. Reply: for each that is there the task, its result and its issue's labels.
local call, reply = redis.call, {}
for n = 1, #ARGV do
  local task = call('HGETALL', K.task_info .. ARGV[n])
  for at = 1, #task, 2 do
    if task[at] == 'record' then
      reply[#reply + 1] = {
        task, call('HGETALL', K.task_result .. ARGV[n]),
        call('HGET', K.issue_metadata .. cjson.decode(task[at + 1]).issue, 'indexed') or '[]' }
    end
  end
end
return reply

-- name: issues
-- Arguments: issue ids. Reply: for each that is there the issue, its metadata, and its tasks with results.
local call, reply = redis.call, {}
for n = 1, #ARGV do
  local json, tasks = call('HGET', K.issue_status .. ARGV[n], 'record'), {}
  if json then
    for id in string.gmatch(cjson.decode(json).tasks or '', '%S+') do
      local task = call('HGET', K.task_info .. id, 'record')
      if task then tasks[#tasks + 1] = { task, call('HGETALL', K.task_result .. id) } end
    end
    reply[#reply + 1] = { json, call('HGETALL', K.issue_metadata .. ARGV[n]), tasks }
  end
end
return reply
