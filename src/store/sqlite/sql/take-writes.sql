-- Outbox entries that are due, locked for whoever asked.

-- One process owns the file: what an earlier one had locked when it died is due now.
-- name: abandon
UPDATE outbox SET available_at = 0, locked_version = NULL WHERE locked_version IS NOT NULL;

-- name: due
SELECT * FROM outbox WHERE available_at <= :now ORDER BY available_at, seq LIMIT :limit;
