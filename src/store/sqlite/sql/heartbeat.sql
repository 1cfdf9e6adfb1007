-- Renews a live lease. Whoever has the token was told of it.

-- name: renew
UPDATE tasks SET lease_expires_at = :expires_at, answered_fence = fence, updated_at = :now WHERE id = :id;

-- name: notes
SELECT progress FROM attempts WHERE task_id = :task_id AND fence = :fence;

-- name: note
UPDATE attempts SET progress = :progress WHERE task_id = :task_id AND fence = :fence;
