-- The first schema. Instants are milliseconds of the store's clock; lists are JSON.
-- Counts that people read are kept by triggers, so that reading them never scans.

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO counters VALUES
  ('clock', 0), ('enqueued_at', 0), ('registry_version', 1), ('write_version', 0),
  ('outbox_pending', 0), ('outbox_failing', 0);

CREATE TABLE issues (
  id           INTEGER PRIMARY KEY,
  repository   TEXT NOT NULL,
  number       INTEGER NOT NULL,
  state        TEXT NOT NULL,
  updated_at   INTEGER NOT NULL,
  seen_at      INTEGER NOT NULL,
  match_labels TEXT NOT NULL,
  wanted       TEXT NOT NULL DEFAULT '[]',
  written      TEXT NOT NULL DEFAULT '[]',
  written_at   INTEGER,
  unfinished   INTEGER NOT NULL DEFAULT 0,
  UNIQUE (repository, number)
);
CREATE INDEX issues_open ON issues (repository, number) WHERE state = 'open' OR unfinished > 0;
CREATE INDEX issues_closed ON issues (seen_at) WHERE state = 'closed' AND unfinished = 0;

-- What the forge showed, apart from the small row above: hand-outs rewrite that one, never this.
CREATE TABLE pictures (
  issue_id INTEGER PRIMARY KEY REFERENCES issues ON DELETE CASCADE,
  picture  TEXT NOT NULL
);

CREATE TABLE issue_labels (
  label    TEXT NOT NULL,
  issue_id INTEGER NOT NULL REFERENCES issues ON DELETE CASCADE,
  matching INTEGER NOT NULL,
  PRIMARY KEY (label, issue_id)
) WITHOUT ROWID;
CREATE INDEX issue_labels_issue ON issue_labels (issue_id);

CREATE TABLE dependencies (
  repository TEXT NOT NULL,
  depends_on INTEGER NOT NULL,
  number     INTEGER NOT NULL,
  PRIMARY KEY (repository, depends_on, number)
) WITHOUT ROWID;
CREATE INDEX dependencies_number ON dependencies (repository, number);

