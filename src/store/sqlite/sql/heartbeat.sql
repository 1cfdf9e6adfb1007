-- Renews a live lease.

-- name: renew
UPDATE tasks SET lease_expires_at = :now + lease_seconds * 1000, updated_at = :now
WHERE id = :id AND lease_token = :token AND lease_expires_at > :now
RETURNING *;

-- name: notes
SELECT progress FROM attempts WHERE task_id = :task_id AND fence = :fence;

-- name: note
UPDATE attempts SET progress = :progress WHERE task_id = :task_id AND fence = :fence;
