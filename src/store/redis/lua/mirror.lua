-- Records issues as the forge shows them and applies what they ask of their tasks.
-- Arguments: refusedPrefix; entries, each with issue (its id in keys),
-- repository, number, open, updatedAt, title, url, labels (JSON), picture (JSON), matchLabels, indexed
-- (every label, lower case), dependsOn, bornAt, plans, ledger, adopt.
-- Reply: `ok`. An older picture than the one stored is ignored.

-- Adds and removes only what differs between two lists of texts or numbers.
local function differ(before, after, add, remove)
  local had, has = {}, {}
  for _, value in ipairs(before) do had[value] = true end
  for _, value in ipairs(after) do has[value] = true end
  for value in pairs(has) do if not had[value] then add(value) end end
  for value in pairs(had) do if not has[value] then remove(value) end end
end

local function record_issue(e, i)
  local key = K.issue_metadata .. e.issue
  local known = call('HMGET', key, 'match_labels', 'indexed', 'depends_on')
  local old = { match = known[1] or '[]', indexed = known[2] or '[]', depends = known[3] or '[]' }
  local match, indexed, depends = list(e.matchLabels), list(e.indexed), encode(e.dependsOn)
  call('HSET', key, 'repository', e.repository, 'number', int(e.number), 'title', e.title, 'url', e.url,
    'labels', e.labels, 'picture', e.picture, 'match_labels', match, 'indexed', indexed,
    'depends_on', #e.dependsOn == 0 and '[]' or depends)
  if indexed ~= old.indexed then
    differ(cjson.decode(old.indexed), e.indexed,
      function(label) call('SADD', K.labels_issues .. label, e.issue) end,
      function(label) call('SREM', K.labels_issues .. label, e.issue) end)
  end
  differ(cjson.decode(old.depends), e.dependsOn,
    function(n) call('SADD', K.issues_dependents .. e.repository .. ':' .. int(n), e.issue) end,
    function(n) call('SREM', K.issues_dependents .. e.repository .. ':' .. int(n), e.issue) end)
  if (tonumber(i.unfinished) or 0) > 0 and match ~= old.match then
    differ(cjson.decode(old.match), e.matchLabels,
      function(label) use_label(label, 1) end, function(label) use_label(label, -1) end)
  end
  return match ~= old.match
end

local function refile(t)
  unfile(t)
  file(t)
end

-- Labels decide the bucket; an entry that somebody deleted by hand is filed again.
local function refile_ready(i, moved)
  for id in string.gmatch(i.tasks, '%S+') do
    local t = load_task(id)
    if t and t.state == 'ready' and (moved or not call('ZSCORE', K.queue_bucket .. t.bucket, id)) then refile(t) end
    if t and t.kind == 'review' and (t.state == 'delayed' or t.state == 'ready') then
      call('EXPIRE', K.review_delay .. t.delay, TTL.review_delay)
    end
  end
end

local function record_turn(t, before)
  if t.state == 'held' then fact('held', t, ',"reason":' .. say(t.reason))
  elseif t.state == 'delayed' then fact('delayed', t, ',"reason":' .. text(t.reason) .. ',"readyAt":' .. number(t.ready_at))
  else fact('ready', t, ',"reason":' .. (before == 'cancelled' and '"reopened"' or 'null')) end
end

-- What a plan brings beside the state. A pull request that only an agent reported is not forgotten.
local function take_over(t, p)
  if t.state ~= 'leased' and t.branch ~= p.branch then
    put(t, 'branch', p.branch)
    put(t, 'updated_at', now)
  end
  if given(p.prNumber) and tonumber(t.pr_number) ~= p.prNumber then
    put(t, 'pr_number', p.prNumber)
    put(t, 'updated_at', now)
    if t.kind == 'review' and t.state ~= 'done' then call('HSET', K.review_delay .. t.delay, 'pr_number', t.pr_number) end
  end
end

local function meet(t, p, reopened)
  local turn = plan_meets(t, p.want, reopened, a.refusedPrefix)
  local before = t.state
  take_over(t, p)
  if t.pinned ~= '1' and tonumber(t.priority) ~= p.priority then reprioritize(t, p.priority) end
  if turn == 'cancel' then cancel_task(t, p.want.reason)
  elseif turn then
    if before == 'cancelled' then
      turn.attempts, turn.created_at, turn.ended_at, turn.enqueued_at = 0, now, '', ''
      turn.review_comments = list(p.reviewComments)
    end
    shift(t, turn)
    record_turn(t, before)
  end
end

local function make(e, p, i)
  local turn = from_nothing(p.want)
  if not turn then return end
  make_task(p.name, {
    state = turn.state, reason = turn.reason, ready_at = turn.ready_at, priority = p.priority,
    authors = list(p.authors), author_first = p.authorFirstMs, branch = p.branch, pr_number = p.prNumber,
    review_comments = list(p.reviewComments), born_at = e.bornAt }, i)
end

for _, e in ipairs(a.entries) do
  local i = load_issue(e.issue)
  local known = i.issue ~= ''
  if not known or e.updatedAt >= tonumber(i.picture_at) then
    local reopened = i.open == 'closed' and e.open == 'open'
    put(i, 'issue', e.issue)
    put(i, 'repository', e.repository)
    put(i, 'number', e.number)
    put(i, 'picture_at', e.updatedAt)
    put(i, 'seen_at', now)
    put(i, 'open', e.open)
    local moved = record_issue(e, i)
    shelve_issue(i)
    if known then refile_ready(i, moved) end
    for _, p in ipairs(e.plans) do
      local t = load_task(p.name.id)
      if t then meet(t, p, reopened) elseif p.create then make(e, p, i) end
    end
    if given(e.ledger) or given(e.adopt) then
      want(i, given(e.ledger) and e.ledger or i.wanted, nil, e.adopt)
    end
  end
end
return reply('ok')
