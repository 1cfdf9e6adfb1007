-- Gives a live lease back: ready at its old place, no attempt counted.

-- name: release
UPDATE tasks SET
  state = 'ready', reason = NULL, enqueued_at = :enqueued_at, bucket = :bucket, score = :score,
  only_agent = :only_agent, opens_at = :opens_at, lease_agent = NULL, lease_token = NULL,
  lease_seconds = NULL, leased_at = NULL, lease_expires_at = NULL, lease_request = NULL,
  updated_at = :now
WHERE id = :id AND lease_token = :token AND lease_expires_at > :now;
