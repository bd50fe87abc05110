//! Keeps the texts of results for C, with the object that they belong to.

use std::ffi::{CString, c_char};

/// Texts for C, which stay at their addresses however many follow.
#[derive(Default)]
pub(crate) struct Texts(Vec<CString>);

impl Texts {
    pub fn keep(&mut self, text: &str) -> *const c_char {
        // Names in files that were tampered with end at a zero, as messages do in which a shader prints one.
        let bytes: Vec<u8> = text.bytes().take_while(|&byte| byte != 0).collect();
        let text = CString::new(bytes).unwrap_or_default();
        let pointer = text.as_ptr();
        self.0.push(text);
        pointer
    }

    pub fn keep_if_any(&mut self, text: Option<&str>) -> *const c_char {
        text.map_or(std::ptr::null(), |text| self.keep(text))
    }
}
