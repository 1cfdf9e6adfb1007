-- What the sweep forgets because it is old.

-- name: oldestFact
SELECT at FROM facts ORDER BY seq LIMIT 1;

-- name: facts
DELETE FROM facts WHERE at < :before AND seq IN (SELECT seq FROM facts ORDER BY seq LIMIT :limit);

-- name: results
UPDATE tasks SET result = NULL WHERE seq IN (
  SELECT seq FROM tasks WHERE result IS NOT NULL AND ended_at < :before ORDER BY ended_at LIMIT :limit);

-- An issue that an open one waits for stays: that it is closed is what the other waits to hear.
-- name: forgettable
SELECT id, repository, number FROM issues i
WHERE state = 'closed' AND unfinished = 0 AND seen_at < :before
  AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.repository = i.repository AND d.depends_on = i.number)
  AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.issue_id = i.id AND t.state NOT IN ('done', 'cancelled'))
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.repository = i.repository AND o.number = i.number)
ORDER BY seen_at LIMIT :limit;

-- name: tasks
DELETE FROM tasks WHERE issue_id = :id;

-- name: dependencies
DELETE FROM dependencies WHERE repository = :repository AND number = :number;

-- name: issue
DELETE FROM issues WHERE id = :id;

-- name: agents
DELETE FROM agents WHERE last_seen_at < :before
  AND NOT EXISTS (SELECT 1 FROM tasks WHERE lease_agent = agents.agent_id);

-- name: stats
DELETE FROM stats WHERE period IN ('daily', 'hourly') AND start < :before;

-- name: buckets
DELETE FROM buckets WHERE ready = 0 AND emptied_at <= :before;
