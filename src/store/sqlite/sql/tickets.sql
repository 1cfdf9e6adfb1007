-- Tickets of seed 002.

-- name: put
INSERT INTO ticket_data VALUES (:id, :data, :expires_at)
ON CONFLICT DO UPDATE SET data = :data, expires_at = :expires_at;

-- name: index
INSERT OR IGNORE INTO ticket_index (id) VALUES (:id);

-- name: find
SELECT data FROM ticket_data WHERE id = :id AND expires_at > :now;

-- name: free
SELECT id FROM ticket_index WHERE pending_until <= :now ORDER BY seq LIMIT :limit;

-- name: pend
UPDATE ticket_index SET pending_until = :until WHERE id = :id;

-- name: deindex
DELETE FROM ticket_index WHERE id = :id;

-- name: drop
DELETE FROM ticket_data WHERE id = :id;

-- name: count
SELECT count(*) AS count FROM ticket_index;

-- name: listed
SELECT id FROM ticket_index WHERE id = :id;
