-- A file of schema 2 as a reader of schema 3 sees it: it has no clicks. Its checksums are
-- asked for only by the check, which knows what schema the file has.
CREATE TEMP TABLE clicks(
  step_id INTEGER, query_id INTEGER, document_id INTEGER, position INTEGER, impressions INTEGER,
  clicks INTEGER, hash INTEGER);
-- What such a file calls RBO is Compat now: a function that the connection has says so.
CREATE TEMP VIEW project_values AS
  SELECT key, CAST(with_compat(CAST(key AS BLOB), CAST(value AS BLOB)) AS TEXT) AS value
  FROM main.project_values;
CREATE TEMP VIEW value_events AS SELECT value_event_id, step_id, at, origin, key,
  CAST(with_compat(CAST(key AS BLOB), CAST(before AS BLOB)) AS TEXT) AS before,
  CAST(with_compat(CAST(key AS BLOB), CAST(after AS BLOB)) AS TEXT) AS after
  FROM main.value_events;
