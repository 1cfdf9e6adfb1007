-- The log of the work on issues that live, and the work on those that do not, which lies with them.

-- name: all
SELECT seq, issue, text FROM work ORDER BY seq;

-- name: one
SELECT text FROM work WHERE seq = ?;

-- name: append
INSERT INTO work VALUES (?, ?, ?);

-- name: closed
UPDATE issues SET work = ? WHERE seq = ?;

-- name: outdated
DELETE FROM work WHERE seq BETWEEN ? AND ?;
