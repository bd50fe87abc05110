//! Tests pixel functions from quads to targets, on the interpreter, against models of the functional specification.

mod blend;
mod depth;
mod srgb;

use std::sync::atomic::{AtomicU32, Ordering};

use brolga_bytecode::assembler::{self, AssembleError};
use brolga_bytecode::{Limits, LoadOptions, Shader};
use brolga_ir::batch::ArrayWords;
use brolga_ir::function::{AtomicOp, CounterOp, Query};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise_for};
use brolga_ir::pipeline::record::{BatchAttribute, BatchPrimitive, BatchQuad, BatchState};
use brolga_ir::pipeline::{self, state::PixelState};
use brolga_ir::sampling::SampleCall;
use brolga_ir::span::Packing;
use brolga_ir::texel::TexelFormat;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify;

/// Width and height of the targets in pixels.
const SIZE: u32 = 16;
/// Quads that cover them.
const QUADS: usize = (SIZE * SIZE / 4) as usize;
/// Registers of a vertex.
const ROWS: u32 = 2;

/// A quad with a primitive of its own, in perspective with w = 1. The weight of the second vertex grows by 1 with each
/// column, that of the third with each row.
#[derive(Clone, Copy)]
struct Quad {
    coverage: u32,
    /// Depth at its upper left pixel, and its increments per column and row.
    z: [f32; 3],
    /// `v1` of the leading vertex.
    first: [u32; 4],
    /// The differences of the second and third vertex from it.
    more: [[f32; 4]; 2],
}

impl Quad {
    fn constant(coverage: u32, first: [u32; 4]) -> Self {
        Self { coverage, z: [0.0; 3], first, more: [[0.0; 4]; 2] }
    }
}

/// Targets, then optionally the depth buffer: words of texels.
struct Views {
    words: Vec<Vec<AtomicU32>>,
    texel_words: Vec<usize>,
}

impl Views {
    fn word(&self, view: ViewSlot, texel: u32, n: usize) -> &AtomicU32 {
        let words = self.texel_words[view.id.index()];
        assert!(texel < SIZE * SIZE && n < words);
        &self.words[view.id.index()][texel as usize * words + n]
    }
}

impl Host for Views {
    fn load(&self, at: Address, words: &mut [u32]) {
        for (n, word) in words.iter_mut().enumerate() {
            *word = self.word(at.view, at.index.unwrap(), at.offset_bytes as usize / 4 + n).load(Ordering::Relaxed);
        }
    }

    fn store(&self, at: Address, words: &[u32]) {
        for (n, &word) in words.iter().enumerate() {
            self.word(at.view, at.index.unwrap(), at.offset_bytes as usize / 4 + n).store(word, Ordering::Relaxed);
        }
    }

    /// Only texels of one unsigned integer: those of other formats are accessed by words.
    fn texel_load(&self, view: ViewSlot, [x, y, _]: [u32; 3], _: u32) -> [u32; 4] {
        [self.word(view, y * SIZE + x, 0).load(Ordering::Relaxed), 0, 0, 1]
    }

    fn texel_store(&self, view: ViewSlot, [x, y, _]: [u32; 3], [word, ..]: [u32; 4]) {
        self.word(view, y * SIZE + x, 0).store(word, Ordering::Relaxed);
    }

    fn query(&self, query: Query, _: ViewSlot, _: u32) -> [u32; 4] {
        match query {
            Query::TextureSize => [SIZE, SIZE, 0, 1],
            Query::Layout => [SIZE, SIZE, 1, SIZE * SIZE],
            _ => unreachable!("nobody asks"),
        }
    }

    fn atomic(&self, _: AtomicOp, _: Address, _: u32, _: u32) -> u32 {
        unreachable!("there are none")
    }

    fn counter(&self, _: CounterOp, _: ViewSlot) -> u32 {
        unreachable!("there are none")
    }

    fn texel_atomic(&self, _: AtomicOp, _: ViewSlot, _: [u32; 3], _: u32, _: u32) -> u32 {
        unreachable!("there are none")
    }

