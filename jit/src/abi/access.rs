//! Provides the helper for memory accesses lane by lane, for functions with so many accesses that inline code for each
//! would take too long to compile. `lower/lanes.rs` emits the same as code.

use std::sync::atomic::{AtomicU32, Ordering};

use brolga_ir::function::AtomicOp;

use super::{CallRow, Context, Operands, Range, View, number_of};

/// The properties of an access that compiled code passes, packed into one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AccessForm {
    pub work: AccessWork,
    /// Consecutive words, 1 to 4.
    pub words: usize,
    /// Lanes choose an element. Raw memory is a single one.
    pub indexed: bool,
    /// The memory that the lanes access.
    pub area: AreaForm,
    /// Only this worker accesses the memory.
    pub private: bool,
}

/// The operation of lanes at their addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessWork {
    Load,
    Store,
    Atomic(AtomicOp),
}

/// The source and layout of the memory of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AreaForm {
    /// Described by [`Call::area`].
    Plain,
    /// The same, but each word is a row of the packet in which every lane has its own column.
    Columns,
    /// Each lane chooses a structured view of a range; [`Call::area`] has the element size.
    Structured,
    /// Each lane chooses a raw view of a range.
    Raw,
}

/// Memory that lanes access: contiguous elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct AreaRecord {
    /// The first element.
    pub base: *mut u8,
    /// Number of elements, if lanes choose among them.
    pub elements: u64,
    /// Bytes per element.
    pub element_bytes: u64,
}

impl AreaRecord {
    /// No memory.
    pub const EMPTY: Self = Self { base: std::ptr::null_mut(), elements: 0, element_bytes: 0 };
}

const AREAS: [AreaForm; 4] = [AreaForm::Plain, AreaForm::Columns, AreaForm::Structured, AreaForm::Raw];

impl AccessForm {
    pub fn encode(self) -> u32 {
        let work = match self.work {
            AccessWork::Load => 0,
            AccessWork::Store => 1,
            AccessWork::Atomic(op) => 2 + number_of(&AtomicOp::ALL, &op),
        };
        let area = number_of(&AREAS, &self.area);
        self.words as u32 | u32::from(self.indexed) << 3 | area << 4 | u32::from(self.private) << 6 | work << 8
    }

    fn decode(code: u32) -> Self {
        Self {
            work: match code >> 8 {
                0 => AccessWork::Load,
                1 => AccessWork::Store,
                atomic => AccessWork::Atomic(AtomicOp::ALL[atomic as usize - 2]),
            },
            words: (code & 7) as usize,
            indexed: code >> 3 & 1 == 1,
            area: AREAS[code as usize >> 4 & 3],
            private: code >> 6 & 1 == 1,
        }
    }
}

/// Performs an access. Lanes run in order; words in range are read or written, others read 0. Returns 1 if there are such
/// others, else 0.
///
/// # Safety
/// `context` is the caller's own (C), set up as A and B say; the memory that [`Call::area`] describes exists, and lanes
/// that choose views choose among those of a declared range.
pub(super) unsafe extern "C" fn access(context: *mut Context, resource: u32, code: u32, _: u32) -> u32 {
    // SAFETY: as the caller says; nothing else accesses the context while the helper runs (B).
    let context = unsafe { &mut *context };
    let form = AccessForm::decode(code);
    let (plain, lanes) = (context.call.area, context.call.lanes);
    let (operands, results) = context.call.split();
    let mut is_outside = false;
    let (scale, column) = if form.area == AreaForm::Columns { (lanes as u64, 4) } else { (1, 0) };
    for lane in 0..lanes {
        let takes_part = operands.row(CallRow::Mask)[lane] != 0;
        let area = match form.area {
            AreaForm::Plain | AreaForm::Columns => plain,
            // SAFETY: the range was declared (C), and its views are as A says.
            AreaForm::Structured | AreaForm::Raw => unsafe {
                let element = operands.row(CallRow::Element)[lane];
                chosen(&*context.ranges.add(resource as usize), element, form.area, plain.element_bytes)
            },
        };
        let index = if form.indexed { u64::from(operands.row(CallRow::Coord(0))[lane]) } else { 0 };
        let exists = !form.indexed || index < area.elements;
        let offset = u64::from(operands.row(CallRow::Coord(1))[lane] & !3);
        let start = index * area.element_bytes + offset;
        for word in 0..form.words {
            let inside = takes_part && exists && offset + 4 * word as u64 + 4 <= area.element_bytes;
            let value = match inside {
                true => {
                    let at = scale * (start + 4 * word as u64) + column * lane as u64;
                    // SAFETY: the word is in range, as was just checked; memory is aligned to words (A).
                    unsafe { form.word(operands, lane, word, area.base.add(at as usize).cast()) }
                }
                false => 0,
            };
            is_outside |= takes_part && !inside;
            if form.work != AccessWork::Store {
                results[word * lanes + lane] = value;
            }
        }
    }
    is_outside.into()
}

/// The view that a lane chooses, with elements of this size if it is structured.
///
/// # Safety
/// The range has the views that it says.
unsafe fn chosen(range: &Range, element: u32, form: AreaForm, element_bytes: u64) -> AreaRecord {
    let view = match element < range.count {
        // SAFETY: as the caller says.
        true => unsafe { *range.views.add(element as usize) },
        false => View::UNBOUND,
    };
    match form {
        AreaForm::Raw => AreaRecord { base: view.base, elements: 1, element_bytes: view.size_bytes },
        _ => AreaRecord { base: view.base, elements: view.count, element_bytes },
    }
}

impl AccessForm {
    /// Performs the operation on one word; returns the previous word.
    ///
    /// # Safety
    /// The word may be read, or written if that is the operation, and is changed by others only as a whole.
    unsafe fn word(self, operands: Operands<'_>, lane: usize, word: usize, at: *mut u32) -> u32 {
        // SAFETY: as the caller says. Others may access the word at any time, so it is an atomic one here.
        let shared = unsafe { AtomicU32::from_ptr(at) };
        let (value, compare) = (operands.row(CallRow::Value(word))[lane], operands.row(CallRow::Compare)[lane]);
        match self.work {
            AccessWork::Load => shared.load(Ordering::Relaxed),
            AccessWork::Store => {
                shared.store(value, Ordering::Relaxed);
                0
            }
            AccessWork::Atomic(op) if self.private => {
                let old = shared.load(Ordering::Relaxed);
                shared.store(op.apply(old, value, compare), Ordering::Relaxed);
                old
            }
            AccessWork::Atomic(op) => op.change(shared, value, compare),
        }
    }
}
