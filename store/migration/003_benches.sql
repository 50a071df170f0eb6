-- What reading a revision's design costs: measured on generated rows (bench), or
-- estimated from the source as it was (estimate). A bench is kept from its start,
-- so that one which a stopped server left behind is told from one that runs.
CREATE TABLE benches (
  id         INTEGER PRIMARY KEY,
  design_id  TEXT    NOT NULL,
  n          INTEGER NOT NULL,
  kind       TEXT    NOT NULL CHECK (kind IN ('bench', 'estimate')),
  state      TEXT    NOT NULL CHECK (state IN ('running', 'done', 'failed', 'cancelled', 'interrupted')),
  request    TEXT    NOT NULL CHECK (length(request) <= 65536),
  result     TEXT    NOT NULL DEFAULT '' CHECK (length(result) <= 8388608),
  message    TEXT    NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL DEFAULT 0,
  FOREIGN KEY (design_id, n) REFERENCES revisions(design_id, n)
) STRICT;
CREATE INDEX benches_by_revision ON benches(design_id, n, kind, id);
