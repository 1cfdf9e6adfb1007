-- Lists and counts for people.

-- name: tasks
SELECT t.* FROM tasks t
WHERE t.seq > :after
  AND (:kind IS NULL OR t.kind = :kind) AND (:repository IS NULL OR t.repository = :repository)
ORDER BY t.seq LIMIT :limit;

-- name: tasksInState
SELECT t.* FROM tasks t
WHERE t.state = :state AND t.seq > :after
  AND (:kind IS NULL OR t.kind = :kind) AND (:repository IS NULL OR t.repository = :repository)
  AND (:label IS NULL OR EXISTS
    (SELECT 1 FROM issue_labels WHERE label = :label AND issue_id = t.issue_id))
  AND (:agent IS NULL OR EXISTS
    (SELECT 1 FROM attempts WHERE agent_id = :agent AND task_id = t.id))
ORDER BY t.seq LIMIT :limit;

-- name: tasksWithLabel
SELECT t.* FROM issue_labels il CROSS JOIN tasks t ON t.issue_id = il.issue_id
WHERE il.label = :label AND t.seq > :after
  AND (:kind IS NULL OR t.kind = :kind) AND (:repository IS NULL OR t.repository = :repository)
  AND (:agent IS NULL OR EXISTS
    (SELECT 1 FROM attempts WHERE agent_id = :agent AND task_id = t.id))
ORDER BY t.seq LIMIT :limit;

-- Tasks that an agent holds or has held.
-- name: tasksOfAgent
SELECT t.* FROM tasks t
WHERE t.id IN (SELECT task_id FROM attempts WHERE agent_id = :agent) AND t.seq > :after
  AND (:kind IS NULL OR t.kind = :kind) AND (:repository IS NULL OR t.repository = :repository)
ORDER BY t.seq LIMIT :limit;

-- name: agents
SELECT a.*,
  (SELECT json_group_array(id) FROM (SELECT id FROM tasks
    WHERE lease_agent = a.agent_id AND lease_expires_at > :now ORDER BY leased_at)) AS holds,
  (SELECT min(lease_seconds) FROM tasks
    WHERE lease_agent = a.agent_id AND lease_expires_at > :now) AS lease_seconds
FROM agents a ORDER BY a.agent_id;

-- name: counts
SELECT * FROM task_counts WHERE count > 0 ORDER BY state, kind, priority DESC;

-- name: oldestReady
SELECT min((SELECT enqueued_at FROM tasks WHERE bucket = b.key ORDER BY score LIMIT 1)) AS at
FROM buckets b WHERE b.ready > 0;

-- name: delayed
SELECT id, ready_at FROM tasks INDEXED BY tasks_delayed
WHERE state = 'delayed' ORDER BY ready_at, seq LIMIT :limit;

-- name: outbox
SELECT name, value FROM counters WHERE name IN ('outbox_pending', 'outbox_failing');

-- name: holding
SELECT 1 FROM tasks WHERE lease_agent = :agent_id LIMIT 1;
