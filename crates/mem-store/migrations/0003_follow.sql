-- Schema 3. What a view that keeps vectors in memory follows them by.

-- The number of the put that wrote the row. Rows from before are known by the revision of their memory.
ALTER TABLE vectors ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
CREATE INDEX vectors_by_change ON vectors (change);

-- `vectors` counts puts of vectors, `dropped` how often vectors of other models were dropped.
INSERT INTO counter (name, value) VALUES ('vectors', 0), ('dropped', 0);
