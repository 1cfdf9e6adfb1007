-- Makes a label relevant and files the ready tasks that carry it anew. 0: nobody asked for it yet,
-- 2: being learned, 1: learned.

-- name: known
SELECT 1 FROM labels WHERE label = :label AND learned = 1;

-- name: begin
INSERT INTO labels (label, learned) VALUES (:label, 2) ON CONFLICT DO UPDATE SET learned = 2;

-- name: slice
SELECT issue_id FROM issue_labels
WHERE label = :label AND matching = 1 AND issue_id > :after ORDER BY issue_id LIMIT :limit;

-- name: ready
SELECT * FROM tasks WHERE issue_id = :issue_id AND state = 'ready';

-- name: finish
UPDATE labels SET learned = 1 WHERE label = :label;
