-- Hub, schema 4: ids of any length. An index row holds 2.7 kB at most, so queries and documents are
-- found by what their ids hash to. Columns, not expressions: policies let no others be looked up.
ALTER TABLE judgetool.event
  ADD COLUMN query_key bigint GENERATED ALWAYS AS (hashtextextended(query, 0)) STORED;
DROP INDEX judgetool.event_query;
CREATE INDEX event_query ON judgetool.event(query_key, seq) WHERE query IS NOT NULL;

ALTER TABLE judgetool.release
  ADD COLUMN query_key bigint GENERATED ALWAYS AS (hashtextextended(query, 0)) STORED,
  DROP CONSTRAINT release_pkey, ALTER COLUMN query SET NOT NULL;
CREATE INDEX release_query ON judgetool.release(query_key);

ALTER TABLE judgetool.ask
  ADD COLUMN query_key bigint GENERATED ALWAYS AS (hashtextextended(query, 0)) STORED,
  ADD COLUMN document_key bigint GENERATED ALWAYS AS (hashtextextended(document, 0)) STORED,
  DROP CONSTRAINT ask_pkey, ALTER COLUMN query SET NOT NULL, ALTER COLUMN document SET NOT NULL;
ALTER TABLE judgetool.ask ADD CONSTRAINT ask_pkey PRIMARY KEY(query_key, document_key, slot);
DROP INDEX judgetool.ask_person;
CREATE UNIQUE INDEX ask_person ON judgetool.ask(assessor, query_key, document_key)
  WHERE assessor IS NOT NULL;
