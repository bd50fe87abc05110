//! Checks the arguments of callers other than handles: memory, texts, structs that grow, numbers of enumerations.
//!
//! None of it is trusted: fields of structs are read as bytes first, since C may write anything to a `bool` or an
//! enumeration.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::time::Duration;

use brolga::pipeline::state::Numbered;

use crate::error::{Code, Failure};

/// Returns the memory of an input array.
///
/// # Safety
/// Unless `count` is 0, `from` is null or points to that many elements that do not change while the slice is used, and
/// for which any bytes are a value.
pub(crate) unsafe fn slice<'a, T>(from: *const T, count: usize, what: &str) -> Result<&'a [T], Failure> {
    check_memory(from, count, what)?;
    // SAFETY: promised to this function, and checked as far as possible.
    Ok(if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(from, count) } })
}

/// Returns the memory of an output array.
///
/// # Safety
/// As for [`slice`], and nobody else accesses it.
pub(crate) unsafe fn slice_mut<'a, T>(to: *mut T, count: usize, what: &str) -> Result<&'a mut [T], Failure> {
    check_memory(to, count, what)?;
    // SAFETY: promised to this function, and checked as far as possible.
    Ok(if count == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(to, count) } })
}

/// Returns the bytes of an input.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn bytes<'a>(from: *const c_void, size: usize, what: &str) -> Result<&'a [u8], Failure> {
    // SAFETY: promised to this function.
    unsafe { slice(from.cast(), size, what) }
}

/// Returns the bytes of an output.
///
/// # Safety
/// As for [`slice_mut`].
pub(crate) unsafe fn bytes_mut<'a>(to: *mut c_void, size: usize, what: &str) -> Result<&'a mut [u8], Failure> {
    // SAFETY: promised to this function.
    unsafe { slice_mut(to.cast(), size, what) }
}

pub(crate) fn check_memory<T>(at: *const T, count: usize, what: &str) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    let most = isize::MAX as usize / size_of::<T>().max(1);
    let wrong = match () {
        () if at.is_null() => "the pointer is NULL".to_owned(),
        () if !at.is_aligned() => format!("the address {:#x} is not a multiple of {}", at.addr(), align_of::<T>()),
        () if count > most => format!("{count} are more than there can be"),
        () => return Ok(()),
    };
    Err(Failure::argument(format!("{what}: {wrong}")))
}

/// Checks a number of elements against the most that are possible, before the elements are read.
pub(crate) fn at_most(count: usize, most: u32, what: &str) -> Result<usize, Failure> {
    let wrong = || Failure::argument(format!("{what} is {count}, but at most {most} are possible"));
    (count <= most as usize).then_some(count).ok_or_else(wrong)
}

/// Returns a text.
///
/// # Safety
/// `from` is null or points to bytes with a zero at their end, which do not change while the text is used.
pub(crate) unsafe fn text<'a>(from: *const c_char, what: &str) -> Result<&'a str, Failure> {
    // SAFETY: promised to this function.
    let text = unsafe { text_if_any(from, what) }?;
    text.ok_or_else(|| Failure::argument(format!("{what}: the pointer is NULL")))
}

/// Returns a text if there is one.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn text_if_any<'a>(from: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: promised to this function.
    let text = unsafe { CStr::from_ptr(from) }.to_str();
    text.map(Some).map_err(|error| Failure::argument(format!("{what}: the text is not UTF-8: {error}")))
}

/// Writes a result.
///
/// # Safety
/// `to` is null or may be written.
pub(crate) unsafe fn put<T>(to: *mut T, value: T, what: &str) -> Result<(), Failure> {
    check_memory(to, 1, what)?;
    // SAFETY: promised to this function.
    unsafe { to.write(value) };
    Ok(())
}

/// A struct of the caller's whose first field is its size in bytes, so that later versions can have more fields.
///
/// # Safety
/// It is `repr(C)`, its first field is a `usize`, and any bytes are a value of it.
pub(crate) unsafe trait Options: Copy {
    /// Its name in messages: the one in C.
    const NAME: &'static str;
    /// Its size in bytes in the first version that had it. It stays when fields are added.
    const LEAST: usize;

    /// The values of fields that the caller does not have.
    fn defaults() -> Self;
}

/// Declares the structs that grow. One that has grown names the first field that it did not have at first.
macro_rules! growing {
    (least $ty:ident) => { size_of::<$ty>() };
    (least $ty:ident $field:ident) => { std::mem::offset_of!($ty, $field) };
    ($($ty:ident as $name:literal $(before $field:ident)?;)*) => {$(
        // SAFETY: `repr(C)` with its size first; all other fields are numbers, pointers, or `MaybeUninit` of checked
        // values.
        unsafe impl $crate::arguments::Options for $ty {
            const NAME: &'static str = $name;
            const LEAST: usize = $crate::arguments::growing!(least $ty $($field)?);

            fn defaults() -> Self {
                Self::default()
            }
        }
    )*};
}
pub(crate) use growing;

