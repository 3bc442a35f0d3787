//! Which exit code an error means, in one place.

use crate::wire::WireError;
use mem_core::ErrorKind;
use mem_engine::EngineError;
use std::io;
use std::process::ExitCode;

/// Nothing was found: exit code 3, and a line that says what was looked for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NothingFound(pub(crate) String);

/// The command line asks for something that cannot be: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// 0 done, 1 failed, 2 wrong usage, 3 nothing found. A reader that went away is no failure.
pub(crate) fn exit(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    let code = code(&error);
    if code != 0 {
        complain(&error);
    }
    ExitCode::from(code)
}

fn code(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        if io.or(json) == Some(io::ErrorKind::BrokenPipe) {
            return 0;
        }
        if cause.is::<NothingFound>() {
            return 3;
        }
        if cause.is::<Usage>() || matches!(cause.downcast_ref(), Some(WireError::UnsupportedAgent { .. })) {
            return 2;
        }
        // A file that is not there is a failure; only what was asked of the memory can be "not found".
        if matches!(cause.downcast_ref(), Some(EngineError::File { .. })) {
            return 1;
        }
        let kind = match (cause.downcast_ref::<EngineError>(), cause.downcast_ref::<mem_core::Error>()) {
            (Some(error), _) => Some(error.kind()),
            (_, Some(error)) => Some(error.kind()),
            _ => None,
        };
        match kind {
            Some(ErrorKind::NotFound) => return 3,
            Some(ErrorKind::Invalid) => return 2,
            Some(_) => return 1,
            None => {}
        }
    }
    1
}

/// The whole chain in one line; a cause that the message before it already holds is not said again.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

fn complain(error: &anyhow::Error) {
    use io::Write as _;
    // When even that cannot be written there is nobody to tell.
    let _ = writeln!(io::stderr(), "mem: {}", sentence(error));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_the_kind_of_the_first_known_cause() {
        assert_eq!(code(&NothingFound("x".into()).into()), 3);
        assert_eq!(code(&Usage("x".into()).into()), 2);
        assert_eq!(code(&anyhow::anyhow!("x")), 1);
        assert_eq!(code(&io::Error::from(io::ErrorKind::BrokenPipe).into()), 0);
        let invalid = EngineError::from(mem_core::Error::invalid("a kind", "x"));
        assert_eq!(code(&anyhow::Error::from(invalid).context("while remembering")), 2);
        let missing = mem_core::Error::NotFound { what: "memory", id: "abc".into() };
        assert_eq!(code(&anyhow::Error::from(EngineError::from(missing))), 3);
    }

    #[test]
    fn a_cause_is_not_said_twice() {
        let error = anyhow::anyhow!("disk full").context("cannot write x: disk full");
        assert_eq!(sentence(&error), "cannot write x: disk full");
    }
}
