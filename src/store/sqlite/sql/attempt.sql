-- One row for each lease ever given.

-- name: list
SELECT * FROM attempts WHERE task_id = :task_id ORDER BY fence;

-- How the lease with this token ended; the newest, should a caller have used a token twice.
-- name: byToken
SELECT agent_id, fence, outcome, fingerprint FROM attempts
WHERE task_id = :task_id AND token = :token ORDER BY fence DESC LIMIT 1;

-- name: byFence
SELECT agent_id, fence, outcome, fingerprint FROM attempts WHERE task_id = :task_id AND fence = :fence;

-- name: last
SELECT agent_id, fence, outcome, fingerprint FROM attempts
WHERE task_id = :task_id ORDER BY fence DESC LIMIT 1;

-- name: begin
INSERT INTO attempts (task_id, fence, token, agent_id, branch, started_at)
VALUES (:task_id, :fence, :token, :agent_id, :branch, :now);

-- name: forget
DELETE FROM attempts WHERE task_id = :task_id AND fence <=
  (SELECT fence FROM attempts WHERE task_id = :task_id ORDER BY fence DESC LIMIT 1 OFFSET :kept);

-- name: end
UPDATE attempts SET
  ended_at = :now, outcome = :outcome, note = :note, fingerprint = :fingerprint
WHERE task_id = :task_id AND fence = :fence;