/// Reads a struct of the caller's; the defaults if there is none.
///
/// # Safety
/// `from` is null, or points to as many readable bytes as its first field says.
pub(crate) unsafe fn options<T: Options>(from: *const T) -> Result<T, Failure> {
    if from.is_null() {
        return Ok(T::defaults());
    }
    // SAFETY: promised to this function.
    let size = unsafe { from.cast::<usize>().read_unaligned() };
    // SAFETY: the same.
    unsafe { sized(from, size) }
}

/// Reads an array of such structs, each as long as the first one says.
///
/// # Safety
/// Unless `count` is 0, `from` is null, or points to so many structs.
pub(crate) unsafe fn array<T: Options>(from: *const T, count: usize) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if from.is_null() {
        return Err(Failure::argument(format!("an array of {count} {}: the pointer is NULL", T::NAME)));
    }
    // SAFETY: promised to this function.
    let stride = unsafe { from.cast::<usize>().read_unaligned() };
    let most = isize::MAX as usize / stride.max(1);
    if count > most {
        return Err(Failure::argument(format!("an array of {count} {}: there cannot be so many", T::NAME)));
    }
    // SAFETY: promised to this function.
    let element = |n: usize| unsafe { sized(from.cast::<u8>().add(n * stride).cast(), stride) };
    (0..count).map(element).collect()
}

/// # Safety
/// `size` bytes from `from` on can be read, if the struct has that size in some version.
unsafe fn sized<T: Options>(from: *const T, size: usize) -> Result<T, Failure> {
    // SAFETY: promised to this function: whatever the version, it begins with its size.
    let own = unsafe { from.cast::<usize>().read_unaligned() };
    if own != size || !is_size_of::<T>(own) {
        return Err(wrong_size::<T>(own));
    }
    let known = known_bytes::<T>(size);
    let mut value = T::defaults();
    // SAFETY: promised to this function; any bytes are a value.
    let rest = unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut value).cast(), known);
        std::slice::from_raw_parts(from.cast::<u8>().add(known), size - known)
    };
    if rest.iter().any(|&byte| byte != 0) {
        let text = format!("{} of {size} bytes sets fields that this version does not have: it knows {known}", T::NAME);
        return Err(Failure::argument(text));
    }
    Ok(value)
}

/// Exclusive limit of the size of any version of a struct.
const MOST_BYTES: usize = 1 << 12;

/// True if some version of the struct may have this size.
fn is_size_of<T: Options>(size: usize) -> bool {
    size >= T::LEAST && size.is_multiple_of(align_of::<T>()) && size <= MOST_BYTES
}

fn wrong_size<T: Options>(size: usize) -> Failure {
    let text = format!("{}.size is {size}, not {}: let its init function set it", T::NAME, size_of::<T>());
    Failure::argument(text)
}

/// The bytes that this version knows of a struct of this size.
fn known_bytes<T: Options>(size: usize) -> usize {
    size.min(size_of::<T>())
}

/// Writes a result to a struct of the caller's: the fields that both know, all but its size.
///
/// # Safety
/// `to` is null, or points to as many bytes as its first field says, which may be written.
pub(crate) unsafe fn put_fields<T: Options>(to: *mut T, value: &T) -> Result<(), Failure> {
    if to.is_null() {
        return Err(Failure::argument(format!("{}: the pointer is NULL", T::NAME)));
    }
    // SAFETY: promised to this function.
    let size = unsafe { to.cast::<usize>().read_unaligned() };
    if !is_size_of::<T>(size) {
        return Err(wrong_size::<T>(size));
    }
    let (from, begin) = (std::ptr::from_ref(value).cast::<u8>(), size_of::<usize>());
    // SAFETY: promised to this function; both have so many bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(from.add(begin), to.cast::<u8>().add(begin), known_bytes::<T>(size) - begin)
    };
    Ok(())
}

/// Fills a struct of the caller's, of which `size` bytes exist, with the defaults.
///
/// # Safety
/// `to` is null, or so many bytes may be written.
pub(crate) unsafe fn init<T: Options>(to: *mut T, size: usize) -> Code {
    if to.is_null() || size < T::LEAST || size > MOST_BYTES {
        return Code::BadArgument;
    }
    let defaults = T::defaults();
    // SAFETY: promised to this function.
    unsafe {
        to.cast::<u8>().write_bytes(0, size);
        std::ptr::copy_nonoverlapping((&raw const defaults).cast::<u8>(), to.cast(), known_bytes::<T>(size));
        to.cast::<usize>().write_unaligned(size);
    }
    Code::Ok
}

/// Returns the value of an enumeration's number in a field or an argument.
pub(crate) fn choice<C: Numbered>(raw: MaybeUninit<C>, what: &str) -> Result<C, Failure> {
    const { assert!(size_of::<C>() == size_of::<u32>() && align_of::<C>() == align_of::<u32>()) };
    // SAFETY: it has the room of a number, and C has written some.
    numbered(unsafe { raw.as_ptr().cast::<u32>().read() }, what)
}

