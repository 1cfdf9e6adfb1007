-- Ends a task that nobody shall do, and its lease with it. Mirroring a closed issue does the same.

-- name: cancel
UPDATE tasks SET
  state = 'cancelled', reason = :reason, bucket = NULL, score = NULL, lease_agent = NULL,
  lease_token = NULL, lease_seconds = NULL, leased_at = NULL, lease_expires_at = NULL,
  lease_request = NULL, updated_at = :now, ended_at = :now
WHERE id = :id AND state NOT IN ('done', 'cancelled');
