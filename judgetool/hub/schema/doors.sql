-- Functions, policies and rights of the newest schema; made anew by each upgrade.
-- SECURITY DEFINER: they run with the rights of the hub's owner, so that members need none to write.
-- session_user is the login, whatever role somebody took on. Errors: JT001 not a member, JT002 not
-- allowed to, JT003 another scale, JT004 not as it has to be.

CREATE OR REPLACE FUNCTION judgetool.my_role() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT m.role FROM judgetool.member m WHERE m.login = session_user AND m.closed_at IS NULL $$;

CREATE OR REPLACE FUNCTION judgetool.my_name() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT m.name FROM judgetool.member m WHERE m.login = session_user AND m.closed_at IS NULL $$;

-- The name of a line by its number, whoever wrote it: by it a file knows whether this is still the hub
-- that it has read from.
CREATE OR REPLACE FUNCTION judgetool.uuid_at(wanted bigint) RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT e.uuid FROM judgetool.event e WHERE e.seq = wanted AND judgetool.my_role() IS NOT NULL $$;

-- Return who calls, or refuse whoever has none of these roles.
CREATE OR REPLACE FUNCTION judgetool.member_of(VARIADIC roles text[]) RETURNS judgetool.member
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  me judgetool.member;
BEGIN
  SELECT * INTO me FROM judgetool.member m WHERE m.login = session_user AND m.closed_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The login % is no member of this hub.', session_user USING ERRCODE = 'JT001';
  ELSIF me.role <> ALL (roles) THEN
    RAISE EXCEPTION '% has the role % in this hub, and may not do this.', me.name, me.role
      USING ERRCODE = 'JT002';
  END IF;
  -- Not each time: every change of the row would be written.
  UPDATE judgetool.member m SET seen_at = clock_timestamp() WHERE m.name = me.name
    AND (m.seen_at IS NULL OR m.seen_at < clock_timestamp() - interval '1 minute');
  RETURN me;
END $$;

