-- What one turn of the event loop changes.

-- name: counters
UPDATE counters SET
  turn = turn + 1, clock = ?, place = ?, registry_version = ?, fact_seq = ?, task_seq = ?, issue_seq = ?;

-- name: makeIssue
INSERT INTO issues (closed_at, row, picture, seq, repository, number) VALUES (?, ?, ?, ?, ?, ?);

-- An issue that was looked at and found as it was is not written.
-- name: issue
UPDATE issues SET closed_at = ?1, row = ?2, picture = ?3
WHERE seq = ?4 AND (?5 OR picture <> ?3 OR closed_at IS NOT ?1);

-- name: issueRow
UPDATE issues SET closed_at = ?, row = ? WHERE seq = ?;

-- name: makeLedger
INSERT INTO ledgers (row, issue) VALUES (?, ?);

-- name: ledger
UPDATE ledgers SET row = ? WHERE issue = ?;

-- name: makeTask
INSERT INTO tasks (ended, row, facts, seq, id, issue) VALUES (?, ?, ?, ?, ?, ?);

-- name: task
UPDATE tasks SET row = ?, facts = ? WHERE seq = ?;

-- name: endTask
UPDATE tasks SET ended = ?, row = ?, facts = ? WHERE seq = ?;

-- name: result
INSERT INTO results (at, task) VALUES (?, ?);

-- name: makeAgent
INSERT INTO agents (row, id) VALUES (?, ?);

-- name: agent
UPDATE agents SET row = ? WHERE id = ?;

-- name: fact
INSERT INTO facts VALUES (?, ?, ?);

-- name: facts
INSERT INTO facts VALUES
  (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?),
  (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?);

-- name: count
INSERT INTO stats VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value;

-- name: endedCount
INSERT INTO ended_counts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count;

-- name: setting
INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value;

-- name: unset
DELETE FROM settings WHERE name = ?;

-- name: learned
INSERT INTO learned VALUES (?) ON CONFLICT DO NOTHING;
