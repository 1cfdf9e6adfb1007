-- Tasks, apart from any one verb.

-- name: find
SELECT * FROM tasks WHERE id = :id;

-- name: make
INSERT INTO tasks (
  id, issue_id, repository, number, kind, round, state, reason, priority, enqueued_at, ready_at,
  authors, only_agent, opens_at, branch, pr_number, review_comments, created_at, updated_at,
  ended_at, bucket, score)
VALUES (
  :id, :issue_id, :repository, :number, :kind, :round, :state, :reason, :priority, :enqueued_at,
  :ready_at, :authors, :only_agent, :opens_at, :branch, :pr_number, :review_comments, :now, :now,
  iif(:state = 'dead', :now, NULL), :bucket, :score);

-- The labels of its issue that some agent has offered as a capability.
-- name: relevant
SELECT l.label FROM issue_labels il JOIN labels l ON l.label = il.label AND l.learned <> 0
WHERE il.issue_id = :issue_id AND il.matching = 1;

-- name: lastEnqueued
SELECT value FROM counters WHERE name = 'enqueued_at';

-- name: enqueue
UPDATE counters SET value = :at WHERE name = 'enqueued_at';

-- name: refile
UPDATE tasks SET
  bucket = :bucket, score = :score, enqueued_at = :enqueued_at, only_agent = :only_agent,
  opens_at = :opens_at, updated_at = :now
WHERE id = :id AND state = 'ready';
