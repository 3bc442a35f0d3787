use super::{Journal, JournalError, lock};
use mem_core::Observation;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    time::Duration,
};

/// Room for an ordinary observation, so that most appends allocate once.
const USUAL_LINE: usize = 1024;

impl Journal {
    pub(super) fn append_lines(&self, observations: &[Observation]) -> Result<(), JournalError> {
        if observations.is_empty() {
            return Ok(());
        }
        let buffer = self.serialise(observations)?;
        let wait = Duration::from_millis(self.config.append_wait_ms);
        let _guard = lock::exclusive(&self.files.lock, wait)?;
        self.heal()?;
        let path = &self.files.live;
        let mut file = lock::private()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(JournalError::io("open", path))?;
        let length = file.metadata().map_err(JournalError::io("look at", path))?.len();
        let torn = ends_torn(&mut file, length).map_err(JournalError::io("read", path))?;
        // The buffer begins with a line end that closes what a killed writer left open.
        let bytes = buffer.get(usize::from(!torn)..).unwrap_or_default();
        write_once(&mut file, bytes).map_err(|source| {
            // A handle for appending may not shorten a file on Windows. Where this fails as well, the torn
            // line stays and the next append closes it.
            let _ = lock::private().write(true).open(path).and_then(|file| file.set_len(length));
            JournalError::Write { path: path.clone(), bytes: bytes.len(), source }
        })
    }

    /// `\n`, then the observations, each with its `\n`.
    fn serialise(&self, observations: &[Observation]) -> Result<Vec<u8>, JournalError> {
        let mut buffer = Vec::with_capacity(observations.len().saturating_mul(USUAL_LINE).min(1 << 20));
        buffer.push(b'\n');
        for observation in observations {
            let start = buffer.len();
            serde_json::to_writer(&mut buffer, observation)
                .map_err(|source| JournalError::Serialize { source })?;
            let bytes = buffer.len() - start;
            if bytes > self.config.max_line_bytes {
                return Err(JournalError::LineTooLong { bytes, max: self.config.max_line_bytes });
            }
            buffer.push(b'\n');
        }
        Ok(buffer)
    }
}

fn ends_torn(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// One write; a short one is a failure, since another would not be whole either.
fn write_once(file: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    loop {
        return match file.write(bytes) {
            Ok(n) if n == bytes.len() => Ok(()),
            Ok(_) => Err(io::ErrorKind::StorageFull.into()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => Err(e),
        };
    }
}
