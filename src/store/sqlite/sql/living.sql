-- What a start reads: everything that lives. A million tasks that have ended cost it nothing.

-- name: counters
SELECT * FROM counters;

-- name: issues
SELECT i.seq, i.repository, i.number, i.row, l.row AS ledger
FROM issues i LEFT JOIN ledgers l ON l.issue = i.seq WHERE i.closed_at IS NULL ORDER BY i.seq;

-- name: tasks
SELECT seq, id, issue, row, facts FROM tasks INDEXED BY tasks_open WHERE ended IS NULL ORDER BY seq;

-- name: agents
SELECT id, row FROM agents;

-- name: settings
SELECT name, value FROM settings;

-- name: learned
SELECT label FROM learned;
