-- What one turn of the event loop changes.

-- name: counters
UPDATE counters SET
  turn = turn + 1, clock = ?, place = ?, registry_version = ?, fact_seq = ?, task_seq = ?, issue_seq = ?, ended = ?;

-- name: makeIssue
INSERT INTO issues (closed_at, row, picture, seq, repository, number) VALUES (?, ?, ?, ?, ?, ?);

-- An issue that was looked at and found as it was is not written.
-- name: issue
UPDATE issues SET closed_at = ?1, row = ?2, picture = ?3, work = iif(?1 IS NULL, NULL, work)
WHERE seq = ?4 AND (?5 OR picture <> ?3 OR closed_at IS NOT ?1);

-- name: issueRow
UPDATE issues SET closed_at = ?1, row = ?2, work = iif(?1 IS NULL, NULL, work) WHERE seq = ?3;

-- name: forgetIssue
DELETE FROM issues WHERE seq = ?;

-- name: forgetTask
DELETE FROM tasks WHERE seq = ?;

-- name: tasks
INSERT INTO tasks VALUES (?, ?);

-- name: facts
INSERT INTO facts VALUES (?, ?, ?);

-- name: results
INSERT INTO results (at, issues) VALUES (?, ?);

-- name: forgetResults
DELETE FROM results WHERE seq <= ?;

-- name: agents
INSERT OR REPLACE INTO agents VALUES (?, ?);

-- name: forgetAgent
DELETE FROM agents WHERE id = ?;

-- name: stats
INSERT INTO stats VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value;

-- name: settings
INSERT OR REPLACE INTO settings VALUES (?, ?);

-- name: forgetSetting
DELETE FROM settings WHERE name = ?;

-- name: learned
INSERT OR IGNORE INTO learned VALUES (?);
