-- Schema 1. Times are nanoseconds since 1970 UTC. Words are those of mem-core.

CREATE TABLE counter (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counter (name, value) VALUES ('revision', 0);

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `content_hash` stands for the normalised statement, `text_hash` for the whole text that is embedded.
CREATE TABLE memories (
    seq          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    revision     INTEGER NOT NULL UNIQUE,
    kind         TEXT NOT NULL,
    status       TEXT NOT NULL,
    scope        TEXT NOT NULL,
    project      TEXT,
    created      INTEGER NOT NULL,
    updated      INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    text_hash    TEXT NOT NULL,
    path         TEXT,
    language     TEXT NOT NULL,
    confidence   REAL NOT NULL,
    importance   REAL NOT NULL,
    feedback     REAL NOT NULL,
    pinned       INTEGER NOT NULL,
    ttl_days     INTEGER,
    last_access  INTEGER,
    access_count INTEGER NOT NULL,
    name         TEXT NOT NULL,
    description  TEXT NOT NULL,
    body         TEXT NOT NULL,
    why          TEXT,
    how          TEXT,
    cue          TEXT,
    state        TEXT,
    details      TEXT NOT NULL,
    CHECK ((scope = 'global') = (project IS NULL))
) STRICT;

CREATE INDEX memories_by_update ON memories (updated DESC, id);
CREATE INDEX memories_by_content ON memories (content_hash, project);
CREATE INDEX memories_by_project ON memories (project);

-- `scrub` is 1 while bytes of a memory that was removed for good may still be in the files.
CREATE TABLE tombstones (
    memory_id TEXT PRIMARY KEY,
    revision  INTEGER NOT NULL UNIQUE,
    scrub     INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The numbers stand beside the document because JSON may round them.
CREATE TABLE trash (
    memory_id    TEXT PRIMARY KEY,
    deleted_at   INTEGER NOT NULL,
    project      TEXT,
    content_hash TEXT NOT NULL,
    confidence   REAL NOT NULL,
    importance   REAL NOT NULL,
    feedback     REAL NOT NULL,
    document     TEXT NOT NULL
) STRICT;

-- An empty `project` stands for the global scope.
CREATE TABLE forgotten (
    content_hash TEXT NOT NULL,
    project      TEXT NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (content_hash, project)
) STRICT, WITHOUT ROWID;

-- One row a chunk; `embedding` is 32-bit floats, little endian. Current while `content_hash` is the memory's `text_hash`.
CREATE TABLE vectors (
    memory_seq   INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    chunk        INTEGER NOT NULL,
    model        TEXT NOT NULL,
    language     TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    embedding    BLOB NOT NULL,
    UNIQUE (memory_seq, model, chunk)
) STRICT;

CREATE TABLE instincts (
    id         TEXT PRIMARY KEY,
    status     TEXT NOT NULL,
    scope      TEXT NOT NULL,
    project    TEXT,
    confidence REAL NOT NULL,
    document   TEXT NOT NULL
) STRICT;

CREATE INDEX instincts_by_project ON instincts (project);

CREATE TABLE evidence (
    seq         INTEGER PRIMARY KEY,
    instinct_id TEXT NOT NULL REFERENCES instincts (id) ON DELETE CASCADE,
    session     TEXT,
    kind        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    confidence  REAL,
    document    TEXT NOT NULL,
    UNIQUE (instinct_id, session, kind)
) STRICT;

CREATE UNIQUE INDEX evidence_without_session ON evidence (instinct_id, kind, at) WHERE session IS NULL;

CREATE TABLE forgotten_instincts (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `active` is 0 once the session's context was emptied; the fingerprint stays known.
CREATE TABLE injections (
    seq         INTEGER PRIMARY KEY,
    session     TEXT NOT NULL,
    item        TEXT NOT NULL,
    event       TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at          INTEGER NOT NULL,
    active      INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE INDEX injections_by_session ON injections (session, at) WHERE active = 1;
CREATE INDEX injections_by_fingerprint ON injections (fingerprint);
