-- Renews a live lease. Whoever has the token was told of it.

-- name: renew
UPDATE tasks SET
  lease_expires_at = :now + lease_seconds * 1000, answered_fence = fence, updated_at = :now
WHERE id = :id AND lease_token = :token AND lease_expires_at > :now
RETURNING *;

-- name: notes
SELECT progress FROM attempts WHERE task_id = :task_id AND fence = :fence;

-- name: note
UPDATE attempts SET progress = :progress WHERE task_id = :task_id AND fence = :fence;
