//! Runs a compiler until it is done. On an interrupt, or if it takes too long or prints too much, it is killed with all
//! its descendants.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use brolga::CancelToken;
use brolga::document::SourceError;
use brolga::files::{self, FileProblem};

use crate::cli::summary::time;

/// The default time limit of a compiler. The first start of Wine alone takes half a minute.
pub(super) const LONGEST: Duration = Duration::from_secs(300);
/// The most bytes that it may print, and that its result may have.
const MOST_BYTES: u64 = 16 << 20;
/// The interval between polls.
const TICK: Duration = Duration::from_millis(5);

/// A program with its arguments.
pub(super) struct Call {
    pub words: Vec<OsString>,
    /// The folder that it runs in, if that is not this process's.
    pub within: Option<PathBuf>,
}

/// A path that no program takes for an option.
pub(super) fn no_option(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) if text.starts_with('-') => Path::new(".").join(path),
        _ => path.to_owned(),
    }
}

/// A compiler that has exited by itself.
pub(super) struct Ended {
    pub status: ExitStatus,
    /// The content of both of its outputs.
    pub said: String,
}

/// Runs a program, for `longest` at most. Its output is stored in `folder`.
pub(super) fn run(call: Call, folder: &Path, longest: Duration, cancel: &CancelToken) -> Result<Ended, SourceError> {
    let log = folder.join("said");
    let unwritten = |error: io::Error| format!("the compiler's messages cannot be stored: {error}");
    let unread = |problem: FileProblem| format!("the compiler's messages cannot be read: {problem}");
    let said = File::create(&log).map_err(unwritten)?;
    let words = call.words;
    let mut command = Command::new(&words[0]);
    if let Some(folder) = call.within {
        command.current_dir(folder);
    }
    command.args(&words[1..]).stdin(Stdio::null()).stderr(said.try_clone().map_err(unwritten)?).stdout(said);
    // A group of its own: whatever the program starts ends with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let program = words[0].to_string_lossy();
    let mut child = command.spawn().map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    let begin = Instant::now();
    let stopped = loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Ended { status, said: read_text(&log, MOST_BYTES).map_err(unread)? }),
            Ok(None) => {}
            Err(error) => break format!("`{program}` cannot be waited for: {error}").into(),
        }
        if cancel.is_cancelled() {
            break SourceError::Stopped("interrupted".into());
        }
        if begin.elapsed() > longest {
            break SourceError::Stopped(format!("`{program}` was stopped after {}", time(longest)));
        }
        if log.metadata().is_ok_and(|found| found.len() > MOST_BYTES) {
            break format!("`{program}` was stopped: it printed more than {MOST_BYTES} bytes").into();
        }
        thread::sleep(TICK);
    };
    kill(&mut child);
    Err(stopped)
}

/// Kills a compiler and its descendants. It fails only if they have just exited by themselves.
fn kill(child: &mut Child) {
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL);
    let _ = child.kill();
    let _ = child.wait();
}

/// The output of a compiler.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, FileProblem> {
    files::read(path, MOST_BYTES)
}

/// A text, whatever it is encoded in.
pub(super) fn read_text(path: &Path, most: u64) -> Result<String, FileProblem> {
    files::read(path, most).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
