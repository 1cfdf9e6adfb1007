-- Asks for the labels of an issue to be written again.

-- name: known
SELECT id FROM issues WHERE repository = :repository AND number = :number;
