//! What messages quote, as long as it may be: files and paths may say megabytes.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// Letters of what somebody wrote.
pub const SHORT: usize = 80;

/// Letters of a message or a path that was put together elsewhere.
const SHORT_TEXT: usize = 2000;

/// What a file says.
pub fn short(text: &str) -> Cow<'_, str> {
    cut(text, SHORT)
}

/// A message of another place.
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
