-- Facts and the counters drawn from them.

-- name: append
INSERT INTO facts (at, task_id, body) VALUES (:at, :task_id, :body);

-- name: count
INSERT INTO stats VALUES (:period, :start, :counter, :value)
ON CONFLICT DO UPDATE SET value = value + excluded.value;

-- The highest instant ever written: a restart never goes behind it.
-- name: mark
UPDATE counters SET value = :now WHERE name = 'clock' AND value < :now;

-- name: highest
SELECT value FROM counters WHERE name = 'clock';

-- name: after
SELECT * FROM facts WHERE seq > :after ORDER BY seq LIMIT :limit;

-- The newest of a task before a number.
-- name: ofTask
SELECT * FROM facts WHERE task_id = :task_id AND seq < :before ORDER BY seq DESC LIMIT :limit;

-- name: last
SELECT seq FROM sqlite_sequence WHERE name = 'facts';

-- name: stats
SELECT start, json_group_object(counter, value) AS counters FROM stats
WHERE period = :period GROUP BY start ORDER BY start DESC LIMIT :limit;
