-- What is wanted on an issue, and the outbox entry that brings it there.

-- name: issue
SELECT id, repository, number, wanted, written FROM issues WHERE id = :id;

-- name: want
UPDATE issues SET wanted = :wanted WHERE id = :id;

-- name: own
UPDATE issues SET written = :written WHERE id = :id;

-- A write of labels begins: from now on they may stand on the issue, whatever becomes of the writer.
-- name: begin
UPDATE issues SET written = (
  SELECT json_group_array(label)
  FROM (SELECT value AS label FROM json_each(written) UNION SELECT value FROM json_each(wanted))
)
WHERE repository = :repository AND number = :number;

-- name: pending
SELECT 1 FROM outbox WHERE id = :id;

-- name: version
UPDATE counters SET value = value + 1 WHERE name = 'write_version' RETURNING value;

-- A later step on the same entry merges with it: new version, due at once. A lock stays, so that
-- the write that is under way ends first.
-- name: enqueue
INSERT INTO outbox (id, type, repository, number, task_id, fence, branch, event, version, available_at)
VALUES (:id, :type, :repository, :number, :task_id, :fence, :branch, :event, :version, :now)
ON CONFLICT (id) DO UPDATE SET
  task_id = :task_id, fence = :fence, branch = :branch, version = :version,
  available_at = iif(locked_version IS NOT NULL AND available_at > :now, available_at, :now);

-- name: find
SELECT * FROM outbox WHERE id = :id;

-- name: lock
UPDATE outbox SET locked_version = version, available_at = :until WHERE id = :id;
