//! Lowers private arrays (`x#`).
//!
//! Word `w` of element `e` is the row `4 e + w` of the packet's block: a word for each lane. So a uniform index moves
//! contiguous rows, and any other one stays in the lane's own column: lanes never conflict.

use brolga_ir::entity::{LocalId, Value};
use brolga_ir::function::MemoryRef;
use brolga_ir::{Const, Op, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::address::{Limit, REGISTER_BYTES};
use super::lanes::{HelperMemory, LaneWork};
use super::mask::LaneMask;
use super::notes::Note;
use super::{Lowering, own_flags, word_flags};
use crate::abi::{AreaForm, offsets};
use crate::packet::{Packet, PacketOperand};

/// Bytes of an element for the shader.
const ELEMENT_BYTES: u32 = REGISTER_BYTES;
/// Rows of an element.
const ELEMENT_ROWS: u32 = 4;

/// The rows that hold the words of an access.
enum WordRows {
    /// Consecutive rows, known to exist: the byte offset of the first one in the packet's block.
    Known(i32),
    /// One row for all lanes.
    Same(UniformRow),
    /// A row for each lane, found by a helper: the array's start and number of elements, the index, the byte offset.
    Asked { reach: HelperMemory, index: PacketOperand, offset: PacketOperand },
    /// A row for each lane.
    Each(Columns),
}

/// An element that is the same for all lanes.
struct UniformRow {
    /// Its address.
    element: ir::Value,
    /// Set if it exists; `None` if it certainly does.
    exists: Option<ir::Value>,
    /// The shader's byte offset in it, and its value if that is known.
    offset: PacketOperand,
    known_offset: Option<u32>,
}

/// Elements that differ from lane to lane, each in the lane's own column.
struct Columns {
    /// The array's start.
    base: ir::Value,
    /// Byte offsets from there to the lane's word in the first row of its element.
    first: Packet,
    /// The lanes whose element exists; `None` if certainly all have one.
    exist: Option<Packet>,
    /// The shader's byte offset in the element, and its value if that is known.
    offset: PacketOperand,
    known_offset: Option<u32>,
}

/// One word of each lane's element.
struct ColumnWords {
    /// Byte offsets from the array's start, to which `start` is to be added.
    at: Packet,
    /// The same for all lanes.
    start: i32,
    /// The lanes that have such a word; `None` if certainly all do.
    exist: Option<Packet>,
}

impl Lowering<'_, '_> {
    fn local_rows(&mut self, id: LocalId, place: MemoryRef, words: usize) -> WordRows {
        if let Some(at) = self.known_rows(id, place, words) {
            self.note(Note::RowsTogether);
            self.note(Note::Unchecked);
            return WordRows::Known(at);
        }
        let registers = self.func.interface.local(id).registers;
        let base = self.builder.ins().iadd_imm_s(self.anchors.position.locals, self.layout.local(id));
        let index = self.operand(place.index.expect("verified: private arrays have an index"));
        let offset = self.operand(place.offset);
        let bytes = ELEMENT_ROWS * self.layout.row_bytes;
        let known_offset = self.func.as_const(place.offset).map(|offset| offset.bits as u32);
        let most = place.index.map_or(u32::MAX, |index| self.facts.bounds.most(index));
        let is_sure = most < registers && self.facts.are_all_lanes_threads();
        match (&index, &offset) {
            (PacketOperand::Uniform(index), PacketOperand::Uniform(_)) => {
                self.note(Note::RowsTogether);
                let limit = i64::from(registers);
                let exists =
                    (!is_sure).then(|| self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, index.value, limit));
                let index = self.builder.ins().uextend(types::I64, index.value);
                let element = self.builder.ins().imul_imm_u(index, i64::from(bytes));
                let element = self.builder.ins().iadd(base, element);
                WordRows::Same(UniformRow { element, exists, offset, known_offset })
            }
            _ if self.calls.does_accesses => {
                self.note(Note::RowPerLane);
                let reach = HelperMemory {
                    form: AreaForm::Columns,
                    private: true,
                    resource: 0,
                    base: Some(base),
                    elements: Limit::Known(registers.into()),
                    element_bytes: Limit::Known(ELEMENT_BYTES.into()),
                };
                WordRows::Asked { reach, index, offset }
            }
            _ => {
                self.note(Note::RowPerLane);
                let exist = (!is_sure).then(|| self.lanes_below(&index, registers));
                let element = self.shifted(index, bytes.trailing_zeros());
                let lane = self.emit().lane_index();
                let column = self.shifted(lane.into(), 2);
                let first = self.binary(Op::IAdd, element, column);
                let first = self.emit().packet(&first);
                WordRows::Each(Columns { base, first, exist, offset, known_offset })
            }
        }
    }

    /// The rows of an access with constant index and offset, if all of them exist.
    fn known_rows(&self, id: LocalId, place: MemoryRef, words: usize) -> Option<i32> {
        let index = self.func.as_const(place.index?)?.bits;
        let first = self.func.as_const(place.offset)?.bits / 4;
        let registers = u64::from(self.func.interface.local(id).registers);
        let (end, rows) = (first + words as u64, u64::from(ELEMENT_ROWS));
        let row = (index < registers && end <= rows).then_some(index * rows + first)?;
        let at = self.layout.local(id) + (row * u64::from(self.layout.row_bytes)) as i64;
        Some(i32::try_from(at).expect("private arrays are limited"))
    }

    /// The address of the row of the n-th word, or of a row of the context if there is none.
    fn row_address(&mut self, row: &UniformRow, word: u32, otherwise: i32) -> ir::Value {
        let otherwise = self.builder.ins().iadd_imm_s(self.anchors.base, i64::from(otherwise));
        let row_bytes = self.layout.row_bytes;
        let (address, exists) = match row.known_offset.map(|offset| offset / 4 + word) {
            Some(ELEMENT_ROWS..) => return otherwise,
            Some(0) => (row.element, row.exists),
            Some(number) => (self.builder.ins().iadd_imm_s(row.element, i64::from(number * row_bytes)), row.exists),
            None => {
                let offset = self.builder.ins().band_imm_s(row.offset.values()[0], -4);
                // Without wrapping: an offset of 12 or less has room for one word.
                let room = i64::from((ELEMENT_BYTES - 3).saturating_sub(4 * word));
                let fits = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, offset, room);
                let exists = row.exists.map_or(fits, |exists| self.builder.ins().band(fits, exists));
                let offset = self.builder.ins().uextend(types::I64, offset);
                // Whole words become whole rows.
                let start = self.builder.ins().imul_imm_u(offset, i64::from(row_bytes / 4));
                let start = self.builder.ins().iadd_imm_s(start, i64::from(word * row_bytes));
                (self.builder.ins().iadd(row.element, start), Some(exists))
            }
        };
        match exists {
            Some(exists) => self.builder.ins().select(exists, address, otherwise),
            None => address,
        }
    }

    /// Reports lanes that have no n-th word, if somebody asks for it.
    fn report_no_row(&mut self, rows: &WordRows, word: u32, mask: &LaneMask) {
        if self.calls.suspected.is_none() {
            return;
        }
        match rows {
            WordRows::Known(_) | WordRows::Asked { .. } => {}
            WordRows::Same(row) => {
                let at = self.row_address(row, word, offsets::ZERO);
                let none = self.builder.ins().iadd_imm_s(self.anchors.base, i64::from(offsets::ZERO));
                let exists = self.builder.ins().icmp(IntCC::NotEqual, at, none);
                self.suspect_unless(exists);
            }
            WordRows::Each(columns) => match self.column_words(columns, word) {
                None => self.note_suspicion(),
                Some(ColumnWords { exist: None, .. }) => {}
                Some(ColumnWords { exist: Some(exist), .. }) => {
                    let lanes = self.mask_and_not(mask, &exist);
                    let any = self.emit().any(&lanes);
                    let exist = self.builder.ins().icmp_imm_u(IntCC::Equal, any, 0);
                    self.suspect_unless(exist);
                }
            },
        }
    }

    /// Offsets of each lane's n-th word; `None` if no lane has one.
    fn column_words(&mut self, columns: &Columns, word: u32) -> Option<ColumnWords> {
        let Columns { first, exist, offset, known_offset, .. } = columns;
        let exist = exist.clone();
        let start = |row| (row * self.layout.row_bytes) as i32;
        if let Some(offset) = known_offset {
            let row = offset / 4 + word;
            return (row < ELEMENT_ROWS).then(|| ColumnWords { at: first.clone(), start: start(row), exist });
        }
        let mask = self.constant(!3);
        let offset = self.binary(Op::And, offset.clone(), mask);
        let fits = self.lanes_below(&offset, (ELEMENT_BYTES - 3).saturating_sub(4 * word));
        let exist = match exist {
            Some(exist) => self.emit().mask_and(&exist, &fits),
            None => fits,
        };
        // Whole words become whole rows.
        let rows = self.shifted(offset, (self.layout.row_bytes / 4).trailing_zeros());
        let at = self.binary(Op::IAdd, rows, first.clone().into());
        Some(ColumnWords { at: self.emit().packet(&at), start: start(word), exist: Some(exist) })
    }

    /// The lanes where an unsigned number is below a constant.
    fn lanes_below(&mut self, number: &PacketOperand, limit: u32) -> Packet {
        let Some(most) = limit.checked_sub(1) else { return self.emit().mask_constant(false) };
        let most = self.constant(most);
        let lesser = self.binary(Op::UMin, number.clone(), most);
        let is_same = self.binary(Op::IEq, lesser, number.clone());
        self.emit().packet(&is_same)
    }

    fn shifted(&mut self, number: PacketOperand, count: u32) -> PacketOperand {
        let count = self.constant(count);
        self.binary(Op::Shl, number, count)
    }

    /// Writes a load from a private array.
    pub fn load_local(&mut self, id: LocalId, place: MemoryRef, results: &[Value]) {
        let active = self.control.active();
        let rows = self.local_rows(id, place, results.len());
        if let WordRows::Asked { reach, index, offset } = &rows {
            let loaded = self.ask_lanes(reach, Some(index), offset, &active, LaneWork::Load { words: results.len() });
            results.iter().zip(loaded).for_each(|(&result, value)| self.define(result, value));
            return;
        }
        for (word, &result) in results.iter().enumerate() {
            self.report_no_row(&rows, word as u32, &active);
            let loaded = match &rows {
                WordRows::Known(at) => {
                    let (locals, at) = (self.anchors.position.locals, at + word as i32 * self.layout.row_bytes as i32);
                    self.emit().load(Type::I32, locals, at, own_flags())
                }
                WordRows::Same(row) => {
                    let row = self.row_address(row, word as u32, offsets::ZERO);
                    self.emit().load(Type::I32, row, 0, own_flags())
                }
                WordRows::Each(columns) => match self.column_words(columns, word as u32) {
                    Some(ColumnWords { at, start, exist }) => {
                        self.emit().gather(columns.base, start, &at, 1, exist.as_ref(), word_flags()).remove(0)
                    }
                    None => self.emit().constant_packet(Const::i32(0)),
                },
                WordRows::Asked { .. } => unreachable!("done above"),
            };
            self.define(result, loaded.into());
        }
    }

    /// Writes a store to a private array.
    pub fn store_local(&mut self, id: LocalId, place: MemoryRef, values: &[Value], mask: &LaneMask) {
        let rows = self.local_rows(id, place, values.len());
        self.note_lanes(mask);
        let values: Vec<Packet> = values.iter().map(|&value| self.packet_operand(value)).collect();
        if let WordRows::Asked { reach, index, offset } = &rows {
            self.ask_lanes(reach, Some(index), offset, mask, LaneWork::Store { values: &values });
            return;
        }
        for (word, value) in values.into_iter().enumerate() {
            self.report_no_row(&rows, word as u32, mask);
            match &rows {
                WordRows::Known(at) => {
                    let at = at + word as i32 * self.layout.row_bytes as i32;
                    self.store_masked(&value, mask, self.anchors.position.locals, at);
                }
                WordRows::Same(row) => {
                    let row = self.row_address(row, word as u32, offsets::DUMP);
                    self.store_masked(&value, mask, row, 0);
                }
                WordRows::Each(columns) => {
                    let Some(ColumnWords { at, start, exist }) = self.column_words(columns, word as u32) else {
                        continue;
                    };
                    let lanes = match exist {
                        Some(exist) => Some(self.mask_and(mask, &exist)),
                        None => mask.lanes().cloned(),
                    };
                    let dump = self.layout.local_dump(id) - start as u32;
                    let masked = lanes.as_ref().map(|lanes| (lanes, dump));
                    self.emit().scatter_near(&value, columns.base, start, &at, masked, word_flags());
                }
                WordRows::Asked { .. } => unreachable!("done above"),
            }
        }
    }

    /// Writes the lanes of a mask to their words of a row.
    fn store_masked(&mut self, value: &Packet, mask: &LaneMask, row: ir::Value, at: i32) {
        match mask {
            LaneMask::Full => self.emit().store(value, row, at, own_flags()),
            LaneMask::Lanes(lanes) => self.emit().store_private(value, lanes, row, at, own_flags()),
        }
    }
}
