-- Hub, schema 3: who has left stands there, and may do nothing.
ALTER TABLE judgetool.member ADD COLUMN closed_at timestamptz;
