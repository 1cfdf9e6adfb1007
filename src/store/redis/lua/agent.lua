-- Part of a step: agents, seed 003's processes.

local AGENT = { 'capabilities', 'first_seen_at', 'last_seen_at', 'lapsed', 'holds' }
local function load_agent(id) return plain_record(K.process_info .. id, AGENT) end

-- The agent was heard of. The lists by last seen are a second coarse: they are for people and sweeps.
local function touch(id)
  local agent = load_agent(id)
  if agent.first_seen_at == '' then return agent end
  local last = tonumber(agent.last_seen_at)
  if not last or now - last >= 1000 then
    call('SET', K.process_heartbeat .. id, now_text, 'EX', TTL.heartbeat)
    zadd(K.processes_active, now_text, id)
    zadd(K.processes_known, now_text, id)
  end
  put(agent, 'last_seen_at', now)
  if agent.lapsed == '1' then
    put(agent, 'lapsed', '')
    call('SREM', K.processes_zombies, id)
  end
  return agent
end

local function introduce(id, capabilities)
  local agent = load_agent(id)
  if agent.first_seen_at == '' then
    put(agent, 'agent_id', id)
    put(agent, 'first_seen_at', now)
  end
  put(agent, 'capabilities', capabilities)
  return touch(id)
end

local function lapse(id)
  put(load_agent(id), 'lapsed', '1')
  call('SADD', K.processes_zombies, id)
end

local function hold(id, task)
  local agent = load_agent(id)
  put(agent, 'holds', agent.holds == '' and task or agent.holds .. ' ' .. task)
end

local function unhold(id, task)
  local agent, kept = load_agent(id), {}
  for held in string.gmatch(agent.holds, '%S+') do
    if held ~= task then kept[#kept + 1] = held end
  end
  put(agent, 'holds', table.concat(kept, ' '))
end