    fn sample(&self, _: SampleCall<'_>) {
        unreachable!("there are none")
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

/// `true` if the primitive of a quad is front-facing.
fn is_front(quad: usize) -> bool {
    quad % 3 != 1
}

/// Draws quads, from left to right and from top to bottom; returns the reports of pixels, in the order of invocations,
/// and the final content of views.
///
/// `lines` are those of a shader that may read `v1`. Views have a format each, or texels of one integer that the host
/// accesses.
fn draw(
    lines: &str,
    state: &PixelState,
    formats: &[Option<TexelFormat>],
    quads: &[Quad],
    of_draw: BatchState,
    contents: &[Vec<u32>],
) -> (Vec<u32>, Vec<Vec<u32>>) {
    let text = format!("ps_5_0\ndcl_globalFlags refactoringAllowed\n{lines}\nret\n");
    let wrong = |error: AssembleError| -> ! { panic!("{error}: {:?}", text.get(error.span.clone())) };
    let assembly = assembler::assemble(&text, &Limits::default()).unwrap_or_else(|error| wrong(error));
    let program = Shader::load(&assembly.bytes, &LoadOptions::default()).unwrap().program;
    let mut whole = translate(&program, &TranslateOptions::default()).unwrap();
    pipeline::pixel(&mut whole, state);

    let (mut corners, mut primitives) = (Vec::new(), Vec::new());
    for (n, quad) in (0..).zip(quads) {
        let corner = [n % (SIZE / 2) * 2, n / (SIZE / 2) * 2];
        corners.extend(BatchQuad { corner, primitive: n, coverage: quad.coverage }.words());
        let [z, z_along_x, z_along_y] = quad.z;
        let head = BatchPrimitive {
            origin: corner,
            is_front: is_front(n as usize).into(),
            id: n,
            values: [z, 1.0, 0.0, 0.0],
            along_x: [z_along_x, 0.0, 1.0, 0.0],
            along_y: [z_along_y, 0.0, 0.0, 1.0],
            w: [1.0; 2],
            reserved: [0; 2],
        };
        let [second, third] = quad.more;
        primitives.extend(head.words());
        primitives.extend(BatchAttribute::default().words());
        primitives.extend(BatchAttribute { leading: quad.first, second, third }.words());
    }
    assert_eq!(primitives.len(), quads.len() * (BatchPrimitive::WORDS + ROWS as usize * BatchAttribute::WORDS));

    let ways = [(Level::None, false), (Level::Full, false), (Level::Full, true)];
    let [by_host, optimised, one_by_one] = ways.map(|(level, each_alone)| {
        let mut func = whole.clone();
        optimise_for(&mut func, level, formats);
        let func = verify(func).unwrap();
        let views = Views {
            words: contents.iter().map(|words| words.iter().copied().map(AtomicU32::new).collect()).collect(),
            texel_words: formats.iter().map(|format| format.map_or(1, |format| format.words as usize)).collect(),
        };
        let mut live = vec![7; 4 * quads.len()];
        // One batch of all quads, or one of each, which is of one primitive then.
        let count = if each_alone { 1 } else { quads.len() };
        for (n, (corners, live)) in (1..).zip(corners.chunks(4 * count).zip(live.chunks_mut(4 * count))) {
            let of_draw = BatchState { primitive: if each_alone { n } else { 0 }, ..of_draw }.words();
            let mut arrays = Vec::from([corners, &primitives, &of_draw].map(ArrayWords::Read));
            if state.reports_live {
                arrays.push(ArrayWords::Write(live));
            }
            Interpreter::with_packing(&func, Packing::Row)
                .run_batch(&views, 4 * count as u32, &mut arrays, &mut Arena::new(), &mut { u64::MAX })
                .unwrap();
        }
        let words = views.words.into_iter().map(|words| words.into_iter().map(AtomicU32::into_inner).collect());
        (live, words.collect::<Vec<Vec<u32>>>())
    });
    assert!(by_host == optimised, "{lines}\n{state:?}");
    assert!(optimised == one_by_one, "{lines}\n{state:?}");
    optimised
}

/// The texel of an invocation.
fn texel(invocation: usize) -> usize {
    let (quad, pixel, columns) = (invocation / 4, invocation % 4, SIZE as usize / 2);
    (quad / columns * 2 + pixel / 2) * SIZE as usize + quad % columns * 2 + pixel % 2
}
