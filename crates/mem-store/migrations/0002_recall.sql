-- Schema 2. What recall needs beside the memories themselves.

-- Which memories stand side by side in a session: from a memory to its place, and from a place to the memories there.
-- Both hold all that is asked of them, so that no document is read.
CREATE INDEX memories_by_turn ON memories (
    details ->> '$.provenance.session',
    details ->> '$.provenance.ordinal',
    project,
    id
) WHERE details ->> '$.provenance.ordinal' IS NOT NULL;

CREATE INDEX turns_by_memory ON memories (
    id,
    details ->> '$.provenance.session',
    details ->> '$.provenance.ordinal',
    project
) WHERE details ->> '$.provenance.ordinal' IS NOT NULL;

-- Means of the stored vectors, 32-bit floats, little endian; `total` is how many the model had when they were taken.
CREATE TABLE centroids (
    model     TEXT NOT NULL,
    language  TEXT NOT NULL,
    count     INTEGER NOT NULL,
    total     INTEGER NOT NULL,
    embedding BLOB NOT NULL,
    PRIMARY KEY (model, language)
) STRICT;
