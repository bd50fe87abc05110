//! Reports errors: the code that every function returns, the text that a caller may request, and the guard that stops
//! panics.
//!
//! The text is in a struct of the caller's, not in an object that would have to be freed, and not in a thread's memory:
//! an error can be ignored without a leak, and stays available however many calls follow.

use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use brolga::bytecode::assembler::AssembleError;
use brolga::raster::DrawError;
use brolga::{BatchError, BindingError, CacheError, ErrorKind, ResourceError};

/// The outcome of a call. The numbers never change; later versions may have more of them.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Success.
    Ok = 0,
    /// The bytes are not a valid shader.
    File = 1,
    /// The shader is valid, but cannot run, or not on this processor.
    Unsupported = 2,
    /// An interface variable has no class instance, or one that does not fit: see BrolgaCompileOptions.instances.
    Instance = 3,
    /// A register or name does not exist, or the view bound to it does not fit.
    Binding = 4,
    /// A buffer, texture, view or sampler is not possible, or has no such part.
    Resource = 5,
    /// A shader of this stage cannot run in this way, or not on this batch or these groups.
    Call = 6,
    /// The shader or the call exceeds a limit of the device.
    Limit = 7,
    /// A cancel token, a time limit or fuel ended the work.
    Stopped = 8,
    /// Threads of a group met different barriers.
    DivergentBarrier = 9,
    /// The operating system refused memory, a thread or a file.
    System = 10,
    /// A bug in Brolga: please report it.
    Internal = 11,
    /// The shader ended the run by `abort`. What it printed before is in BrolgaMessages.
    Aborted = 12,
    /// A pointer to an object is NULL where there must be one.
    NullHandle = 32,
    /// A pointer to an object points to one of another kind, or to none (any more).
    WrongHandle = 33,
    /// An argument is invalid: a NULL pointer to memory, a size, a number of an enumeration, a text.
    BadArgument = 34,
    /// A call came before the one that it needs, or while another thread uses the object.
    OutOfOrder = 35,
    /// A panic, which is a bug in Brolga, was stopped. The objects of the call may only be destroyed, not used
    /// otherwise.
    Panic = 36,
}

impl Code {
    const ALL: [(Self, &'static CStr); 18] = [
        (Self::Ok, c"ok"),
        (Self::File, c"file"),
        (Self::Unsupported, c"unsupported"),
        (Self::Instance, c"instance"),
        (Self::Binding, c"binding"),
        (Self::Resource, c"resource"),
        (Self::Call, c"call"),
        (Self::Limit, c"limit"),
        (Self::Stopped, c"stopped"),
        (Self::DivergentBarrier, c"divergent barrier"),
        (Self::System, c"system"),
        (Self::Internal, c"internal"),
        (Self::Aborted, c"aborted"),
        (Self::NullHandle, c"null handle"),
        (Self::WrongHandle, c"wrong handle"),
        (Self::BadArgument, c"bad argument"),
        (Self::OutOfOrder, c"out of order"),
        (Self::Panic, c"panic"),
    ];
}

impl From<ErrorKind> for Code {
    /// Converts to the code of the same number.
    fn from(kind: ErrorKind) -> Self {
        let codes = Self::ALL.into_iter().map(|(code, _)| code);
        codes.into_iter().find(|&code| code as u32 == kind as u32).unwrap_or(Self::Internal)
    }
}

/// Size of a text in bytes, its last zero included.
const TEXT: usize = size_of::<Error>() - size_of::<Code>();

/// The details of a call's error. The caller owns it, and may use one for any number of calls; it needs no
/// initialisation.
#[repr(C)]
pub struct Error {
    /// The code that the call returned.
    pub code: Code,
    /// One sentence in UTF-8 that says what is wrong, where, and what would be right; empty after success. Longer texts
    /// are cut, and end in "...".
    pub text: [c_char; 2044],
}

/// A code with its text, to be returned to the caller.
pub(crate) struct Failure {
    code: Code,
    text: String,
}

impl Failure {
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    pub fn argument(text: impl Into<String>) -> Self {
        Self::new(Code::BadArgument, text)
    }

    pub fn order(text: impl Into<String>) -> Self {
        Self::new(Code::OutOfOrder, text)
    }

    #[cfg(test)]
    pub fn code(&self) -> Code {
        self.code
    }

    fn panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        Self::new(Code::Panic, format!("a panic, which is a bug in Brolga: {text}"))
    }
}

