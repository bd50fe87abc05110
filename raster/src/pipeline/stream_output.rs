//! The declaration of stream output: which components of which outputs go where in buffers (functional specification,
//! 14.1 to 14.3).

use brolga_ir::stage::STREAMS;
use brolga_runtime::{Module, Parameter, Semantic, Signature, nearest};

use crate::error::DrawError;
use crate::geometry::stream::{BUFFERS, BufferLayout, Run, StreamLayout};

/// The most bytes from one vertex to the next, and of what is written for one.
const MOST_STRIDE_BYTES: u32 = 2048;
const MOST_WINDOW_BYTES: u32 = 512;

/// The most scalars of a vertex of a stream.
const MOST_SCALARS: usize = 128;

/// What a pipeline streams out, as for `CreateGeometryShaderWithStreamOutput`: outputs of its geometry shader, or
/// without one of its vertex shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOutput {
    /// Components and gaps, in the order in which they follow one another in each buffer.
    pub entries: Vec<StreamOutputEntry>,
    /// Bytes from one vertex to the next in each buffer; those that are missing are as long as their entries.
    pub strides: Vec<u32>,
    /// The stream that is rasterized, 0 to 3; `None` for none.
    pub rasterized_stream: Option<u32>,
}

/// Components of an output that are streamed out, or a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOutputEntry {
    /// The stream, 0 to 3. A buffer takes entries of one only.
    pub stream: u32,
    /// The output's semantic; `None` for a gap, whose bytes in the buffer stay as they are.
    pub semantic: Option<Semantic>,
    /// The first of the output's components.
    pub first_component: u32,
    /// Number of components, of 4 bytes each.
    pub components: u32,
    /// The buffer, 0 to 3.
    pub buffer: u32,
}

impl StreamOutput {
    /// Finds the words of outputs that are written. A primitive of each stream has so many vertices.
    pub(super) fn layout(&self, last: &Module, primitive_vertices: [u32; STREAMS]) -> Result<StreamLayout, DrawError> {
        let mut layout = StreamLayout { primitive_vertices, ..StreamLayout::default() };
        let mut ends = [0_u32; BUFFERS];
        for (n, entry) in self.entries.iter().enumerate() {
            let failed = |what: String| DrawError::StreamOutput { what: format!("entry {n} {what}") };
            let &StreamOutputEntry { stream, components, buffer, .. } = entry;
            let (Some(end), true) = (ends.get_mut(buffer as usize), (stream as usize) < STREAMS) else {
                return Err(failed(format!("is of stream {stream} for buffer {buffer}: there are 0 to 3 of each")));
            };
            let start = *end;
            *end = start.saturating_add(components.saturating_mul(4));
            if *end > MOST_STRIDE_BYTES {
                return Err(failed(format!("ends at byte {end} of buffer {buffer}: {MOST_STRIDE_BYTES} is the most")));
            }
            let slot = &mut layout.buffers[buffer as usize];
            if let Some(other) = slot.as_ref().filter(|other| other.stream != stream as usize) {
                let other = other.stream;
                return Err(failed(format!("is of stream {stream}, but buffer {buffer} takes stream {other} already")));
            }
            let into = slot.get_or_insert(BufferLayout {
                stream: stream as usize,
                stride_bytes: 0,
                runs: Vec::new(),
                words: 0,
            });
            if let Some(semantic) = &entry.semantic {
                for (word, offset_bytes) in
                    words(entry, semantic, last).map_err(failed)?.into_iter().zip((start..).step_by(4))
                {
                    match into.runs.last_mut() {
                        Some(run)
                            if run.word + run.count == word
                                && run.offset_bytes + 4 * run.count as u32 == offset_bytes =>
                        {
                            run.count += 1;
                        }
                        _ => into.runs.push(Run { word, count: 1, offset_bytes }),
                    }
                    into.words += 1;
                }
            }
        }
        for stream in 0..STREAMS {
            let of_stream = layout.buffers.iter().flatten().filter(|buffer| buffer.stream == stream);
            let scalars: usize = of_stream.map(|buffer| buffer.words).sum();
            if scalars > MOST_SCALARS {
                let what = format!("stream {stream} has {scalars} scalars a vertex: {MOST_SCALARS} are the most");
                return Err(DrawError::StreamOutput { what });
            }
        }
        for (slot, (buffer, end)) in layout.buffers.iter_mut().zip(ends).enumerate() {
            let Some(into) = buffer else { continue };
            let stride = self.strides.get(slot).copied().unwrap_or(end);
            let window = into.runs.last().map_or(0, |run| run.offset_bytes + 4 * run.count as u32)
                - into.runs.first().map_or(0, |run| run.offset_bytes);
            let what = if stride < end || stride > MOST_STRIDE_BYTES || !stride.is_multiple_of(4) {
                format!(
                    "the stride of buffer {slot} is {stride}: it must be {end} to {MOST_STRIDE_BYTES}, a multiple of 4"
                )
            } else if window > MOST_WINDOW_BYTES {
                format!("buffer {slot} gets {window} bytes of a vertex: {MOST_WINDOW_BYTES} are the most")
            } else {
                into.stride_bytes = stride;
                continue;
            };
            return Err(DrawError::StreamOutput { what });
        }
        // Nothing is to be written where there are only gaps.
        layout.buffers.iter_mut().for_each(|buffer| *buffer = buffer.take().filter(|buffer| buffer.words > 0));
        Ok(layout)
    }
}

/// The words of a vertex's rows that an entry names.
fn words(entry: &StreamOutputEntry, semantic: &Semantic, last: &Module) -> Result<Vec<usize>, String> {
    let &StreamOutputEntry { stream, first_component: first, components: count, .. } = entry;
    let named = |output: &&Parameter| output.semantic.as_ref().is_some_and(|own| own.matches(semantic));
    // A file's signature may have more than the shader declares.
    let rows = last.stage().signature().map_or(0, Signature::output_rows);
    let of_stream = || last.outputs().iter().filter(|output| output.stream == stream && output.row < rows);
    let Some(output) = of_stream().find(named) else {
        let names: Vec<String> = of_stream().filter_map(|output| Some(output.semantic.as_ref()?.to_string())).collect();
        let near = nearest(&semantic.to_string(), names.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!(" [did you mean `{near}`?]"));
        return Err(format!(
            "is {semantic}, which the {} shader does not write to stream {stream}{near}",
            last.kind().name()
        ));
    };
    let all: Vec<usize> = output.components().map(|component| output.row as usize * 4 + component).collect();
    let range = first as usize..first.saturating_add(count) as usize;
    match all.get(range) {
        Some(words) if count > 0 => Ok(words.to_vec()),
        _ => Err(format!(
            "has components {first} to {} of {semantic}, which has {}",
            u64::from(first) + u64::from(count),
            all.len()
        )),
    }
}
