-- What the doctor asks of a file that it must not change.

-- name: tokens
SELECT count(*) AS count FROM settings WHERE substr(name, 1, 7) = 'tokens:';
