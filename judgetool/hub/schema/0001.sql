-- Hub, schema 1. Times called "at" are milliseconds since 1970 in UTC, as in a project file.
CREATE SCHEMA judgetool;

-- One row. last_seq is how many lines the log has: whoever writes locks this row, so that lines become
-- visible in the order of their numbers, without gaps. (A sequence would let a reader miss one.)
CREATE TABLE judgetool.hub(
  is_one boolean PRIMARY KEY DEFAULT true CHECK(is_one),
  schema integer NOT NULL,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  project uuid NOT NULL,
  title text NOT NULL,
  scale_hash text NOT NULL,
  last_seq bigint NOT NULL DEFAULT 0,
  made_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 10);

CREATE TABLE judgetool.member(
  name text PRIMARY KEY CHECK(name <> ''),
  role text NOT NULL CHECK(role IN ('lead', 'assessor', 'reader')),
  login text NOT NULL UNIQUE,
  added_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz
);

-- The append-only log. parents: uuids one after another, 16 bytes each. restored_by: a lead who sent
-- what another member had said, out of a file.
CREATE TABLE judgetool.event(
  seq bigint NOT NULL,
  at bigint NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  uuid uuid NOT NULL,
  kind text NOT NULL,
  assessor text NOT NULL,
  query text,
  document text,
  parents bytea NOT NULL CHECK(length(parents) % 16 = 0),
  restored_by text,
  body text NOT NULL,
  CHECK(kind NOT IN ('judgment', 'again', 'settled') OR (query IS NOT NULL AND document IS NOT NULL))
);
CREATE UNIQUE INDEX event_uuid ON judgetool.event(uuid);
CREATE UNIQUE INDEX event_seq ON judgetool.event(seq);
CREATE INDEX event_assessor ON judgetool.event(assessor, seq);
CREATE INDEX event_query ON judgetool.event(query, seq) WHERE query IS NOT NULL;
CREATE INDEX event_open ON judgetool.event(seq) WHERE kind IN ('value', 'release', 'bundle');

-- Small project files: texts, runs (for all members), imports and labels of models (for leads).
CREATE TABLE judgetool.bundle(
  uuid uuid PRIMARY KEY,
  seq bigint NOT NULL UNIQUE,
  name text NOT NULL,
  n_bytes bigint NOT NULL,
  n_parts integer NOT NULL,
  sha256 bytea NOT NULL,
  is_material boolean NOT NULL,
  sent_by text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE judgetool.part(
  bundle uuid NOT NULL,
  number integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY(bundle, number)
);
-- They come compressed.
ALTER TABLE judgetool.part ALTER COLUMN content SET STORAGE EXTERNAL;

-- Queries whose judgments all members may read.
CREATE TABLE judgetool.release(
  query text PRIMARY KEY,
  seq bigint NOT NULL,
  released_by text NOT NULL,
  released_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION judgetool.keep_as_is() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'What is in the hub is neither changed nor deleted.' USING ERRCODE = 'JT002';
END $$;
CREATE TRIGGER keep_as_is BEFORE UPDATE OR DELETE OR TRUNCATE ON judgetool.event
  FOR EACH STATEMENT EXECUTE FUNCTION judgetool.keep_as_is();
CREATE TRIGGER keep_as_is BEFORE UPDATE OR DELETE OR TRUNCATE ON judgetool.bundle
  FOR EACH STATEMENT EXECUTE FUNCTION judgetool.keep_as_is();
CREATE TRIGGER keep_as_is BEFORE UPDATE OR DELETE OR TRUNCATE ON judgetool.part
  FOR EACH STATEMENT EXECUTE FUNCTION judgetool.keep_as_is();
CREATE TRIGGER keep_as_is BEFORE UPDATE OR DELETE OR TRUNCATE ON judgetool.release
  FOR EACH STATEMENT EXECUTE FUNCTION judgetool.keep_as_is();
CREATE TRIGGER keep_as_is BEFORE DELETE OR TRUNCATE ON judgetool.hub
  FOR EACH STATEMENT EXECUTE FUNCTION judgetool.keep_as_is();
CREATE TRIGGER keep_as_is BEFORE DELETE OR TRUNCATE ON judgetool.member
  FOR EACH STATEMENT EXECUTE FUNCTION judgetool.keep_as_is();
