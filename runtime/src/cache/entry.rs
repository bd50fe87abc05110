//! What an entry holds: a hash, and the content that it is made of.
//!
//! The hash is keyed with the entry's key. It fits only if the content is what was stored, and was stored for this key.
//! It tells damage, not malice: a user who can write to the folder can make entries.

use super::key::Key;

const HASH_BYTES: usize = blake3::OUT_LEN;

/// An entry for a key.
pub(super) fn seal(key: &Key, content: &[u8]) -> Vec<u8> {
    [hash(key, content).as_bytes(), content].concat()
}

/// The content of an entry, if it was stored for this key and is undamaged.
pub(super) fn open<'a>(key: &Key, entry: &'a [u8]) -> Option<&'a [u8]> {
    let (stored, content) = entry.split_first_chunk::<HASH_BYTES>()?;
    (hash(key, content) == *stored).then_some(content)
}

fn hash(key: &Key, content: &[u8]) -> blake3::Hash {
    blake3::keyed_hash(key.bytes(), content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::KeyBuilder;

    fn key(what: &str) -> Key {
        KeyBuilder::new(what).key(())
    }

    #[test]
    fn only_what_was_stored_for_the_key_is_opened() {
        let content: Vec<u8> = (0..1000u32).map(|n| (n * 7) as u8).collect();
        let entry = seal(&key("a"), &content);
        assert_eq!(open(&key("a"), &entry), Some(&content[..]));
        assert_eq!(open(&key("b"), &entry), None);
        for at in 0..entry.len() {
            assert_eq!(open(&key("a"), &entry[..at]), None, "cut off at {at}");
            for bit in 0..8 {
                let mut entry = entry.clone();
                entry[at] ^= 1 << bit;
                assert_eq!(open(&key("a"), &entry), None, "bit {bit} of byte {at}");
            }
        }
        assert_eq!(open(&key("a"), &[&entry[..], &[0]].concat()), None);
        assert_eq!(open(&key("a"), &seal(&key("a"), &[])), Some(&[][..]));
    }
}
