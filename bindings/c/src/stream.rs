//! Defines stream output: what a pipeline writes to buffers for each vertex, and the buffers of a draw.

use std::ffi::c_char;

use brolga::Semantic;
use brolga::raster;

use crate::arguments::{array, at_most, growing, init, slice, text_if_any};
use crate::buffer::Buffer;
use crate::error::{Code, Failure};
use crate::handle::get_if_any;

/// Number of streams, and of buffers for them.
pub(crate) const STREAMS: u32 = 4;

/// The most entries of a declaration: a component each, of all streams.
const MOST_ENTRIES: u32 = 512;

/// Components of an output that are streamed out, or a gap.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StreamOutputEntry {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The output's semantic, in letters of either case, with its number: "TEXCOORD1"; NULL, the default, for a gap,
    /// whose bytes in the buffer stay as they are.
    pub semantic: *const c_char,
    /// The stream, 0 to 3; 0 by default. A slot takes entries of one stream only.
    pub stream: u32,
    /// The first of the output's components, 0 to 3; 0 by default.
    pub start_component: u32,
    /// Number of components, of 4 bytes each.
    pub component_count: u32,
    /// The slot of the buffer, 0 to 3; 0 by default.
    pub slot: u32,
}

impl Default for StreamOutputEntry {
    fn default() -> Self {
        let (semantic, stream, start_component, component_count, slot) = (std::ptr::null(), 0, 0, 0, 0);
        Self { size: size_of::<Self>(), semantic, stream, start_component, component_count, slot }
    }
}

/// The outputs that a pipeline streams out: those of its geometry shader, or without one of its domain or vertex shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StreamOutput {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Components and gaps, in the order in which they follow one another in each buffer.
    pub entries: *const StreamOutputEntry,
    /// Number of entries, at most 512.
    pub entry_count: usize,
    /// Distances between vertices in bytes, from slot 0 on, multiples of 4 up to 2048. In slots without one, vertices
    /// are as long as their entries.
    pub strides: *const u32,
    /// Number of strides, at most 4.
    pub stride_count: usize,
    /// The stream that is rasterized, too; 0 by default, UINT32_MAX for none.
    pub rasterized_stream: u32,
}

impl Default for StreamOutput {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            entries: std::ptr::null(),
            entry_count: 0,
            strides: std::ptr::null(),
            stride_count: 0,
            rasterized_stream: 0,
        }
    }
}

/// A buffer that a draw streams vertices out to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StreamTarget {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The buffer; NULL, the default, for none. The streams of such a slot write nothing.
    pub buffer: *const Buffer,
    /// The byte from which on it is written, a multiple of 4; 0 by default. UINT64_MAX to go on behind what was streamed
    /// out to it before, wherever that was: see brolga_buffer_filled_bytes.
    pub offset_bytes: u64,
}

impl Default for StreamTarget {
    fn default() -> Self {
        Self { size: size_of::<Self>(), buffer: std::ptr::null(), offset_bytes: 0 }
    }
}

growing! {
    StreamOutputEntry as "BrolgaStreamOutputEntry";
    StreamOutput as "BrolgaStreamOutput";
    StreamTarget as "BrolgaStreamTarget";
}

/// The semantic of a text: its name, and the digits at its end.
fn semantic(text: &str) -> Semantic {
    let name = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    Semantic::new(name, text[name.len()..].parse().unwrap_or(0))
}

impl StreamOutputEntry {
    /// # Safety
    /// Its semantic is null or a text.
    unsafe fn native(&self) -> Result<raster::StreamOutputEntry, Failure> {
        // SAFETY: promised to this function.
        let text = unsafe { text_if_any(self.semantic, "BrolgaStreamOutputEntry.semantic") }?;
        Ok(raster::StreamOutputEntry {
            stream: self.stream,
            semantic: text.map(semantic),
            first_component: self.start_component,
            components: self.component_count,
            buffer: self.slot,
        })
    }
}

impl StreamOutput {
    /// # Safety
    /// Its pointers are null or point to valid objects of their types.
    pub(crate) unsafe fn native(&self) -> Result<raster::StreamOutput, Failure> {
        let entry_count = at_most(self.entry_count, MOST_ENTRIES, "BrolgaStreamOutput.entry_count")?;
        let stride_count = at_most(self.stride_count, STREAMS, "BrolgaStreamOutput.stride_count")?;
        // SAFETY: promised to this function.
        unsafe {
            let entries = array(self.entries, entry_count)?;
            Ok(raster::StreamOutput {
                entries: entries.iter().map(|entry| entry.native()).collect::<Result<_, _>>()?,
                strides: slice(self.strides, stride_count, "BrolgaStreamOutput.strides")?.to_vec(),
                rasterized_stream: (self.rasterized_stream != u32::MAX).then_some(self.rasterized_stream),
            })
        }
    }
}

impl StreamTarget {
    /// # Safety
    /// Its buffer is null or an object.
    pub(crate) unsafe fn native(&self) -> Result<Option<raster::StreamTarget>, Failure> {
        let offset_bytes = (self.offset_bytes != u64::MAX).then_some(self.offset_bytes);
        let target = |buffer: &brolga::Buffer| raster::StreamTarget { buffer: buffer.clone(), offset_bytes };
        // SAFETY: promised to this function.
        Ok(unsafe { get_if_any(self.buffer) }?.map(target))
    }
}

/// Fills an entry with the defaults. `size` is sizeof(BrolgaStreamOutputEntry).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_stream_output_entry_init(entry: *mut StreamOutputEntry, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(entry, size) }
}

/// Fills a declaration with the defaults. `size` is sizeof(BrolgaStreamOutput).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_stream_output_init(stream_output: *mut StreamOutput, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(stream_output, size) }
}

/// Fills a target with the defaults. `size` is sizeof(BrolgaStreamTarget).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_stream_target_init(stream_target: *mut StreamTarget, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(stream_target, size) }
}
