-- Schema 3: checksums of what SQLite would give back changed without a word, and clicks.
-- storage/damage.py says what each covers.
ALTER TABLE assessors ADD COLUMN hash INTEGER;
ALTER TABLE steps ADD COLUMN hash INTEGER;
ALTER TABLE step_events ADD COLUMN hash INTEGER;
ALTER TABLE value_events ADD COLUMN hash INTEGER;
ALTER TABLE runs ADD COLUMN hash INTEGER;
ALTER TABLE query_texts ADD COLUMN hash INTEGER;
ALTER TABLE document_texts ADD COLUMN hash INTEGER;
ALTER TABLE rankings ADD COLUMN hash INTEGER;

-- How many rows of a table a step brought: one that is gone has no checksum to miss.
CREATE TABLE row_counts(
  step_id INTEGER NOT NULL REFERENCES steps,
  name TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY(step_id, name)
) STRICT, WITHOUT ROWID;

-- How often a document was shown for a query, and clicked; position 0 where it is not known.
-- What is seen of it hangs on the step that brought it.
CREATE TABLE clicks(
  step_id INTEGER NOT NULL REFERENCES steps,
  query_id INTEGER NOT NULL REFERENCES queries,
  document_id INTEGER NOT NULL REFERENCES documents,
  position INTEGER NOT NULL DEFAULT 0,
  impressions INTEGER NOT NULL,
  clicks INTEGER NOT NULL,
  hash INTEGER,
  PRIMARY KEY(query_id, document_id, position, step_id)
) STRICT, WITHOUT ROWID;

-- What was called RBO until now is Compat, and goes on being shown: rank-biased overlap has its
-- name. Both what is and what the log of values says of it, before that gets its checksums.
UPDATE project_values SET
  value = CAST(with_compat(CAST(key AS BLOB), CAST(value AS BLOB)) AS TEXT);
UPDATE value_events SET
  before = CAST(with_compat(CAST(key AS BLOB), CAST(before AS BLOB)) AS TEXT),
  after = CAST(with_compat(CAST(key AS BLOB), CAST(after AS BLOB)) AS TEXT);