/// Returns the value of an enumeration's number.
pub(crate) fn numbered<C: Numbered>(number: u32, what: &str) -> Result<C, Failure> {
    C::from_number(number).ok_or_else(|| {
        let mut known: Vec<u32> = C::VALUES.iter().map(|value| value.number()).collect();
        known.sort_unstable();
        let known: Vec<String> = known.iter().map(u32::to_string).collect();
        Failure::argument(format!("{what} is {number}, but Brolga{} has {}", C::TYPE, known.join(", ")))
    })
}

/// Reads a `bool` of C: anything but 0 is true.
pub(crate) fn flag(raw: MaybeUninit<bool>) -> bool {
    // SAFETY: C has written some byte.
    unsafe { raw.as_ptr().cast::<u8>().read() != 0 }
}

/// Looks up a format by its number in `DXGI_FORMAT`.
pub(crate) fn format(number: u32, what: &str) -> Result<brolga::Format, Failure> {
    let unknown = || Failure::argument(format!("{what} is {number}, which is no format that Brolga knows"));
    brolga::Format::from_dxgi(number).filter(|_| number != 0).ok_or_else(unknown)
}

/// Converts a time limit in nanoseconds; 0 is none.
pub(crate) fn time_limit(nanoseconds: u64) -> Option<Duration> {
    (nanoseconds != 0).then(|| Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Grown {
        size: usize,
        old: u32,
        older: u32,
        new: u64,
    }

    impl Default for Grown {
        fn default() -> Self {
            Self { size: size_of::<Self>(), old: 1, older: 2, new: 3 }
        }
    }

    growing! {
        Grown as "Grown" before new;
    }

    #[test]
    fn structs_of_other_versions_are_read() {
        let read = |words: &[u64]| {
            // SAFETY: its first word is the number of its bytes, except where that is an error.
            unsafe { options(words.as_ptr().cast::<Grown>()) }.map_err(|failure| failure.code())
        };
        let grown = |size, old, older, new| Ok(Grown { size, old, older, new });
        assert_eq!(read(&[16, 7]), grown(16, 7, 0, 3));
        assert_eq!(read(&[24, 7, 8]), grown(24, 7, 0, 8));
        assert_eq!(read(&[32, 7, 8, 0]), grown(32, 7, 0, 8));
        assert_eq!(read(&[32, 7, 8, 1]), Err(Code::BadArgument));
        for size in [0, 8, 17, 20, 1 << 20, u64::MAX] {
            assert_eq!(read(&[size, 0, 0, 0]), Err(Code::BadArgument), "{size}");
        }
        // SAFETY: null stands for the defaults.
        assert_eq!(unsafe { options(std::ptr::null::<Grown>()) }.ok(), Some(Grown::default()));
    }

    #[test]
    fn arrays_of_other_versions_are_read() {
        let words = [16_u64, 5, 16, 6, 24, 7];
        let read = |count| {
            // SAFETY: there are so many.
            unsafe { array(words.as_ptr().cast::<Grown>(), count) }.map_err(|failure| failure.code())
        };
        let elements = read(2).expect("two structs");
        assert_eq!(elements.iter().map(|element| (element.old, element.new)).collect::<Vec<_>>(), [(5, 3), (6, 3)]);
        assert_eq!(read(3), Err(Code::BadArgument));
        assert_eq!(read(usize::MAX), Err(Code::BadArgument));
    }

    #[test]
    fn results_are_written_to_structs_of_any_version() {
        let result = Grown { size: 0, old: 7, older: 8, new: 9 };
        let write = |size| {
            let mut words = [size, u64::MAX, u64::MAX, u64::MAX];
            // SAFETY: its first word is the number of its bytes, except where that is an error.
            let written = unsafe { put_fields(words.as_mut_ptr().cast::<Grown>(), &result) };
            (written.map_err(|failure| failure.code()), words)
        };
        assert_eq!(write(16), (Ok(()), [16, 8 << 32 | 7, u64::MAX, u64::MAX]));
        assert_eq!(write(24), (Ok(()), [24, 8 << 32 | 7, 9, u64::MAX]));
        assert_eq!(write(32), (Ok(()), [32, 8 << 32 | 7, 9, u64::MAX]));
        for size in [0, 8, 17, 20, 1 << 20, u64::MAX] {
            assert_eq!(write(size), (Err(Code::BadArgument), [size, u64::MAX, u64::MAX, u64::MAX]), "{size}");
        }
        // SAFETY: null is an error.
        assert!(unsafe { put_fields(std::ptr::null_mut(), &result) }.is_err());
    }

    #[test]
    fn structs_of_any_version_are_filled() {
        let mut words = [u64::MAX; 4];
        let mut fill = |size| {
            words = [u64::MAX; 4];
            // SAFETY: there are so many bytes.
            (unsafe { init(words.as_mut_ptr().cast::<Grown>(), size) }, words)
        };
        assert_eq!(fill(16), (Code::Ok, [16, 2 << 32 | 1, u64::MAX, u64::MAX]));
        assert_eq!(fill(32), (Code::Ok, [32, 2 << 32 | 1, 3, 0]));
        assert_eq!(fill(8).0, Code::BadArgument);
    }
}
