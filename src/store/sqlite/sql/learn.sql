-- Makes a label relevant and files the ready tasks that carry it anew.

-- name: known
SELECT 1 FROM labels WHERE label = :label AND learned = 1;

-- name: learn
INSERT INTO labels (label, learned) VALUES (:label, 1) ON CONFLICT DO UPDATE SET learned = 1;

-- name: affected
SELECT DISTINCT t.bucket FROM issue_labels il JOIN tasks t ON t.issue_id = il.issue_id
WHERE il.label = :label AND il.matching = 1 AND t.bucket IS NOT NULL;

-- name: refile
UPDATE tasks SET bucket = :to, updated_at = :now
WHERE bucket = :from
  AND issue_id IN (SELECT issue_id FROM issue_labels WHERE label = :label AND matching = 1);
