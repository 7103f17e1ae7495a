-- A file of schema 2 as a reader of schema 3 sees it: it has no clicks. Its checksums are
-- asked for only by the check, which knows what schema the file has.
CREATE TEMP TABLE clicks(
  step_id INTEGER, query_id INTEGER, document_id INTEGER, position INTEGER, impressions INTEGER,
  clicks INTEGER, hash INTEGER);
-- What such a file calls RBO is Compat now.
CREATE TEMP VIEW project_values AS SELECT key, CASE
    WHEN key = 'measures' THEN replace(replace(
      value, '"RBO"', '"Compat(p=0.9)"'), '"RBO(', '"Compat(')
    WHEN key LIKE 'snapshot/%' AND json_extract(value, '$.measures') LIKE '%"RBO%'
      THEN json_set(value, '$.measures', json(replace(replace(
        json_extract(value, '$.measures'),
        '"RBO"', '"Compat(p=0.9)"'), '"RBO(', '"Compat(')))
    ELSE value END AS value
  FROM main.project_values;
CREATE TEMP VIEW value_events AS SELECT value_event_id, step_id, at, origin, key, CASE
    WHEN key = 'measures' THEN replace(replace(
      before, '"RBO"', '"Compat(p=0.9)"'), '"RBO(', '"Compat(')
    WHEN key LIKE 'snapshot/%' AND json_extract(before, '$.measures') LIKE '%"RBO%'
      THEN json_set(before, '$.measures', json(replace(replace(
        json_extract(before, '$.measures'),
        '"RBO"', '"Compat(p=0.9)"'), '"RBO(', '"Compat(')))
    ELSE before END AS before, CASE
    WHEN key = 'measures' THEN replace(replace(
      after, '"RBO"', '"Compat(p=0.9)"'), '"RBO(', '"Compat(')
    WHEN key LIKE 'snapshot/%' AND json_extract(after, '$.measures') LIKE '%"RBO%'
      THEN json_set(after, '$.measures', json(replace(replace(
        json_extract(after, '$.measures'),
        '"RBO"', '"Compat(p=0.9)"'), '"RBO(', '"Compat(')))
    ELSE after END AS after
  FROM main.value_events;
