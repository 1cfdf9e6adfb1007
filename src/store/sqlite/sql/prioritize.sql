-- An operator's priority: no plan changes it any more.

-- name: prioritize
UPDATE tasks SET
  priority = :priority, pinned = 1, bucket = :bucket, score = :score, enqueued_at = :enqueued_at,
  only_agent = :only_agent, opens_at = :opens_at, updated_at = :now
WHERE id = :id AND state NOT IN ('done', 'cancelled');
