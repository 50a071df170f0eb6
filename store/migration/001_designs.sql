CREATE TABLE designs (
  id         TEXT PRIMARY KEY CHECK (length(id) BETWEEN 8 AND 40),
  name       TEXT NOT NULL CHECK (length(name) <= 200),
  cluster    TEXT NOT NULL DEFAULT '' CHECK (length(cluster) <= 200),
  created_at INTEGER NOT NULL
) STRICT;

-- A revision is written once. Its hash covers the hash of the one before it.
CREATE TABLE revisions (
  design_id  TEXT    NOT NULL REFERENCES designs(id),
  n          INTEGER NOT NULL CHECK (n >= 1),
  document   TEXT    NOT NULL CHECK (length(document) <= 1048576),
  evidence   TEXT    NOT NULL CHECK (length(evidence) <= 8388608),
  bundle     BLOB    NOT NULL,
  pattern    TEXT    NOT NULL CHECK (length(pattern) <= 100),
  author     TEXT    NOT NULL CHECK (length(author) <= 200),
  note       TEXT    NOT NULL CHECK (length(note) <= 4000),
  previous   TEXT    NOT NULL,
  hash       TEXT    NOT NULL UNIQUE CHECK (length(hash) = 64),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (design_id, n)
) STRICT;

CREATE TRIGGER revisions_are_never_changed BEFORE UPDATE ON revisions BEGIN SELECT RAISE(ABORT, 'revisions are append-only'); END;
CREATE TRIGGER revisions_are_never_removed BEFORE DELETE ON revisions BEGIN SELECT RAISE(ABORT, 'revisions are append-only'); END;

CREATE TABLE proofs (
  id         INTEGER PRIMARY KEY,
  design_id  TEXT    NOT NULL,
  n          INTEGER NOT NULL,
  state      TEXT    NOT NULL CHECK (state IN ('proven', 'refuted', 'not proven')),
  pattern    TEXT    NOT NULL,
  seed       INTEGER NOT NULL,
  rounds     INTEGER NOT NULL,
  engine     TEXT    NOT NULL,
  result     TEXT    NOT NULL CHECK (length(result) <= 8388608),
  created_at INTEGER NOT NULL,
  FOREIGN KEY (design_id, n) REFERENCES revisions(design_id, n)
) STRICT;
CREATE INDEX proofs_by_revision ON proofs(design_id, n, id);

-- A draft is a design document that may be incomplete. design_id and base say
-- which revision it would follow.
CREATE TABLE drafts (
  id         TEXT PRIMARY KEY CHECK (length(id) BETWEEN 8 AND 40),
  cluster    TEXT    NOT NULL DEFAULT '' CHECK (length(cluster) <= 200),
  design_id  TEXT    REFERENCES designs(id),
  base       INTEGER NOT NULL DEFAULT 0,
  document   TEXT    NOT NULL CHECK (length(document) <= 1048576),
  notes      TEXT    NOT NULL DEFAULT '{}' CHECK (length(notes) <= 1048576),
  version    INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX drafts_by_time ON drafts(updated_at);

CREATE TABLE comments (
  id          INTEGER PRIMARY KEY,
  design_id   TEXT    NOT NULL,
  n           INTEGER NOT NULL,
  anchor      TEXT    NOT NULL CHECK (length(anchor) <= 200),
  author      TEXT    NOT NULL CHECK (length(author) <= 200),
  body        TEXT    NOT NULL CHECK (length(body) BETWEEN 1 AND 20480),
  created_at  INTEGER NOT NULL,
  resolved_at INTEGER NOT NULL DEFAULT 0,
  resolved_by TEXT    NOT NULL DEFAULT '',
  FOREIGN KEY (design_id, n) REFERENCES revisions(design_id, n)
) STRICT;
CREATE INDEX comments_by_design ON comments(design_id, id);

-- An approval is for one hash: a later revision has another.
CREATE TABLE approvals (
  id         INTEGER PRIMARY KEY,
  design_id  TEXT    NOT NULL REFERENCES designs(id),
  hash       TEXT    NOT NULL REFERENCES revisions(hash),
  author     TEXT    NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  note       TEXT    NOT NULL CHECK (length(note) <= 4000),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX approvals_by_design ON approvals(design_id, id);
