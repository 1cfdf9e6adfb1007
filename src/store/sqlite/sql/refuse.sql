-- Undoes the lease with this fence because the forge will never accept its writes.

-- name: refuse
UPDATE tasks SET
  state = 'held', reason = :reason, ready_at = :ready_at, lease_agent = NULL, lease_token = NULL,
  lease_seconds = NULL, leased_at = NULL, lease_expires_at = NULL, lease_request = NULL,
  updated_at = :now
WHERE id = :id AND fence = :fence AND lease_expires_at > :now;
