//! Implements handles: pointers to objects that C holds and Brolga owns.
//!
//! Each object begins with a tag of its kind, by which a pointer to an object of another kind is detected. So is,
//! usually, one to an object that was destroyed: its tag is wiped. This cannot be relied on, as its memory may have
//! become something else.

use crate::arguments::check_memory;
use crate::error::{Code, Error, Failure, guard};

/// A kind of object. The type itself has no values: C knows its name, and pointers to it.
pub(crate) trait HandleKind {
    /// The value that Brolga keeps in an object.
    type Value;
    /// Its name in messages, with an article: `a buffer`.
    const NAME: &'static str;
    /// The tag of its objects: a hash of the name (FNV-1a).
    const TAG: u64 = {
        let (name, mut hash, mut n) = (Self::NAME.as_bytes(), 0xcbf2_9ce4_8422_2325_u64, 0);
        while n < name.len() {
            hash = (hash ^ name[n] as u64).wrapping_mul(0x0100_0000_01b3);
            n += 1;
        }
        hash
    };
}

#[repr(C)]
struct TaggedValue<V> {
    tag: u64,
    value: V,
}

/// The caller's pointer that receives a new object: NULL until then.
pub(crate) struct NewHandle<K: HandleKind>(*mut *mut K);

impl<K: HandleKind> NewHandle<K> {
    /// # Safety
    /// `to` is null or may be written, until the value is put.
    pub unsafe fn new(to: *mut *mut K) -> Result<Self, Failure> {
        check_memory(to, 1, &format!("the place for {}", K::NAME))?;
        // SAFETY: promised to this function.
        unsafe { to.write(std::ptr::null_mut()) };
        Ok(Self(to))
    }

    /// Makes an object of a value.
    pub fn put(self, value: K::Value) {
        let object = Box::into_raw(Box::new(TaggedValue { tag: K::TAG, value }));
        // SAFETY: `new` was promised that it may be written.
        unsafe { self.0.write(object.cast()) }
    }
}

/// Returns the value of an object.
///
/// # Safety
/// `handle` is null, or an object that is not destroyed while the value is used.
pub(crate) unsafe fn get<'a, K: HandleKind>(handle: *const K) -> Result<&'a K::Value, Failure> {
    let object = handle.cast::<TaggedValue<K::Value>>();
    if object.is_null() {
        return Err(Failure::new(Code::NullHandle, format!("{} is needed, but the pointer is NULL", K::NAME)));
    }
    // SAFETY: promised to this function. An object of any kind begins with a tag, and is complete before others know of
    // it.
    if !object.is_aligned() || unsafe { (&raw const (*object).tag).read() } != K::TAG {
        let text = format!("{} is needed, but the pointer leads to something else", K::NAME);
        return Err(Failure::new(Code::WrongHandle, text));
    }
    // SAFETY: the tag says that it is an object of this kind.
    Ok(unsafe { &(*object).value })
}

/// Returns the value of an object, if there is one.
///
/// # Safety
/// As for [`get`].
pub(crate) unsafe fn get_if_any<'a, K: HandleKind>(handle: *const K) -> Result<Option<&'a K::Value>, Failure> {
    // SAFETY: promised to this function.
    if handle.is_null() { Ok(None) } else { unsafe { get(handle) }.map(Some) }
}

/// Destroys an object, if there is one.
///
/// # Safety
/// `handle` is null, or an object that nobody uses now or later.
pub(crate) unsafe fn destroy<K: HandleKind>(handle: *mut K) -> Code {
    // SAFETY: promised to this function; no text is requested.
    unsafe {
        guard(std::ptr::null_mut::<Error>(), || {
            if get_if_any(handle)?.is_some() {
                let object = handle.cast::<TaggedValue<K::Value>>();
                // Detected on later use, as long as nobody else has the memory. It is volatile since nothing that the
                // compiler knows of reads it.
                (&raw mut (*object).tag).write_volatile(0);
                drop(Box::from_raw(object));
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Word;

    impl HandleKind for Word {
        type Value = u32;
        const NAME: &'static str = "a word";
    }

    struct Other;

    impl HandleKind for Other {
        type Value = [u64; 4];
        const NAME: &'static str = "another";
    }

    #[test]
    fn only_objects_of_the_kind_are_taken() {
        let mut handle = std::ptr::null_mut::<Word>();
        // SAFETY: all pointers are null or valid.
        unsafe {
            NewHandle::new(&mut handle).ok().expect("a place").put(7);
            assert_eq!(get(handle).ok(), Some(&7));
            assert_eq!(get(handle.cast::<Other>()).err().map(|failure| failure.code()), Some(Code::WrongHandle));
            assert_eq!(get(std::ptr::null::<Word>()).err().map(|failure| failure.code()), Some(Code::NullHandle));
            let odd = handle.cast::<u8>().add(1).cast::<Word>();
            assert_eq!(get(odd).err().map(|failure| failure.code()), Some(Code::WrongHandle));
            assert!(get_if_any(std::ptr::null::<Word>()).is_ok_and(|none| none.is_none()));
            assert_eq!(destroy(handle.cast::<Other>()), Code::WrongHandle);
            assert_eq!([destroy(handle), destroy(std::ptr::null_mut::<Word>())], [Code::Ok; 2]);
            assert!(NewHandle::<Word>::new(std::ptr::null_mut()).is_err());
        }
    }
}
