//! Shortens quotations in messages: files and paths may contain megabytes.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// The maximum number of letters from a file.
pub const SHORT: usize = 80;

/// The maximum number of letters of a message or a path from elsewhere.
const SHORT_TEXT: usize = 2000;

/// A quotation from a file.
pub fn short(text: &str) -> Cow<'_, str> {
    cut(text, SHORT)
}

/// A message from elsewhere.
pub fn short_text(text: impl fmt::Display) -> String {
    cut(&text.to_string(), SHORT_TEXT).into_owned()
}

/// A path.
pub fn short_path(path: &Path) -> String {
    short_text(path.display())
}

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}… ({} bytes)", &text[..end], text.len())),
    }
}
