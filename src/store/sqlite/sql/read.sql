-- What is not in memory: ended tasks, closed issues, pictures, history, statistics.

-- name: task
SELECT seq, id, issue, row, facts FROM tasks WHERE id = ?;

-- Ids of one issue's tasks begin alike.
-- name: tasksOf
SELECT seq, id, issue, row, facts FROM tasks WHERE id > ? AND id < ? ORDER BY seq;

-- name: tasksAfter
SELECT seq, id, issue, row, facts FROM tasks WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: endedAfter
SELECT seq, id, issue, row, facts FROM tasks WHERE seq > ? AND ended = ? ORDER BY seq LIMIT ?;

-- name: issue
SELECT i.seq, i.repository, i.number, i.row, l.row AS ledger
FROM issues i LEFT JOIN ledgers l ON l.issue = i.seq WHERE i.repository = ? AND i.number = ?;

-- name: issueNumbered
SELECT i.seq, i.repository, i.number, i.row, l.row AS ledger
FROM issues i LEFT JOIN ledgers l ON l.issue = i.seq WHERE i.seq = ?;

-- name: picture
SELECT picture FROM issues WHERE seq = ?;

-- name: endedCounts
SELECT state, kind, priority, count FROM ended_counts WHERE count > 0;

-- name: facts
SELECT fact FROM facts WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: fact
SELECT fact FROM facts WHERE seq = ?;

-- Which turn was kept last: tells after a failure whether the file is as it was.
-- name: turn
SELECT turn FROM counters;

-- name: stats
SELECT start, json_group_object(counter, value) AS counters FROM stats
WHERE period = ? GROUP BY start ORDER BY start DESC LIMIT ?;
