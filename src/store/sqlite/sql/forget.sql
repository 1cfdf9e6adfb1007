-- What the sweep forgets because it is old. Looked for first, so that a sweep that finds nothing writes nothing.

-- name: closed
SELECT seq, repository, number, row, work FROM issues INDEXED BY issues_closed
WHERE closed_at < ? ORDER BY closed_at;

-- name: results
SELECT seq, issues FROM (SELECT * FROM results ORDER BY seq LIMIT ?2) WHERE at < ?1;

-- name: oldestFacts
SELECT at FROM facts ORDER BY seq LIMIT 1;

-- name: facts
DELETE FROM facts WHERE at < ? AND seq IN (SELECT seq FROM facts ORDER BY seq LIMIT ?);

-- name: oldStats
SELECT count(*) AS count FROM stats WHERE start < ?;

-- name: stats
DELETE FROM stats WHERE start < ?;
