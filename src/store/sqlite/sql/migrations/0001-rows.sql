-- Rows are texts that only core reads (core/rows/codec.ts); a column stands beside them only where SQL has to find
-- them by it. Everything that lives is in memory: the indexes are for the start, for ended tasks and for forgetting.

CREATE TABLE counters (
  id               INTEGER PRIMARY KEY CHECK (id = 1),
  turn             INTEGER NOT NULL,
  clock            INTEGER NOT NULL,
  place            INTEGER NOT NULL,
  registry_version INTEGER NOT NULL,
  fact_seq         INTEGER NOT NULL,
  task_seq         INTEGER NOT NULL,
  issue_seq        INTEGER NOT NULL
) STRICT;
INSERT INTO counters VALUES (1, 0, 0, 0, 1, 0, 0, 0);

-- `closed_at`: null while the issue lives; otherwise when it was last seen.
CREATE TABLE issues (
  seq        INTEGER PRIMARY KEY,
  repository TEXT NOT NULL,
  number     INTEGER NOT NULL,
  closed_at  INTEGER,
  row        TEXT NOT NULL,
  picture    TEXT NOT NULL,
  UNIQUE (repository, number)
) STRICT;
CREATE INDEX issues_closed ON issues (closed_at);

CREATE TABLE ledgers (
  issue INTEGER PRIMARY KEY,
  row   TEXT NOT NULL
) STRICT;

-- `ended`: the state that ended it, null while it is open. `facts`: numbers of its facts. Tasks of an issue are
-- found by what their ids begin with.
CREATE TABLE tasks (
  seq   INTEGER PRIMARY KEY,
  id    TEXT NOT NULL UNIQUE,
  issue INTEGER NOT NULL,
  ended TEXT,
  row   TEXT NOT NULL,
  facts TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_open ON tasks (seq) WHERE ended IS NULL;

-- Which tasks have a result to forget, in the order in which they ended: only ever appended to.
CREATE TABLE results (
  seq  INTEGER PRIMARY KEY,
  at   INTEGER NOT NULL,
  task INTEGER NOT NULL
) STRICT;

CREATE TABLE agents (
  id  TEXT PRIMARY KEY,
  row TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  seq  INTEGER PRIMARY KEY,
  at   INTEGER NOT NULL,
  fact TEXT NOT NULL
) STRICT;

CREATE TABLE stats (
  period  TEXT NOT NULL,
  start   TEXT NOT NULL,
  counter TEXT NOT NULL,
  value   INTEGER NOT NULL,
  PRIMARY KEY (period, start, counter)
) STRICT, WITHOUT ROWID;

-- How many tasks have ended in each way; those that are open are counted in memory.
CREATE TABLE ended_counts (
  state    TEXT NOT NULL,
  kind     TEXT NOT NULL,
  priority INTEGER NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (state, kind, priority)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Labels that some agent has offered as a capability.
CREATE TABLE learned (
  label TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
