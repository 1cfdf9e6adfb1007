-- The work on an issue, its ledger and its tasks, becomes one text (src/store/memory/entries.ts): what changes
-- together lies together and is written once. No index is left that a hand-out or a completion would have to change.

-- Of issues that live: a log, only ever appended to at its end, so that what one turn changes fills few pages. The
-- last text of an issue holds; those before it are deleted later, many at once.
CREATE TABLE work (
  seq   INTEGER PRIMARY KEY,
  issue INTEGER NOT NULL,
  text  TEXT NOT NULL
) STRICT;
-- Of an issue that does not live any more.
ALTER TABLE issues ADD COLUMN work TEXT;

CREATE INDEX tasks_issue ON tasks (issue);
UPDATE issues SET work = coalesce((SELECT l.row FROM ledgers l WHERE l.issue = issues.seq), '[[],[],null,0,[]]')
  || coalesce((
    SELECT group_concat(
      char(10) || t.seq || ' ' || replace(t.facts, ' ', ',') || ' '
        || substr(t.id, length(repository) + length(number) + 3) || ' ' || t.row,
      '' ORDER BY t.seq)
    FROM tasks t WHERE t.issue = issues.seq), '');
INSERT INTO work (issue, text) SELECT seq, work FROM issues WHERE closed_at IS NULL ORDER BY seq;
UPDATE issues SET work = NULL WHERE closed_at IS NULL;
DROP TABLE ledgers;

-- Issues of which a task got a result, in the order of time: only ever appended to.
CREATE TABLE ended_with_result (
  seq    INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  issues TEXT NOT NULL
) STRICT;
INSERT INTO ended_with_result
SELECT r.seq, r.at, '[' || t.issue || ']' FROM results r JOIN tasks t ON t.seq = r.task;
DROP TABLE results;
ALTER TABLE ended_with_result RENAME TO results;

-- In which issue a task is, in the order in which tasks were made.
CREATE TABLE places (
  seq   INTEGER PRIMARY KEY,
  issue INTEGER NOT NULL
) STRICT;
INSERT INTO places SELECT seq, issue FROM tasks;
DROP TABLE tasks;
ALTER TABLE places RENAME TO tasks;

-- Facts of one turn together, under the number and the instant of the last of them.
CREATE TABLE turns (
  seq   INTEGER PRIMARY KEY,
  at    INTEGER NOT NULL,
  facts TEXT NOT NULL
) STRICT;
INSERT INTO turns SELECT seq, at, '[' || fact || ']' FROM facts;
DROP TABLE facts;
ALTER TABLE turns RENAME TO facts;

ALTER TABLE counters ADD COLUMN ended TEXT NOT NULL DEFAULT '[]';
UPDATE counters SET ended = (
  SELECT json_group_array(
    json_object('state', state, 'kind', kind, 'priority', priority, 'count', count))
  FROM ended_counts WHERE count > 0);
DROP TABLE ended_counts;
