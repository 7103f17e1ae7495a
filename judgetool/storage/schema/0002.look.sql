-- A file of schema 1 as a reader of schema 2 sees it, without a change to the file:
-- temporary views go before the tables of the same name.
CREATE TEMP VIEW judgments AS
  SELECT *, NULL AS confidence, '[]' AS spans FROM main.judgments;
CREATE TEMP VIEW staged_judgments AS
  SELECT *, NULL AS confidence, '[]' AS spans, NULL AS at FROM main.staged_judgments;
CREATE TEMP VIEW document_texts AS
  SELECT *, '' AS image FROM main.document_texts;
CREATE TEMP TABLE step_events AS
  SELECT row_number() OVER (ORDER BY after_event, step_id) AS step_event_id, * FROM (
    SELECT s.step_id, s.at, 'published' AS change, coalesce((SELECT max(event_id) FROM main.events e
      WHERE e.step_id = s.step_id AND e.origin = 'import'), 0) AS after_event
    FROM main.steps s WHERE kind = 'import' AND state IN ('done', 'undone', 'dropped')
    UNION ALL
    SELECT step_id, at, CASE origin WHEN 'undo' THEN 'undone' ELSE 'redone' END, max(event_id)
    FROM main.events WHERE origin IN ('undo', 'redo') GROUP BY step_id, at, origin);
