-- Part of a step: what a claim and a recall answer with.

-- The agent was told of this lease, by its fence: so nothing has to be cleared when a lease ends.
local function answered(t) return t.answered == t.fence end

-- Reply: the word, task, issue, picture, writes, how many are unwritten, replay, what was set aside as
-- corrupt, what came before this lease, whether it was answered.
local function hand_out(word, t, replay, lock_ms, corrupt, first)
  local writes, unwritten = {}, 0
  for _, id in ipairs({ 'branch:' .. t.id, labels_id(t) }) do
    local entry = load_write(id)
    if entry then
      unwritten = unwritten + 1
      if lock_ms and entry.at <= now then
        writes[#writes + 1] = lock_write(entry, now + lock_ms)
      end
    end
  end
  local picture = call('HGET', K.issue_metadata .. t.issue, 'picture')
  -- Read before this lease is written: only what came before it.
  local before = first and {} or call('HGETALL', key_of[t])
  return reply(word, spell(t), spell(load_issue(t.issue)), picture, writes, unwritten, replay, corrupt or {},
    before, answered(t) and 1 or 0)
end

-- The living leases of an agent.
local function held_by(agent)
  local held = {}
  for id in string.gmatch(load_agent(agent).holds, '%S+') do
    local t = load_task(id)
    if t and live(t) and t.lease_agent == agent then held[#held + 1] = t end
  end
  return held
end
