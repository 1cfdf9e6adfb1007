-- Issues, apart from any one verb.

-- name: find
SELECT i.*, p.picture FROM issues i JOIN pictures p ON p.issue_id = i.id WHERE i.id = :id;

-- name: numbered
SELECT i.*, p.picture FROM issues i JOIN pictures p ON p.issue_id = i.id
WHERE i.repository = :repository AND i.number = :number;

-- name: open
SELECT i.*, p.picture FROM issues i JOIN pictures p ON p.issue_id = i.id
WHERE i.repository = :repository AND i.number > :after AND (i.state = 'open' OR i.unfinished > 0)
ORDER BY i.number LIMIT :limit;

-- name: tasks
SELECT * FROM tasks WHERE issue_id = :issue_id ORDER BY seq;

-- name: dependents
SELECT d.number FROM dependencies d
JOIN issues i ON i.repository = d.repository AND i.number = d.number AND i.state = 'open'
WHERE d.repository = :repository AND d.depends_on = :number ORDER BY d.number;
