-- Takes the oldest task of the first group of buckets that has one, with the lease in the same step.

-- name: flag
SELECT value FROM settings WHERE name = 'flags:maintenance';

-- name: held
SELECT * FROM tasks WHERE lease_agent = :agent_id AND lease_expires_at > :now ORDER BY leased_at;

-- name: version
SELECT value FROM counters WHERE name = 'registry_version';

-- name: head
SELECT seq, fence, score FROM tasks WHERE bucket = :bucket ORDER BY score LIMIT 1;

-- name: take
UPDATE tasks SET
  state = 'leased', reason = NULL, bucket = NULL, score = NULL, fence = :fence,
  lease_agent = :agent_id, lease_token = :token, lease_seconds = :seconds, leased_at = :now,
  lease_expires_at = :expires_at, lease_request = :request_id, updated_at = :now
WHERE seq = :seq AND state = 'ready'
RETURNING *;
