-- Ends a live lease with the work done, and makes the task that follows in the same step.
-- Arguments: taskId, token, agentId, fingerprint, summary, prNumber, verdict, comments, ledger,
-- followUp {name, state, reason, delayMs, priority, authorFirstMs, reviewComments}.
-- Reply: `ok` with task and result, `lease_lost`, `not_found`, `forbidden`. Repeated with the same token and
-- fingerprint: the same; with another fingerprint: `conflict`.

local t = load_task(a.taskId)
if not t then return reply('not_found') end
if not live(t) or t.lease_token ~= a.token then
  return answer_again(t, 'completed', a)
end
if foreign(t, a) then return reply('forbidden') end

local agent, leased_at, i = t.lease_agent, tonumber(t.leased_at), load_issue(t.issue)

local function follow_up_authors()
  local authors = decode(t.authors)
  if t.kind == 'review' then return authors end
  local all = {}
  for _, author in ipairs(authors) do
    if author ~= agent then all[#all + 1] = author end
  end
  all[#all + 1] = agent
  return all
end

-- Counted before the task ends, so that its issue is never without unfinished work in between.
local follows = given(a.followUp) and not load_task(a.followUp.name.id)
if follows and OPEN[a.followUp.state] then count_unfinished(i, 1) end

local key = K.task_result .. t.id
local result = { 'agent', agent, 'summary', say(a.summary), 'verdict', text(a.verdict),
  'comments', list(a.comments), 'at', now_text }
call('HSET', key, unpack(result))
call('EXPIRE', key, TTL.task_result)
if given(a.prNumber) then put(t, 'pr_number', a.prNumber) end
end_attempt(t, 'completed', a.summary, a.fingerprint)
shift(t, { state = 'done', reason = '', ended_at = now })
touch(agent)
fact('completed', t, ',"agentId":' .. text(agent) .. ',"fence":' .. t.fence .. ',"summary":' .. say(a.summary)
  .. ',"verdict":' .. text(a.verdict) .. ',"prNumber":' .. number(t.pr_number) .. ',"workedMs":' .. int(now - leased_at))
tell(agent, 'responses')

if follows then
  local f = a.followUp
  local ready_at = f.delayMs > 0 and now + f.delayMs or nil
  local state = f.state == 'delayed' and not ready_at and 'ready' or f.state
  local waits = state == 'held' or state == 'delayed'
  local made = make_task(f.name, {
    state = state, reason = state == 'ready' and '' or f.reason, priority = f.priority,
    ready_at = waits and ready_at or '', authors = list(follow_up_authors()), author_first = f.authorFirstMs,
    branch = t.branch, pr_number = t.pr_number, review_comments = list(f.reviewComments), born_at = t.born_at }, i)
  if OPEN[f.state] then count_unfinished(i, -1) end
  if state == 'dead' then
    fact('dead', made, ',"reason":' .. say(given(f.reason) and f.reason or 'dead'))
    write_comment(made, 'dead')
  end
end
want(i, a.ledger)
return reply('ok', spell(t), result)
