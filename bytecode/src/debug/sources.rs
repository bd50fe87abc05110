//! The sources in a program database, and the text of their lines.
//!
//! The names of files come with the lines, as the compiler was told them. A text is in the stream `/src/files/NAME`,
//! where letters are small and slashes are backslashes. After a `#line` directive lines count from another number, and
//! may name another file, of which there need not be a text: what is there is then the text of those lines.

use super::SourceFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lines of a text that are called by consecutive numbers of one file.
#[derive(Clone, Debug)]
struct Segment {
    /// The file and the line that the first one is called.
    name: (u32, u32),
    /// The text and the line of it.
    source: u32,
    first: u32,
    count: u32,
}

/// The files, and what each of their lines is.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub files: Vec<SourceFile>,
    by_name: BTreeMap<Arc<str>, u32>,
    /// For each file the bytes where its lines begin.
    starts: Vec<Vec<u32>>,
    /// Sorted by name.
    segments: Vec<Segment>,
}

/// Segments of one file that are tried for a line: they overlap only where texts repeat a `#line`.
const TRIED: usize = 16;

/// A name as those of streams are.
pub(super) fn as_in_streams(name: &str) -> String {
    name.to_ascii_lowercase().replace('/', "\\")
}

impl Sources {
    /// The files that lines name, in their order, and the texts by the names in streams.
    pub fn new(names: Vec<String>, mut texts: BTreeMap<String, Arc<str>>) -> Self {
        let mut files: Vec<SourceFile> = Vec::new();
        let mut own = BTreeMap::new();
        for name in names {
            let key = as_in_streams(&name);
            let text = texts.get(&key).map(Arc::clone);
            own.entry(key).or_insert(files.len() as u32);
            files.push(SourceFile { name: name.into(), text });
        }
        texts.retain(|key, _| !own.contains_key(key));
        for (key, text) in texts {
            own.insert(key.clone(), files.len() as u32);
            files.push(SourceFile { name: key.into(), text: Some(text) });
        }
        let mut sources = Self { files, ..Self::default() };
        for source in 0..sources.files.len() as u32 {
            sources.index(source, &own);
        }
        for (n, file) in sources.files.iter().enumerate() {
            sources.by_name.entry(Arc::clone(&file.name)).or_insert(n as u32);
        }
        // Of two segments with one name, the file's own text is the last, which is found first.
        sources.segments.sort_by_key(|segment| (segment.name, segment.name.0 == segment.source));
        sources
    }

    /// Finds the lines of a file's text, and what they are called.
    fn index(&mut self, source: u32, own: &BTreeMap<String, u32>) {
        let file = self.files.get(source as usize);
        let Some((name, text)) = file.and_then(|file| Some((&file.name, file.text.as_deref()?))) else {
            return self.starts.push(Vec::new());
        };
        let is_known = own.get(&as_in_streams(name)) == Some(&source);
        let mut starts = Vec::new();
        let mut segment = Segment { name: (source, 1), source, first: 0, count: 0 };
        let mut byte = 0;
        for line in text.split_inclusive('\n') {
            starts.push(byte as u32);
            byte += line.len();
            segment.count += 1;
            if let (true, Some((number, file))) = (is_known, directive(line)) {
                let file = match file {
                    Some(file) => own.get(&as_in_streams(file)).copied(),
                    None => Some(segment.name.0),
                };
                let next = Segment {
                    // Lines of a file that no line of the program names are never looked for.
                    name: (file.unwrap_or(u32::MAX), number),
                    source,
                    first: starts.len() as u32,
                    count: 0,
                };
                self.segments.push(std::mem::replace(&mut segment, next));
            }
        }
        if is_known {
            self.segments.push(segment);
        }
        self.starts.push(starts);
    }

    /// The text of a line of a file, without its end.
    pub fn line(&self, file: &str, line: u32) -> Option<&str> {
        let file = *self.by_name.get(file)?;
        let behind = self.segments.partition_point(|segment| segment.name <= (file, line));
        let before = self.segments.get(..behind)?.iter().rev().take(TRIED);
        let mut before = before.filter(|segment| segment.name.0 == file);
        let segment = before.find(|segment| line - segment.name.1 < segment.count)?;
        let number = segment.first + (line - segment.name.1);
        let text = self.files.get(segment.source as usize)?.text.as_deref()?;
        let starts = self.starts.get(segment.source as usize)?;
        let start = *starts.get(number as usize)? as usize;
        let end = starts.get(number as usize + 1).map_or(text.len(), |&end| end as usize);
        Some(text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }
}

/// The number and the file of a `#line` directive.
fn directive(line: &str) -> Option<(u32, Option<&str>)> {
    let rest = line.trim().strip_prefix('#')?.trim_start().strip_prefix("line")?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let (number, file) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    let file = file.trim().strip_prefix('"').and_then(|file| file.split('"').next());
    Some((number.parse().ok()?, file))
}
