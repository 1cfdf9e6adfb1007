-- Run-time settings.

-- name: list
SELECT name, value FROM settings WHERE substr(name, 1, length(:prefix)) = :prefix ORDER BY name;

-- name: find
SELECT value FROM settings WHERE name = :name;

-- name: put
INSERT INTO settings VALUES (:name, :value) ON CONFLICT DO UPDATE SET value = :value;

-- name: remove
DELETE FROM settings WHERE name = :name;
