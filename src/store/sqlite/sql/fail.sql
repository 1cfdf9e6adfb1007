-- Ends a live lease with a failure: back in line after a delay, or dead.

-- name: fail
UPDATE tasks SET
  state = :state, reason = :reason, attempts = attempts + 1, ready_at = :ready_at, timed = 1,
  enqueued_at = :enqueued_at, bucket = :bucket, score = :score, only_agent = :only_agent,
  opens_at = :opens_at, lease_agent = NULL, lease_token = NULL, lease_seconds = NULL,
  leased_at = NULL, lease_expires_at = NULL, lease_request = NULL, updated_at = :now,
  ended_at = iif(:state = 'dead', :now, NULL)
WHERE id = :id AND lease_token = :token AND lease_expires_at > :now;
