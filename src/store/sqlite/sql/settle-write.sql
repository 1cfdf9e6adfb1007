-- Records what became of a ledger write.

-- name: remove
DELETE FROM outbox WHERE id = :id;

-- name: retry
UPDATE outbox SET attempts = attempts + 1, error = :error, available_at = :at, locked_version = NULL
WHERE id = :id;

-- A later step touched the entry while an older version of it was being written.
-- name: unlock
UPDATE outbox SET available_at = :now, locked_version = NULL WHERE id = :id;

-- name: issue
SELECT id, written FROM issues WHERE repository = :repository AND number = :number;

-- name: written
UPDATE issues SET written = :written, written_at = :now WHERE id = :id;
