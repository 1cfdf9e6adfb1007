-- What is not in memory: closed issues, pictures, history, statistics.

-- name: issue
SELECT seq, repository, number, row, work FROM issues WHERE repository = ? AND number = ?;

-- name: issueNumbered
SELECT seq, repository, number, row, work FROM issues WHERE seq = ?;

-- name: tasksAfter
SELECT t.seq AS task, i.seq, i.repository, i.number, i.row, i.work
FROM tasks t JOIN issues i ON i.seq = t.issue WHERE t.seq > ? ORDER BY t.seq LIMIT ?;

-- name: picture
SELECT picture FROM issues WHERE seq = ?;

-- name: factsAfter
SELECT facts FROM facts WHERE seq > ? ORDER BY seq;

-- Which turn was kept last: tells after a failure whether the file is as it was.
-- name: turn
SELECT turn FROM counters;

-- name: stats
SELECT start, json_group_object(counter, value) AS counters FROM stats
WHERE period = ? GROUP BY start ORDER BY start DESC LIMIT ?;