impl From<brolga::Error> for Failure {
    fn from(error: brolga::Error) -> Self {
        Self::new(error.kind().into(), error.to_string())
    }
}

impl From<DrawError> for Failure {
    fn from(error: DrawError) -> Self {
        Self::new(error.kind().into(), error.to_string())
    }
}

impl From<ResourceError> for Failure {
    fn from(error: ResourceError) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<BindingError> for Failure {
    fn from(error: BindingError) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<brolga::FileError> for Failure {
    fn from(error: brolga::FileError) -> Self {
        brolga::Error::from(error).into()
    }
}

impl From<AssembleError> for Failure {
    fn from(error: AssembleError) -> Self {
        Self::new(Code::File, error.to_string())
    }
}

impl From<CacheError> for Failure {
    fn from(error: CacheError) -> Self {
        Self::new(Code::System, error.to_string())
    }
}

/// Runs the body of a call, and converts its result, even a panic, to a code, and a text if the caller wants one.
///
/// # Safety
/// `error` is null or points to an [`Error`] that may be written.
pub(crate) unsafe fn guard(error: *mut Error, work: impl FnOnce() -> Result<(), Failure>) -> Code {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Failure::panic(&*panic)));
    let (code, text) = match &result {
        Ok(()) => (Code::Ok, ""),
        Err(failure) => (failure.code, failure.text.as_str()),
    };
    if !error.is_null() {
        // SAFETY: promised to this function. It is written field by field, since it may hold anything.
        unsafe {
            (&raw mut (*error).code).write_unaligned(code);
            write_text(text, (&raw mut (*error).text).cast::<u8>(), TEXT);
        }
    }
    code
}

/// Writes a text with a zero at its end, cut where there is too little room.
///
/// # Safety
/// `room` bytes from `to` on may be written; there are more than three.
unsafe fn write_text(text: &str, to: *mut u8, room: usize) {
    const CUT: &str = "...";
    let (text, cut) = match text.len() < room {
        true => (text, ""),
        false => (&text[..text.floor_char_boundary(room - 1 - CUT.len())], CUT),
    };
    // Readers of a C string stop at the first zero.
    let bytes = text.bytes().chain(cut.bytes()).filter(|&byte| byte != 0).chain([0]);
    for (n, byte) in bytes.enumerate() {
        // SAFETY: both parts and the zero fit.
        unsafe { to.add(n).write(byte) };
    }
}

/// Returns the name of a code, for messages: "binding". "unknown" if there is no such code. It lives as long as the
/// program.
#[unsafe(no_mangle)]
pub extern "C" fn brolga_code_name(code: u32) -> *const c_char {
    let known = Code::ALL.into_iter().find(|(known, _)| *known as u32 == code);
    known.map_or(c"unknown", |(_, name)| name).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(work: impl FnOnce() -> Result<(), Failure>) -> (Code, String) {
        let mut error = Error { code: Code::Panic, text: [b'x' as c_char; TEXT] };
        // SAFETY: it may be written.
        let code = unsafe { guard(&mut error, work) };
        assert_eq!(error.code, code);
        // SAFETY: every text ends with a zero.
        let text = unsafe { CStr::from_ptr(error.text.as_ptr()) };
        (code, text.to_str().expect("UTF-8").to_owned())
    }

    #[test]
    fn texts_that_are_too_long_are_cut_between_characters() {
        assert_eq!(told(|| Ok(())), (Code::Ok, String::new()));
        let fits = "é".repeat((TEXT - 1) / 2);
        assert_eq!(told(|| Err(Failure::argument(&*fits))), (Code::BadArgument, fits.clone()));
        let (_, cut) = told(|| Err(Failure::argument(fits.clone() + "éé")));
        assert!(cut.len() < TEXT && cut.ends_with("é..."));
    }

    #[test]
    fn panics_become_codes() {
        let (code, text) = told(|| panic!("on purpose"));
        assert_eq!((code, text.as_str()), (Code::Panic, "a panic, which is a bug in Brolga: on purpose"));
    }

    #[test]
    fn kinds_keep_their_numbers() {
        let kinds =
            [ErrorKind::File, ErrorKind::Call, ErrorKind::DivergentBarrier, ErrorKind::Internal, ErrorKind::Aborted];
        assert!(kinds.into_iter().all(|kind| Code::from(kind) as u32 == kind as u32));
    }
}
