-- What choosing looks at: buckets and labels, never tasks.

-- name: version
SELECT value FROM counters WHERE name = 'registry_version';

-- name: buckets
SELECT key FROM buckets ORDER BY key;

-- name: unlearned
SELECT label FROM labels WHERE learned <> 1 AND uses > 0 ORDER BY label;

-- name: paused
SELECT name FROM settings
WHERE name >= 'flags:maintenance:' AND name < 'flags:maintenance;' AND value = 'true' ORDER BY name;

-- name: ready
SELECT ready FROM buckets WHERE key = :key;

-- name: scores
SELECT score FROM tasks WHERE bucket = :bucket ORDER BY score LIMIT :limit;
