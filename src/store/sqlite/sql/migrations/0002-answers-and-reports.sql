-- Which lease its agent was told of, by its fence: another fence, or none, means that it was not. So nothing
-- has to be cleared when a lease ends.
ALTER TABLE tasks ADD COLUMN answered_fence INTEGER;

-- What the holder reported at the end, so that a repeated call can be told from another one.
ALTER TABLE attempts ADD COLUMN fingerprint TEXT;
