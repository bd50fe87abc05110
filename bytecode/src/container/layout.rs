//! Laying out a chunk whose records lead to others by offsets.

use std::collections::HashMap;

/// A chunk that is being laid out.
#[derive(Default)]
pub(super) struct Layout {
    bytes: Vec<u8>,
    /// Where the offset of a name belongs.
    names: Vec<(usize, String)>,
}

impl Layout {
    /// Where the next thing goes.
    pub fn at(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Appends a word.
    pub fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// Appends words.
    pub fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.word(word));
    }

    /// Appends halves of words.
    pub fn halves(&mut self, halves: &[u16]) {
        self.bytes.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
    }

    /// Appends bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Fills the last word up with zeros.
    pub fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    /// Appends the offset of a name, which goes behind everything else.
    pub fn name(&mut self, name: &str) {
        self.names.push((self.bytes.len(), name.to_owned()));
        self.word(0);
    }

    /// Appends a word that is not known yet, and says where.
    pub fn later(&mut self) -> usize {
        self.word(0);
        self.bytes.len() - 4
    }

    /// Sets a word that was not known.
    pub fn set(&mut self, at: usize, word: u32) {
        self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// Appends the names, each once, and gives the chunk's data.
    pub fn finish(mut self) -> Vec<u8> {
        const PADDING: u8 = 0xab;
        let mut placed: HashMap<String, u32> = HashMap::new();
        for (at, name) in std::mem::take(&mut self.names) {
            let offset = match placed.get(&name) {
                Some(offset) => *offset,
                None => {
                    let offset = self.at();
                    self.bytes.extend(name.as_bytes());
                    self.bytes.push(0);
                    placed.insert(name, offset);
                    offset
                }
            };
            self.set(at, offset);
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), PADDING);
        self.bytes
    }
}
