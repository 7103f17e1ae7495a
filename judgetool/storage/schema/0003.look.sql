-- A file of schema 2 as a reader of schema 3 sees it: it has no clicks. Its checksums are
-- asked for only by the check, which knows what schema the file has.
CREATE TEMP TABLE clicks(
  step_id INTEGER, query_id INTEGER, document_id INTEGER, position INTEGER, impressions INTEGER,
  clicks INTEGER, hash INTEGER);
