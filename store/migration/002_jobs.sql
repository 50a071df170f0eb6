-- A job is long work that a page has asked for: the row comes first, then the
-- work. The document is the one it works on, whatever becomes of the draft.
CREATE TABLE jobs (
  id         TEXT    PRIMARY KEY CHECK (length(id) BETWEEN 8 AND 40),
  kind       TEXT    NOT NULL CHECK (kind IN ('prove', 'why-not')),
  design_id  TEXT    REFERENCES designs(id),
  n          INTEGER NOT NULL DEFAULT 0,
  draft      TEXT    NOT NULL DEFAULT '' CHECK (length(draft) <= 40),
  document   TEXT    NOT NULL CHECK (length(document) <= 1048576),
  pattern    TEXT    NOT NULL DEFAULT '' CHECK (length(pattern) <= 100),
  seed       INTEGER NOT NULL,
  rounds     INTEGER NOT NULL,
  rows       INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled', 'interrupted')),
  message    TEXT    NOT NULL DEFAULT '',
  hint       TEXT    NOT NULL DEFAULT '',
  result     TEXT    NOT NULL DEFAULT '' CHECK (length(result) <= 8388608),
  proof_id   INTEGER REFERENCES proofs(id),
  created_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL DEFAULT 0,
  ended_at   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX jobs_by_state ON jobs(state);
CREATE INDEX jobs_by_design ON jobs(design_id, n, created_at);
