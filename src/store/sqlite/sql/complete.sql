-- Ends a live lease with the work done.

-- name: finish
UPDATE tasks SET
  state = 'done', reason = NULL, result = :result, pr_number = coalesce(:pr_number, pr_number),
  lease_agent = NULL, lease_token = NULL, lease_seconds = NULL, leased_at = NULL,
  lease_expires_at = NULL, lease_request = NULL, updated_at = :now, ended_at = :now
WHERE id = :id AND lease_token = :token AND lease_expires_at > :now;
