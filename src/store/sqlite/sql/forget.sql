-- What the sweep forgets because it is old. Looked for first, so that a sweep that finds nothing writes nothing.

-- name: oldestFact
SELECT at FROM facts ORDER BY seq LIMIT 1;

-- name: facts
DELETE FROM facts WHERE at < ? AND seq IN (SELECT seq FROM facts ORDER BY seq LIMIT ?);

-- The oldest results; a task may be gone already, or may have come back.
-- name: results
SELECT r.seq AS result, t.seq, t.id, t.row FROM (SELECT * FROM results ORDER BY seq LIMIT ?2) r
LEFT JOIN tasks t ON t.seq = r.task WHERE r.at < ?1;

-- name: clearResult
UPDATE tasks SET row = ? WHERE seq = ?;

-- name: result
DELETE FROM results WHERE seq = ?;

-- name: issues
SELECT seq, repository, number FROM issues INDEXED BY issues_closed WHERE closed_at < ? ORDER BY closed_at;

-- name: issue
DELETE FROM issues WHERE seq = ?;

-- name: ledger
DELETE FROM ledgers WHERE issue = ?;

-- name: tasksOf
SELECT seq, id, row FROM tasks WHERE id > ? AND id < ?;

-- name: task
DELETE FROM tasks WHERE seq = ?;

-- name: endedCount
UPDATE ended_counts SET count = count - 1 WHERE state = ? AND kind = ? AND priority = ?;

-- name: agent
DELETE FROM agents WHERE id = ?;

-- name: oldStats
SELECT count(*) AS count FROM stats WHERE start < ?;

-- name: stats
DELETE FROM stats WHERE start < ?;
