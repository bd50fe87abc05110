//! Makes the keys of entries: hashes of everything that determines the code, which `shader/stored.rs` lists for a
//! shader.
//!
//! Each input implements `Hash`, so that a field added to one is in the key as well. The compiler's own sources count
//! too (`build.rs` collects their hashes), and the versions of its dependencies.

use std::hash::{Hash, Hasher};

/// The sources that this was built from.
const SOURCES: &str = env!("BROLGA_SOURCES");

/// The key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(blake3::Hash);

impl Key {
    pub fn bytes(&self) -> &[u8; blake3::OUT_LEN] {
        self.0.as_bytes()
    }

    /// The name of the entry's file.
    pub fn file_name(&self) -> String {
        format!("{}{SUFFIX}", self.0)
    }

    /// `true` if a file of this name is an entry.
    pub fn is_file_name(name: &str) -> bool {
        name.strip_suffix(SUFFIX).is_some_and(|hash| blake3::Hash::from_hex(hash).is_ok())
    }
}

const SUFFIX: &str = ".code";

/// Makes keys whose common part is hashed once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyBuilder(blake3::Hash);

impl KeyBuilder {
    /// Starts with the identity of this build and the keys' common part.
    pub fn new(common: impl Hash) -> Self {
        Self(hash_of((SOURCES, brolga_fingerprint::of_build::<Self>(), common)))
    }

    /// The key of one of them.
    pub fn key(&self, own: impl Hash) -> Key {
        Key(hash_of((self.0, own)))
    }
}

/// The hash of everything that a value's `Hash` covers.
fn hash_of(value: impl Hash) -> blake3::Hash {
    struct All(blake3::Hasher);

    impl Hasher for All {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }

        fn finish(&self) -> u64 {
            unreachable!("the hash is longer")
        }
    }

    let mut all = All(blake3::Hasher::new());
    value.hash(&mut all);
    all.0.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_in_every_part_and_where_it_ends() {
        let texts = ["", "a", "b", "ab"];
        let mut keys = Vec::new();
        for common in texts {
            for own in texts {
                keys.push(KeyBuilder::new(common).key(own).file_name());
            }
        }
        assert_eq!(keys[5], KeyBuilder::new("a").key("a").file_name());
        assert!(keys.iter().all(|key| Key::is_file_name(key)));
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 16);
        assert!(!Key::is_file_name(&keys[0][1..]) && !Key::is_file_name("notes.code"));
    }
}
