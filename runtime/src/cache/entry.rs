//! Seals and opens entries: a hash, then what it covers: the shader's name, for people who inspect the cache, and the
//! content.
//!
//! The hash is keyed with the entry's key. It matches only if the content is unchanged and was stored for this key. It
//! detects damage, not malice: a user who can write to the folder can make entries.

use super::key::Key;

const HASH_BYTES: usize = blake3::OUT_LEN;
/// Precedes the name. Entries of earlier versions have no name.
const MARK: &[u8; 8] = b"\x89shader\n";
/// A name is truncated to this many bytes.
const NAME_BYTES: usize = 512;
/// Bytes of an entry that suffice to read its name.
pub(super) const HEAD_BYTES: usize = HASH_BYTES + MARK.len() + 2 + NAME_BYTES;

/// An entry for a key. The name is empty if there is none.
pub(super) fn seal(key: &Key, name: &str, content: &[u8]) -> Vec<u8> {
    let name = &name[..name.floor_char_boundary(NAME_BYTES)];
    let mut entry = vec![0; HASH_BYTES];
    entry.extend(MARK);
    entry.extend((name.len() as u16).to_le_bytes());
    entry.extend(name.as_bytes());
    entry.extend(content);
    let hash = hash(key, &entry[HASH_BYTES..]);
    entry[..HASH_BYTES].copy_from_slice(hash.as_bytes());
    entry
}

/// The content of an entry, if it was stored for this key and is undamaged.
pub(super) fn open<'a>(key: &Key, entry: &'a [u8]) -> Option<&'a [u8]> {
    let (stored, rest) = entry.split_first_chunk::<HASH_BYTES>()?;
    (hash(key, rest) == *stored).then(|| split(rest)).flatten().map(|(_, content)| content)
}

/// The name in an entry of which at least the head is given. It may be damaged.
pub(super) fn name(entry: &[u8]) -> Option<&str> {
    let (name, _) = split(entry.get(HASH_BYTES..)?)?;
    std::str::from_utf8(name).ok().filter(|name| !name.is_empty())
}

/// The name and the content after the hash.
fn split(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = rest.strip_prefix(MARK)?.split_first_chunk()?;
    rest.split_at_checked(u16::from_le_bytes(*length).into())
}

fn hash(key: &Key, rest: &[u8]) -> blake3::Hash {
    blake3::keyed_hash(key.bytes(), rest)
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
        let entry = seal(&key("a"), "add.cso", &content);
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
        assert_eq!(open(&key("a"), &seal(&key("a"), "", &[])), Some(&[][..]));
    }

    #[test]
    fn the_name_is_in_the_head() {
        let named = |name: &str| seal(&key("a"), name, &[7; 100]);
        assert_eq!(name(&named("add.cso")), Some("add.cso"));
        assert_eq!(name(&named("")), None);
        let long = "ä".repeat(NAME_BYTES);
        assert_eq!(name(&named(&long)[..HEAD_BYTES]), Some(&long[..NAME_BYTES]));
        assert_eq!(name(&named(&format!("x{long}"))[..HEAD_BYTES]).map(str::len), Some(NAME_BYTES - 1));
        // An entry without a name begins with its content, and a file may hold any bytes.
        for bytes in [&[][..], &[0; 31], &[0; 200], &named("add.cso")[..HASH_BYTES + MARK.len() + 3]] {
            assert_eq!(name(bytes), None);
        }
        let mut other = named("add.cso");
        other[HASH_BYTES + MARK.len() + 2] = 0xff;
        assert_eq!(name(&other), None);
    }
}