-- `bucket` and `score` are set exactly while the task is ready.
-- `timed`: `ready_at` came from a failure or an operator, and a plan does not set it anew.
CREATE TABLE tasks (
  seq              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  issue_id         INTEGER NOT NULL REFERENCES issues,
  repository       TEXT NOT NULL,
  number           INTEGER NOT NULL,
  kind             TEXT NOT NULL,
  round            INTEGER NOT NULL,
  state            TEXT NOT NULL,
  reason           TEXT,
  priority         INTEGER NOT NULL,
  pinned           INTEGER NOT NULL DEFAULT 0,
  attempts         INTEGER NOT NULL DEFAULT 0,
  fence            INTEGER NOT NULL DEFAULT 0,
  enqueued_at      INTEGER,
  ready_at         INTEGER,
  timed            INTEGER NOT NULL DEFAULT 0,
  lease_agent      TEXT,
  lease_token      TEXT,
  lease_seconds    INTEGER,
  leased_at        INTEGER,
  lease_expires_at INTEGER,
  lease_request    TEXT,
  authors          TEXT NOT NULL DEFAULT '[]',
  only_agent       TEXT,
  opens_at         INTEGER,
  branch           TEXT NOT NULL,
  pr_number        INTEGER,
  review_comments  TEXT NOT NULL DEFAULT '[]',
  result           TEXT,
  created_at       INTEGER NOT NULL,
  updated_at       INTEGER NOT NULL,
  ended_at         INTEGER,
  bucket           TEXT,
  score            INTEGER,
  CHECK ((state = 'ready') = (bucket IS NOT NULL)),
  CHECK ((state = 'leased') = (lease_token IS NOT NULL))
);
CREATE INDEX tasks_issue ON tasks (issue_id);
CREATE INDEX tasks_state ON tasks (state, seq);
CREATE INDEX tasks_ready ON tasks (bucket, score) WHERE bucket IS NOT NULL;
CREATE INDEX tasks_delayed ON tasks (ready_at) WHERE state = 'delayed';
CREATE INDEX tasks_opening ON tasks (opens_at) WHERE opens_at IS NOT NULL AND state = 'ready';
CREATE INDEX tasks_expiry ON tasks (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
CREATE INDEX tasks_holder ON tasks (lease_agent) WHERE lease_agent IS NOT NULL;
CREATE INDEX tasks_results ON tasks (ended_at) WHERE result IS NOT NULL;

-- One row for each lease ever given; the token tells a repeated call from a stale one.
CREATE TABLE attempts (
  task_id    TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  fence      INTEGER NOT NULL,
  token      TEXT NOT NULL,
  agent_id   TEXT NOT NULL,
  branch     TEXT,
  started_at INTEGER NOT NULL,
  ended_at   INTEGER,
  outcome    TEXT,
  note       TEXT,
  progress   TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (task_id, fence)
) WITHOUT ROWID;
CREATE INDEX attempts_agent ON attempts (agent_id, task_id);

CREATE TABLE agents (
  agent_id      TEXT PRIMARY KEY,
  capabilities  TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  last_seen_at  INTEGER NOT NULL,
  lapsed        INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- `available_at`: when it may be taken; while it is locked, when the lock ends.
CREATE TABLE outbox (
  seq            INTEGER PRIMARY KEY,
  id             TEXT NOT NULL UNIQUE,
  type           TEXT NOT NULL,
  repository     TEXT NOT NULL,
  number         INTEGER NOT NULL,
  task_id        TEXT,
  fence          INTEGER,
  branch         TEXT,
  event          TEXT,
  version        INTEGER NOT NULL,
  locked_version INTEGER,
  attempts       INTEGER NOT NULL DEFAULT 0,
  available_at   INTEGER NOT NULL,
  error          TEXT
);
CREATE INDEX outbox_available ON outbox (available_at, seq);

CREATE TABLE facts (
  seq     INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  task_id TEXT,
  body    TEXT NOT NULL
);
CREATE INDEX facts_task ON facts (task_id, seq) WHERE task_id IS NOT NULL;

CREATE TABLE stats (
  period  TEXT NOT NULL,
  start   TEXT NOT NULL,
  counter TEXT NOT NULL,
  value   INTEGER NOT NULL,
  PRIMARY KEY (period, start, counter)
) WITHOUT ROWID;

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- What the triggers keep ------------------------------------------------------------------------

CREATE TABLE buckets (
  key        TEXT PRIMARY KEY,
  ready      INTEGER NOT NULL,
  emptied_at INTEGER
) WITHOUT ROWID;

CREATE TABLE labels (
  label   TEXT PRIMARY KEY,
  -- 0: no, 1: yes, 2: being learned (relevant already, still listed as unlearned).
  learned INTEGER NOT NULL DEFAULT 0,
  -- Issues with unfinished tasks that carry it.
  uses    INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE task_counts (
  state    TEXT NOT NULL,
  kind     TEXT NOT NULL,
  priority INTEGER NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (state, kind, priority)
) WITHOUT ROWID;

CREATE TRIGGER bucket_appears AFTER INSERT ON buckets BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'registry_version';
END;
CREATE TRIGGER bucket_disappears AFTER DELETE ON buckets BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'registry_version';
END;
CREATE TRIGGER label_appears AFTER INSERT ON labels BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'registry_version';
END;
CREATE TRIGGER label_changes AFTER UPDATE ON labels
WHEN old.learned <> new.learned OR (new.learned <> 1 AND (old.uses = 0) <> (new.uses = 0)) BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'registry_version';
END;

CREATE TRIGGER task_made AFTER INSERT ON tasks BEGIN
  INSERT INTO task_counts VALUES (new.state, new.kind, new.priority, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
  UPDATE issues SET unfinished = unfinished + 1
    WHERE id = new.issue_id AND new.state IN ('held', 'delayed', 'ready', 'leased');
END;
CREATE TRIGGER task_filed_new AFTER INSERT ON tasks WHEN new.bucket IS NOT NULL BEGIN
  INSERT INTO buckets VALUES (new.bucket, 1, NULL)
    ON CONFLICT DO UPDATE SET ready = ready + 1, emptied_at = NULL;
END;
CREATE TRIGGER task_counted AFTER UPDATE ON tasks
WHEN old.state <> new.state OR old.priority <> new.priority BEGIN
  UPDATE task_counts SET count = count - 1
    WHERE state = old.state AND kind = old.kind AND priority = old.priority;
  INSERT INTO task_counts VALUES (new.state, new.kind, new.priority, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER task_ends_or_returns AFTER UPDATE ON tasks
WHEN (old.state IN ('held', 'delayed', 'ready', 'leased'))
  <> (new.state IN ('held', 'delayed', 'ready', 'leased')) BEGIN
  UPDATE issues
    SET unfinished = unfinished + iif(new.state IN ('held', 'delayed', 'ready', 'leased'), 1, -1)
    WHERE id = new.issue_id;
END;
CREATE TRIGGER task_filed AFTER UPDATE ON tasks WHEN old.bucket IS NOT new.bucket BEGIN
  UPDATE buckets SET ready = ready - 1, emptied_at = iif(ready = 1, new.updated_at, NULL)
    WHERE key = old.bucket;
  INSERT INTO buckets SELECT new.bucket, 1, NULL WHERE new.bucket IS NOT NULL
    ON CONFLICT DO UPDATE SET ready = ready + 1, emptied_at = NULL;
END;
CREATE TRIGGER task_forgotten AFTER DELETE ON tasks BEGIN
  UPDATE task_counts SET count = count - 1
    WHERE state = old.state AND kind = old.kind AND priority = old.priority;
END;

CREATE TRIGGER issue_becomes_busy AFTER UPDATE OF unfinished ON issues
WHEN old.unfinished = 0 AND new.unfinished > 0 BEGIN
  UPDATE labels SET uses = uses + 1
    WHERE label IN (SELECT label FROM issue_labels WHERE issue_id = new.id AND matching = 1);
END;
CREATE TRIGGER issue_becomes_idle AFTER UPDATE OF unfinished ON issues
WHEN old.unfinished > 0 AND new.unfinished = 0 BEGIN
  UPDATE labels SET uses = uses - 1
    WHERE label IN (SELECT label FROM issue_labels WHERE issue_id = new.id AND matching = 1);
END;
CREATE TRIGGER issue_label_added AFTER INSERT ON issue_labels WHEN new.matching = 1 BEGIN
  INSERT INTO labels (label, uses)
    VALUES (new.label, (SELECT unfinished > 0 FROM issues WHERE id = new.issue_id))
    ON CONFLICT DO UPDATE SET uses = uses + excluded.uses;
END;
CREATE TRIGGER issue_label_removed AFTER DELETE ON issue_labels WHEN old.matching = 1 BEGIN
  UPDATE labels SET uses = uses - 1
    WHERE label = old.label AND (SELECT unfinished > 0 FROM issues WHERE id = old.issue_id);
END;

CREATE TRIGGER write_enqueued AFTER INSERT ON outbox BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'outbox_pending';
END;
CREATE TRIGGER write_done AFTER DELETE ON outbox BEGIN
  UPDATE counters SET value = value - 1 WHERE name = 'outbox_pending';
  UPDATE counters SET value = value - 1 WHERE name = 'outbox_failing' AND old.attempts > 0;
END;
CREATE TRIGGER write_fails AFTER UPDATE OF attempts ON outbox
WHEN old.attempts = 0 AND new.attempts > 0 BEGIN
  UPDATE counters SET value = value + 1 WHERE name = 'outbox_failing';
END;
