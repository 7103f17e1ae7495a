-- A file of schema 3 as a reader of schema 4 sees it: nobody is asked, nothing was merged. What
-- lines replaced is asked for only by a merge, which works on a copy that is brought up to date.
CREATE TEMP VIEW assessors AS SELECT *, NULL AS person_id FROM main.assessors;
CREATE TEMP VIEW events AS SELECT *, x'' AS parents FROM main.events;
CREATE TEMP TABLE asks(
  query_id INTEGER, document_id INTEGER, assessor_id INTEGER, step_id INTEGER, is_open INTEGER,
  hash INTEGER);
CREATE TEMP TABLE arrivals(step_id INTEGER, merge_id INTEGER);
CREATE TEMP TABLE conflicts(query_id INTEGER, document_id INTEGER, assessor_id INTEGER);
