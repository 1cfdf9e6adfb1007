-- Outbox entries that are due, locked for whoever asked.

-- name: due
SELECT * FROM outbox WHERE available_at <= :now ORDER BY available_at, seq LIMIT :limit;
