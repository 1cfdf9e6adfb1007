-- What a start reads: everything that lives. A million issues that are closed cost it nothing.

-- name: counters
SELECT * FROM counters;

-- name: issues
SELECT seq, repository, number, row FROM issues WHERE closed_at IS NULL ORDER BY seq;

-- name: agents
SELECT id, row FROM agents;

-- name: settings
SELECT name, value FROM settings;

-- name: learned
SELECT label FROM learned;
