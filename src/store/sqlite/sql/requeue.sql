-- Puts a task in line again, with its attempts counted from 0.

-- name: requeue
UPDATE tasks SET
  state = :state, reason = :reason, attempts = 0, ready_at = :ready_at, timed = 1,
  enqueued_at = :enqueued_at, bucket = :bucket, score = :score, only_agent = :only_agent,
  opens_at = :opens_at, updated_at = :now, ended_at = NULL
WHERE id = :id AND state IN ('dead', 'delayed', 'ready', 'cancelled', 'held');

-- name: issueState
SELECT state FROM issues WHERE id = :id;
