-- Hub, schema 2: what is open to be judged by whoever comes, and who has taken it until when.
CREATE TABLE judgetool.ask(
  query text NOT NULL,
  document text NOT NULL,
  slot integer NOT NULL CHECK(slot > 0),
  place bigint GENERATED ALWAYS AS IDENTITY,
  assessor text,
  lease_until timestamptz,
  is_open boolean NOT NULL DEFAULT true,
  PRIMARY KEY(query, document, slot),
  CHECK((assessor IS NULL) = (lease_until IS NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX ask_person ON judgetool.ask(assessor, query, document) WHERE assessor IS NOT NULL;
CREATE INDEX ask_open ON judgetool.ask(place) WHERE is_open;
CREATE TRIGGER keep_as_is BEFORE DELETE OR TRUNCATE ON judgetool.ask
  FOR EACH STATEMENT EXECUTE FUNCTION judgetool.keep_as_is();
