use super::{Options, SqliteStore, schema};
use crate::{Error, Result};
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    path::Path,
    sync::{Mutex, Once},
    time::Duration,
};

/// How many statements stay prepared; the store has fewer texts of them than this.
const PREPARED: usize = 64;

impl SqliteStore {
    /// Opens a store; makes the file and its folder where they are missing, and migrates an older one.
    ///
    /// On Unix a new file may be read by its owner only.
    ///
    /// # Errors
    /// [`Error::Newer`], [`Error::Foreign`]; [`Error::Sqlite`] for a damaged or busy file; [`Error::Io`].
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        let path = path.as_ref();
        if !path.exists() {
            create(path)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = connect(path, flags, options)?;
        if schema::version(&conn, path, schema::known(schema::MIGRATIONS))?
            < schema::known(schema::MIGRATIONS)
        {
            schema::migrate(&conn, path, options.busy_timeout_ms, schema::MIGRATIONS)?;
        }
        Ok(Self { conn: Mutex::new(conn), path: path.to_owned() })
    }

    /// Opens a store that exists, for reading; methods that write answer [`mem_core::ErrorKind::Unavailable`].
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::Older`], and those of [`SqliteStore::open`].
    pub fn open_read_only(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        let path = path.as_ref();
        if !path.exists() {
            return Err(Error::Missing { path: path.to_owned() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = connect(path, flags, options)?;
        let known = schema::known(schema::MIGRATIONS);
        match schema::version(&conn, path, known)? {
            0 => Err(Error::Missing { path: path.to_owned() }),
            found if found < known => Err(Error::Older { path: path.to_owned(), found, known }),
            _ => Ok(Self { conn: Mutex::new(conn), path: path.to_owned() }),
        }
    }
}

/// Makes an empty file, which SQLite takes for an empty database.
fn create(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs_err::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // Another process made it in the meantime.
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(Error::io("make the store", path)(error))
        }
        _ => Ok(()),
    }
}

fn connect(path: &Path, flags: OpenFlags, options: &Options) -> Result<Connection> {
    register_sqlite_vec();
    let settings = || {
        let conn = Connection::open_with_flags(path, flags)?;
        conn.busy_timeout(Duration::from_millis(options.busy_timeout_ms.into()))?;
        conn.set_prepared_statement_cache_capacity(PREPARED);
        if !options.checkpoints {
            conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        }
        conn.execute_batch(&format!(
            "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = {}; \
             PRAGMA cache_size = -{}; PRAGMA mmap_size = {};{}",
            options.synchronous.as_str(),
            options.cache_kib,
            options.mmap_bytes,
            if options.checkpoints { "" } else { " PRAGMA wal_autocheckpoint = 0;" },
        ))?;
        Ok(conn)
    };
    settings().map_err(Error::sqlite("open", path))
}

/// Gives every connection of this process the functions of sqlite-vec.
fn register_sqlite_vec() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        type Entry = rusqlite::auto_extension::RawAutoExtension;
        #[expect(
            unsafe_code,
            reason = "SQLite takes an extension as a C function; sqlite-vec exports its own"
        )]
        // SAFETY: `sqlite3_vec_init` is that entry point: in C it has exactly the type `Entry`. The crate declares it
        // without its parameters. It neither opens nor closes connections, nor touches the list of extensions.
        // A refusal (out of memory) shows as "no such function" in a search.
        unsafe {
            let entry: Entry =
                std::mem::transmute::<*const (), Entry>(sqlite_vec::sqlite3_vec_init as *const ());
            let _ = rusqlite::auto_extension::register_auto_extension(entry);
        }
    });
}
