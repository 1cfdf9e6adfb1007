-- The hand-out of one request, and whether its agent was told of it.

-- name: ofRequest
SELECT * FROM tasks
WHERE lease_agent = :agent_id AND lease_request = :request_id AND lease_expires_at > :now LIMIT 1;

-- name: takeOver
UPDATE tasks SET lease_request = :request_id
WHERE seq = (
  SELECT seq FROM tasks
  WHERE lease_agent = :agent_id AND lease_expires_at > :now AND answered_fence IS NOT fence
  ORDER BY leased_at LIMIT 1)
RETURNING *;

-- name: markAnswered
UPDATE tasks SET answered_fence = fence WHERE id = :id AND lease_token = :token;