-- Tell who comes as whom they are known, and note that they were here.
CREATE OR REPLACE FUNCTION judgetool.greet() RETURNS TABLE(name text, role text, login text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT m.name, m.role, m.login FROM judgetool.member_of('lead', 'assessor', 'reader') m $$;

-- Close what somebody has taken and judged; what they judged of their own accord fills what nobody
-- took. Where they have taken it back, it is open again. One by one, and never by going through all
-- that is asked: until a server has looked at a table that was just filled, it takes it for small.
CREATE OR REPLACE FUNCTION judgetool.fill_slots(
  queries text[], documents text[], people text[], closes boolean[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  said record;
BEGIN
  FOR said IN SELECT hashtextextended(e.query, 0) AS query, hashtextextended(e.document, 0) AS document,
      e.person, e.closes FROM unnest(queries, documents, people, closes) AS e(query, document, person, closes)
    ORDER BY e.query, e.document, e.person
  LOOP
    UPDATE judgetool.ask a SET is_open = NOT said.closes WHERE a.assessor = said.person
      AND a.query_key = said.query AND a.document_key = said.document AND a.is_open = said.closes;
    CONTINUE WHEN NOT said.closes OR EXISTS (SELECT 1 FROM judgetool.ask mine WHERE mine.assessor = said.person
      AND mine.query_key = said.query AND mine.document_key = said.document);
    UPDATE judgetool.ask a SET assessor = said.person, lease_until = clock_timestamp(), is_open = false
      WHERE a.query_key = said.query AND a.document_key = said.document AND a.slot = (
        SELECT min(o.slot) FROM judgetool.ask o WHERE o.query_key = said.query
          AND o.document_key = said.document AND o.is_open
          AND (o.lease_until IS NULL OR o.lease_until < clock_timestamp()))
      -- Whoever has just taken it keeps it.
      AND a.is_open AND (a.lease_until IS NULL OR a.lease_until < clock_timestamp());
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION judgetool.push(
  events jsonb, scale text, becomes text DEFAULT NULL,
  OUT n_new bigint, OUT n_known bigint, OUT last_seq bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  me judgetool.member := judgetool.member_of('lead', 'assessor');
  hub judgetool.hub;
  refused record;
BEGIN
  IF me.role <> 'lead' AND becomes IS NOT NULL THEN
    RAISE EXCEPTION 'Only a lead changes the scale.' USING ERRCODE = 'JT002';
  END IF;
  SELECT * INTO refused FROM jsonb_to_recordset(events) AS e(kind text, assessor text)
    WHERE e.kind IN ('release', 'bundle', 'labels') OR me.role <> 'lead'
      AND (e.kind IN ('value', 'settled') OR e.assessor IS DISTINCT FROM me.name) LIMIT 1;
  IF FOUND AND refused.assessor IS DISTINCT FROM me.name THEN
    RAISE EXCEPTION '% may not write in the name of %.', me.name, refused.assessor
      USING ERRCODE = 'JT002';
  ELSIF FOUND THEN
    RAISE EXCEPTION '% may not write lines of the kind %.', me.name, refused.kind
      USING ERRCODE = 'JT002';
  END IF;
  SELECT * INTO hub FROM judgetool.hub FOR UPDATE;
  IF hub.scale_hash <> scale THEN
    RAISE EXCEPTION 'The scale in the hub is another one.' USING ERRCODE = 'JT003';
  END IF;
  INSERT INTO judgetool.event(seq, at, uuid, kind, assessor, query, document, parents, restored_by, body)
    SELECT hub.last_seq + row_number() OVER (ORDER BY g.place), g.at, g.uuid, g.kind, g.assessor,
      g.query, g.document, decode(coalesce(g.parents, ''), 'hex'),
      CASE WHEN g.assessor <> me.name
        AND g.assessor IN (SELECT m.name FROM judgetool.member m) THEN me.name END,
      coalesce(g.body, '{}')
    FROM (
      SELECT DISTINCT ON (e.uuid) e.* FROM ROWS FROM (jsonb_to_recordset(events) AS (
        uuid uuid, kind text, assessor text, query text, document text, at bigint, parents text, body text
      )) WITH ORDINALITY AS e(uuid, kind, assessor, query, document, at, parents, body, place)
      ORDER BY e.uuid, e.place
    ) g
    WHERE NOT EXISTS (SELECT 1 FROM judgetool.event x WHERE x.uuid = g.uuid)
    ORDER BY g.place;
  GET DIAGNOSTICS n_new = ROW_COUNT;
  n_known := jsonb_array_length(events) - n_new;
  last_seq := hub.last_seq + n_new;
  IF n_new > 0 OR becomes IS NOT NULL THEN
    UPDATE judgetool.hub h SET last_seq = push.last_seq, scale_hash = coalesce(becomes, h.scale_hash);
    PERFORM pg_notify('judgetool', last_seq::text);
  END IF;
  IF EXISTS (SELECT 1 FROM judgetool.ask) THEN
    PERFORM judgetool.fill_slots(
        array_agg(e.query), array_agg(e.document), array_agg(e.assessor), array_agg(e.closes)
      ) FROM (
        SELECT DISTINCT ON (s.assessor, s.query, s.document) s.* FROM ROWS FROM (jsonb_to_recordset(events)
          AS (kind text, assessor text, query text, document text, closes boolean)
        ) WITH ORDINALITY AS s(kind, assessor, query, document, closes, place)
        WHERE s.kind = 'judgment' ORDER BY s.assessor, s.query, s.document, s.place DESC
      ) e HAVING count(*) > 0;
  END IF;
EXCEPTION
  WHEN data_exception OR integrity_constraint_violation THEN
    RAISE EXCEPTION 'What was sent is not as it has to be: %', SQLERRM USING ERRCODE = 'JT004';
END $$;

-- Number a line that the hub itself writes; the caller holds the lock of its row.
CREATE OR REPLACE FUNCTION judgetool.note(
  line uuid, kind text, assessor text, query text, body text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number bigint;
BEGIN
  UPDATE judgetool.hub h SET last_seq = h.last_seq + 1 RETURNING h.last_seq INTO number;
  INSERT INTO judgetool.event(seq, at, uuid, kind, assessor, query, parents, body)
    VALUES(number, 1000 * extract(epoch FROM clock_timestamp()), line, kind, assessor, query, '', body);
  RETURN number;
END $$;

CREATE OR REPLACE FUNCTION judgetool.put_part(bundle uuid, number integer, content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM judgetool.member_of('lead');
  INSERT INTO judgetool.part VALUES(bundle, number, content) ON CONFLICT DO NOTHING;
END $$;

-- Say that all parts of a bundle are there; false where it was known.
CREATE OR REPLACE FUNCTION judgetool.put_bundle(
  bundle uuid, name text, n_bytes bigint, n_parts integer, sha256 bytea, is_material boolean
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  me judgetool.member := judgetool.member_of('lead');
  number bigint;
BEGIN
  PERFORM 1 FROM judgetool.hub FOR UPDATE;
  IF EXISTS (SELECT 1 FROM judgetool.bundle b WHERE b.uuid = bundle) THEN
    RETURN false;
  END IF;
  IF (SELECT count(*) FROM judgetool.part p WHERE p.bundle = put_bundle.bundle) <> n_parts THEN
    RAISE EXCEPTION 'Parts of the bundle % are missing.', name USING ERRCODE = 'JT004';
  END IF;
  number := judgetool.note(
    bundle, CASE WHEN is_material THEN 'bundle' ELSE 'labels' END, me.name, NULL, '{}');
  INSERT INTO judgetool.bundle
    VALUES(bundle, number, name, n_bytes, n_parts, sha256, is_material, me.name);
  PERFORM pg_notify('judgetool', number::text);
  RETURN true;
END $$;

-- Let all members read the judgments of queries; return how many were not released before.
CREATE OR REPLACE FUNCTION judgetool.let_read(queries text[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  me judgetool.member := judgetool.member_of('lead');
  name text;
  number bigint;
  n integer := 0;
BEGIN
  PERFORM 1 FROM judgetool.hub FOR UPDATE;
  FOR name IN SELECT DISTINCT q FROM unnest(queries) q
    WHERE NOT EXISTS (SELECT 1 FROM judgetool.release r WHERE r.query = q) ORDER BY q
  LOOP
    number := judgetool.note(gen_random_uuid(), 'release', me.name, name, '{}');
    INSERT INTO judgetool.release VALUES(name, number, me.name);
    n := n + 1;
  END LOOP;
  IF n > 0 THEN
    PERFORM pg_notify('judgetool', number::text);
  END IF;
  RETURN n;
END $$;

-- Ask whoever comes to judge documents; return how many slots more are open. Whoever judged
-- one already, or is asked by name, takes one.
CREATE OR REPLACE FUNCTION judgetool.ask_all(
  queries text[], documents text[], opinions integer,
  heard_queries text[] DEFAULT '{}', heard_documents text[] DEFAULT '{}', heard text[] DEFAULT '{}'
) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n integer;
BEGIN
  PERFORM judgetool.member_of('lead');
  SELECT count(*) INTO n FROM judgetool.ask a WHERE a.is_open;
  INSERT INTO judgetool.ask(query, document, slot)
    SELECT q, d, s FROM unnest(queries, documents) WITH ORDINALITY AS p(q, d, place),
      generate_series(1, opinions) s ORDER BY s, place
    ON CONFLICT ON CONSTRAINT ask_pkey DO UPDATE SET is_open = true
      WHERE NOT ask.is_open AND ask.assessor IS NULL;
  PERFORM judgetool.fill_slots(heard_queries, heard_documents, heard,
    array_fill(true, ARRAY[cardinality(heard)]));
  RETURN greatest(0, (SELECT count(*) FROM judgetool.ask a WHERE a.is_open) - n);
END $$;

-- Ask nobody any more to judge what nobody has taken; return how many slots that were.
CREATE OR REPLACE FUNCTION judgetool.ask_nobody() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n integer;
BEGIN
  PERFORM judgetool.member_of('lead');
  UPDATE judgetool.ask a SET is_open = false, assessor = NULL, lease_until = NULL
    WHERE a.is_open AND (a.lease_until IS NULL OR a.lease_until < clock_timestamp());
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

-- Give back what one has taken and not judged; return how many that were.
CREATE OR REPLACE FUNCTION judgetool.give_back() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  me judgetool.member := judgetool.member_of('lead', 'assessor');
  n integer;
BEGIN
  UPDATE judgetool.ask a SET assessor = NULL, lease_until = NULL
    WHERE a.assessor = me.name AND a.is_open;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

-- Take documents that nobody has taken, or not in time, for so many hours.
CREATE OR REPLACE FUNCTION judgetool.claim(n integer, hours double precision)
RETURNS TABLE(query text, document text, lease_until timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
  me judgetool.member := judgetool.member_of('lead', 'assessor');
  until timestamptz := clock_timestamp() + hours * interval '1 hour';
  found_one record;
BEGIN
  -- Of one person only one claim at a time: no two of their windows get slots of the same document.
  PERFORM pg_advisory_xact_lock(hashtextextended('judgetool claim ' || me.name, 0));
  FOR found_one IN
    SELECT a.query, a.document, a.query_key, a.document_key, min(a.slot) AS slot FROM (
      SELECT o.* FROM judgetool.ask o
      WHERE o.is_open AND (o.lease_until IS NULL OR o.lease_until < clock_timestamp())
        AND NOT EXISTS (SELECT 1 FROM judgetool.ask mine WHERE mine.assessor = me.name
          AND mine.query_key = o.query_key AND mine.document_key = o.document_key
          AND (mine.slot <> o.slot OR NOT mine.is_open))
      ORDER BY o.place LIMIT n FOR UPDATE OF o SKIP LOCKED
    ) a GROUP BY a.query, a.document, a.query_key, a.document_key ORDER BY min(a.place)
  LOOP
    UPDATE judgetool.ask a SET assessor = me.name, lease_until = until
      WHERE a.query_key = found_one.query_key AND a.document_key = found_one.document_key
        AND a.slot = found_one.slot;
    query := found_one.query;
    document := found_one.document;
    lease_until := until;
    RETURN NEXT;
  END LOOP;
END $$;

DROP FUNCTION IF EXISTS judgetool.ask_all(text[], text[], integer);

CREATE OR REPLACE FUNCTION judgetool.open_doors(login text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (SELECT pg_has_role(d.datdba, 'USAGE') FROM pg_database d WHERE d.datname = current_database()) THEN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), login);
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA judgetool TO %I', login);
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA judgetool TO %I', login);
  EXECUTE format('GRANT EXECUTE ON FUNCTION judgetool.my_role, judgetool.my_name, judgetool.uuid_at, judgetool.greet, '
    'judgetool.push, judgetool.put_part, judgetool.put_bundle, judgetool.let_read, judgetool.ask_all, '
    'judgetool.ask_nobody, judgetool.give_back, judgetool.claim, judgetool.add_member, '
    'judgetool.close_member TO %I', login);
END $$;

CREATE OR REPLACE FUNCTION judgetool.keep_a_lead() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM judgetool.member m WHERE m.role = 'lead' AND m.closed_at IS NULL) THEN
    RAISE EXCEPTION 'A hub needs a lead: make somebody else one first.' USING ERRCODE = 'JT002';
  END IF;
END $$;

-- Let a member do nothing here any more; what they said stays, what they had taken is anybody's.
CREATE OR REPLACE FUNCTION judgetool.close_member(name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('judgetool add_member', 0));
  PERFORM judgetool.member_of('lead');
  UPDATE judgetool.member m SET closed_at = clock_timestamp()
    WHERE m.name = close_member.name AND m.closed_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'Nobody who may come in is called %.', name USING ERRCODE = 'JT004';
  END IF;
  PERFORM judgetool.keep_a_lead();
  UPDATE judgetool.ask a SET assessor = NULL, lease_until = NULL
    WHERE a.assessor = close_member.name AND a.is_open;
END $$;

-- Add a member whose login there is, or give one another role or login.
CREATE OR REPLACE FUNCTION judgetool.add_member(name text, role text, login text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- Of two who take the role of lead from each other one comes first. Before all other locks.
  PERFORM pg_advisory_xact_lock(hashtextextended('judgetool add_member', 0));
  PERFORM judgetool.member_of('lead');
  INSERT INTO judgetool.member(name, role, login) VALUES(add_member.name, add_member.role, add_member.login)
    ON CONFLICT ON CONSTRAINT member_pkey
    DO UPDATE SET role = excluded.role, login = excluded.login, closed_at = NULL;
  PERFORM judgetool.keep_a_lead();
  PERFORM judgetool.open_doors(login);
EXCEPTION
  WHEN unique_violation THEN
    RAISE EXCEPTION 'The login % is another member''s.', login USING ERRCODE = 'JT004';
  WHEN check_violation THEN
    RAISE EXCEPTION 'There is no role % (lead, assessor, reader), or the name is empty.', role
      USING ERRCODE = 'JT004';
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA judgetool FROM PUBLIC;
SELECT judgetool.open_doors(m.login) FROM judgetool.member m
  WHERE m.login IN (SELECT r.rolname FROM pg_roles r);

-- Who may read what. Functions stand in sub-selects so that they run once, not for each row.
DO $$
DECLARE
  name text;
  -- "all": leads see everything; the rest is what others see.
  rules text[][] := ARRAY[
    ['hub', '(SELECT judgetool.my_role()) IS NOT NULL'],
    ['member', 'name = (SELECT judgetool.my_name())'],
    ['event', '(SELECT judgetool.my_role()) IS NOT NULL AND (kind IN (''value'', ''release'', ''bundle'') '
      'OR (SELECT judgetool.my_role()) = ''assessor'' AND assessor = (SELECT judgetool.my_name()) '
      'OR query IN (SELECT r.query FROM judgetool.release r))'],
    ['bundle', '(SELECT judgetool.my_role()) IS NOT NULL AND is_material'],
    ['part', 'bundle IN (SELECT b.uuid FROM judgetool.bundle b)'],
    ['release', '(SELECT judgetool.my_role()) IS NOT NULL'],
    ['ask', 'assessor = (SELECT judgetool.my_name())']
  ];
BEGIN
  FOR place IN 1 .. array_length(rules, 1) LOOP
    name := rules[place][1];
    EXECUTE format('ALTER TABLE judgetool.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('DROP POLICY IF EXISTS read ON judgetool.%I', name);
    EXECUTE format('CREATE POLICY read ON judgetool.%I FOR SELECT USING '
      '((SELECT judgetool.my_role()) = ''lead'' OR %s)', name, rules[place][2]);
  END LOOP;
END $$;
