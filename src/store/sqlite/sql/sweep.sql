-- Expires leases, promotes what is due, opens reserved tasks to all.
-- The index is named where the planner, who cannot count, would walk every task of a state instead.

-- name: lapsed
SELECT * FROM tasks WHERE lease_expires_at <= :now ORDER BY lease_expires_at, seq LIMIT :limit;

-- name: expire
UPDATE tasks SET
  state = :state, reason = :reason, attempts = attempts + 1, enqueued_at = :enqueued_at,
  bucket = :bucket, score = :score, only_agent = :only_agent, opens_at = :opens_at,
  lease_agent = NULL, lease_token = NULL, lease_seconds = NULL, leased_at = NULL,
  lease_expires_at = NULL, lease_request = NULL, updated_at = :now,
  ended_at = iif(:state = 'dead', :now, NULL)
WHERE id = :id AND state = 'leased';

-- name: due
SELECT * FROM tasks INDEXED BY tasks_delayed
WHERE state = 'delayed' AND ready_at <= :now ORDER BY ready_at, seq LIMIT :limit;

-- name: promote
UPDATE tasks SET
  state = 'ready', reason = NULL, enqueued_at = :enqueued_at, bucket = :bucket, score = :score,
  only_agent = :only_agent, opens_at = :opens_at, updated_at = :now
WHERE id = :id AND state = 'delayed';

-- name: opening
SELECT * FROM tasks INDEXED BY tasks_opening
WHERE state = 'ready' AND opens_at IS NOT NULL AND opens_at <= :now
ORDER BY opens_at, seq LIMIT :limit;

-- name: open
UPDATE tasks SET bucket = :bucket, score = :score, only_agent = NULL, opens_at = NULL, updated_at = :now
WHERE id = :id AND state = 'ready';

-- name: nextDue
SELECT min(at) AS at FROM (
  SELECT min(lease_expires_at) AS at FROM tasks WHERE lease_expires_at IS NOT NULL
  UNION ALL SELECT min(ready_at) FROM tasks INDEXED BY tasks_delayed WHERE state = 'delayed'
  UNION ALL SELECT min(opens_at) FROM tasks INDEXED BY tasks_opening
    WHERE opens_at IS NOT NULL AND state = 'ready');
