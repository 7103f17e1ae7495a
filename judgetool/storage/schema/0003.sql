-- Schema 3: checksums of what SQLite would give back changed without a word, and clicks.
-- Small rows carry theirs. Texts and rankings have it beside them, so that bringing a large
-- file up to date does not write all of it anew. storage/checksums.py says what each covers.
ALTER TABLE assessors ADD COLUMN hash INTEGER;
ALTER TABLE steps ADD COLUMN hash INTEGER;
ALTER TABLE step_events ADD COLUMN hash INTEGER;
ALTER TABLE value_events ADD COLUMN hash INTEGER;
ALTER TABLE runs ADD COLUMN hash INTEGER;

CREATE TABLE query_text_hashes(
  query_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  PRIMARY KEY(query_id, step_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_text_hashes(
  document_id INTEGER NOT NULL,
  step_id INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  PRIMARY KEY(document_id, step_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE ranking_hashes(
  run_id INTEGER NOT NULL,
  query_id INTEGER NOT NULL,
  hash INTEGER NOT NULL,
  PRIMARY KEY(run_id, query_id)
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
