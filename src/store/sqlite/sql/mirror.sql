-- Records an issue and applies what it asks of its tasks.

-- name: known
SELECT id, state, updated_at, match_labels FROM issues
WHERE repository = :repository AND number = :number;

-- name: record
INSERT INTO issues (repository, number, state, updated_at, seen_at, match_labels)
VALUES (:repository, :number, :state, :updated_at, :now, :match_labels)
ON CONFLICT DO UPDATE SET
  state = :state, updated_at = :updated_at, seen_at = :now, match_labels = :match_labels
RETURNING id;

-- name: picture
INSERT INTO pictures VALUES (:issue_id, :picture)
ON CONFLICT DO UPDATE SET picture = :picture WHERE picture <> :picture;

-- name: labels
SELECT label, matching FROM issue_labels WHERE issue_id = :issue_id;

-- name: unlabel
DELETE FROM issue_labels WHERE issue_id = :issue_id AND label = :label;

-- name: label
INSERT INTO issue_labels VALUES (:label, :issue_id, :matching);

-- name: independ
DELETE FROM dependencies WHERE repository = :repository AND number = :number;

-- name: depend
INSERT OR IGNORE INTO dependencies VALUES (:repository, :depends_on, :number);

-- name: ready
SELECT * FROM tasks WHERE issue_id = :issue_id AND state = 'ready';

-- What a plan may change of a task that is not leased: everything it says.
-- name: plan
UPDATE tasks SET
  state = :state, reason = :reason, priority = :priority, attempts = :attempts,
  enqueued_at = :enqueued_at, ready_at = :ready_at, timed = :timed, only_agent = :only_agent,
  opens_at = :opens_at, branch = :branch, pr_number = :pr_number,
  review_comments = :review_comments, bucket = :bucket, score = :score, created_at = :created_at,
  ended_at = :ended_at, updated_at = :now
WHERE id = :id AND state <> 'leased';

-- A lease is not disturbed: neither is its branch.
-- name: planLeased
UPDATE tasks SET priority = :priority, pr_number = :pr_number, updated_at = :now
WHERE id = :id AND state = 'leased';
