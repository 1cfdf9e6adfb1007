-- Run-time settings.

-- name: list
SELECT name, value FROM settings WHERE substr(name, 1, length(:prefix)) = :prefix ORDER BY name;

-- name: find
SELECT value FROM settings WHERE name = :name;

-- name: put
INSERT INTO settings VALUES (:name, :value) ON CONFLICT DO UPDATE SET value = :value;

-- What is ranked depends on it: rankings from before are stale.
-- name: repaused
UPDATE counters SET value = value + 1 WHERE name = 'registry_version';

-- name: remove
DELETE FROM settings WHERE name = :name;
