-- Agents, as far as they have been heard of.

-- name: introduce
INSERT INTO agents (agent_id, capabilities, first_seen_at, last_seen_at)
VALUES (:agent_id, :capabilities, :now, :now)
ON CONFLICT DO UPDATE SET capabilities = :capabilities, last_seen_at = :now, lapsed = 0;

-- name: touch
UPDATE agents SET last_seen_at = :now, lapsed = 0 WHERE agent_id = :agent_id;

-- name: lapse
UPDATE agents SET lapsed = 1 WHERE agent_id = :agent_id;
