//! Private arrays (`x#`).
//!
//! Word `w` of element `e` is the row `4 e + w` of the packet's block: a word for each lane. So an index that is the same
//! in all lanes moves contiguous rows, and any other one stays in the lane's own column: lanes never conflict.

use brolga_ir::entity::{LocalId, Value};
use brolga_ir::function::MemoryRef;
use brolga_ir::{Op, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};

use super::address::{Limit, REGISTER_BYTES};
use super::lanes::{Reach, Work};
use super::mask::Mask;
use super::notes::Note;
use super::{Lowering, own_flags};
use crate::abi::{AreaForm, offsets};
use crate::packet::{Operand, Packet};

/// Bytes of an element for the shader.
const ELEMENT_BYTES: u32 = REGISTER_BYTES;
/// Rows of an element.
const ELEMENT_ROWS: u32 = 4;

/// Where the words of an access are.
enum Rows {
    /// Consecutive rows, known to exist: the byte offset of the first one in the packet's block.
    Known(i32),
    /// One row for all lanes: the element's address, the byte offset in it, and whether the element exists.
    Same { element: ir::Value, offset: Operand, exists: ir::Value },
    /// A row for each lane, which a helper finds: the array's start and how many elements it has, the index, the byte
    /// offset.
    Asked { reach: Reach, index: Operand, offset: Operand },
    /// A row for each lane: byte offsets from the array's start to the element, the shader's byte offset, lanes whose
    /// element exists.
    Each { base: ir::Value, element: Operand, offset: Operand, exists: Operand },
}

impl Lowering<'_, '_> {
    fn local_rows(&mut self, id: LocalId, place: MemoryRef, words: usize) -> Rows {
        if let Some(at) = self.known_rows(id, place, words) {
            self.note(Note::RowsTogether);
            self.note(Note::Unchecked);
            return Rows::Known(at);
        }
        let registers = self.func.interface.local(id).registers;
        let base = self.builder.ins().iadd_imm_s(self.anchors.position.locals, self.layout.local(id));
        let index = self.operand(place.index.expect("verified: private arrays have an index"));
        let offset = self.operand(place.offset);
        let bytes = ELEMENT_ROWS * self.layout.row_bytes;
        match (&index, &offset) {
            (Operand::Uniform(index), Operand::Uniform(_)) => {
                self.note(Note::RowsTogether);
                let exists = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, index.value, i64::from(registers));
                let index = self.builder.ins().uextend(types::I64, index.value);
                let element = self.builder.ins().imul_imm_u(index, i64::from(bytes));
                let element = self.builder.ins().iadd(base, element);
                Rows::Same { element, offset, exists }
            }
            _ if self.calls.does_accesses => {
                self.note(Note::RowPerLane);
                let reach = Reach {
                    form: AreaForm::Columns,
                    private: true,
                    resource: 0,
                    base: Some(base),
                    elements: Limit::Known(registers.into()),
                    element_bytes: Limit::Known(ELEMENT_BYTES.into()),
                };
                Rows::Asked { reach, index, offset }
            }
            _ => {
                self.note(Note::RowPerLane);
                let limit = self.constant(registers);
                let exists = self.binary(Op::ULt, index.clone(), limit);
                let bytes = self.constant(bytes);
                let element = self.binary(Op::IMul, index, bytes);
                Rows::Each { base, element, offset, exists }
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
    fn row_address(
        &mut self,
        element: ir::Value,
        offset: &Operand,
        exists: ir::Value,
        word: u32,
        otherwise: i32,
    ) -> ir::Value {
        let offset = offset.values()[0];
        let offset = self.builder.ins().band_imm_s(offset, -4);
        let fits = match word {
            // Without wrapping: an offset of 12 or less has room for one word.
            0..ELEMENT_ROWS => {
                let last = i64::from(ELEMENT_BYTES - 4 - 4 * word);
                self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThanOrEqual, offset, last)
            }
            _ => self.builder.ins().iconst(types::I8, 0),
        };
        let inside = self.builder.ins().band(fits, exists);
        let offset = self.builder.ins().uextend(types::I64, offset);
        let row = self.builder.ins().imul_imm_u(offset, i64::from(self.layout.row_bytes / 4));
        let row = self.builder.ins().iadd_imm_s(row, i64::from(word * self.layout.row_bytes));
        let row = self.builder.ins().iadd(element, row);
        let otherwise = self.builder.ins().iadd_imm_s(self.anchors.base, i64::from(otherwise));
        self.builder.ins().select(inside, row, otherwise)
    }

    /// Byte offsets of each lane's n-th word from the array's start, and the lanes that have such a word.
    fn lane_rows(&mut self, element: &Operand, offset: &Operand, exists: &Operand, word: u32) -> (Packet, Packet) {
        let mask = self.constant(!3);
        let offset = self.binary(Op::And, offset.clone(), mask);
        let room = self.constant((ELEMENT_BYTES - 3).saturating_sub(4 * word));
        let fits = self.binary(Op::ULt, offset.clone(), room);
        let inside = self.binary(Op::BAnd, fits, exists.clone());
        let scale = self.constant(self.layout.row_bytes / 4);
        let row = self.binary(Op::IMul, offset, scale);
        let row = self.binary(Op::IAdd, row, element.clone());
        let start = self.constant(word * self.layout.row_bytes);
        let row = self.binary(Op::IAdd, row, start);
        let lane = self.emit().lane_index();
        let four = self.constant(4);
        let column = self.binary(Op::IMul, lane.into(), four);
        let at = self.binary(Op::IAdd, row, column);
        let mut emit = self.emit();
        (emit.packet(&at), emit.packet(&inside))
    }

    /// Writes a load from a private array.
    pub fn load_local(&mut self, id: LocalId, place: MemoryRef, results: &[Value]) {
        let active = self.control.active();
        let rows = self.local_rows(id, place, results.len());
        if let Rows::Asked { reach, index, offset } = &rows {
            let loaded = self.ask_lanes(reach, Some(index), offset, &active, Work::Load { words: results.len() });
            results.iter().zip(loaded).for_each(|(&result, value)| self.define(result, value));
            return;
        }
        for (word, &result) in results.iter().enumerate() {
            let loaded = match &rows {
                Rows::Known(at) => {
                    let (locals, at) = (self.anchors.position.locals, at + word as i32 * self.layout.row_bytes as i32);
                    self.emit().load(Type::I32, locals, at, own_flags())
                }
                Rows::Same { element, offset, exists } => {
                    let row = self.row_address(*element, offset, *exists, word as u32, offsets::ZERO);
                    self.emit().load(Type::I32, row, 0, own_flags())
                }
                Rows::Each { base, element, offset, exists } => {
                    let (at, inside) = self.lane_rows(element, offset, exists, word as u32);
                    let lanes = self.mask_and(&active, &inside);
                    self.emit().gather(*base, &at, 1, Some(&lanes), super::word_flags()).remove(0)
                }
                Rows::Asked { .. } => unreachable!("done above"),
            };
            self.define(result, loaded.into());
        }
    }

    /// Writes a store to a private array.
    pub fn store_local(&mut self, id: LocalId, place: MemoryRef, values: &[Value], mask: &Mask) {
        let rows = self.local_rows(id, place, values.len());
        self.note_lanes(mask);
        let values: Vec<Packet> = values.iter().map(|&value| self.packet_operand(value)).collect();
        if let Rows::Asked { reach, index, offset } = &rows {
            self.ask_lanes(reach, Some(index), offset, mask, Work::Store { values: &values });
            return;
        }
        for (word, value) in values.into_iter().enumerate() {
            match &rows {
                Rows::Known(at) => {
                    let at = at + word as i32 * self.layout.row_bytes as i32;
                    self.store_masked(&value, mask, self.anchors.position.locals, at);
                }
                Rows::Same { element, offset, exists } => {
                    let row = self.row_address(*element, offset, *exists, word as u32, offsets::DUMP);
                    self.store_masked(&value, mask, row, 0);
                }
                Rows::Each { base, element, offset, exists } => {
                    let (at, inside) = self.lane_rows(element, offset, exists, word as u32);
                    let lanes = self.mask_and(mask, &inside);
                    self.emit().scatter(&[value], *base, &at, Some(&lanes), super::word_flags());
                }
                Rows::Asked { .. } => unreachable!("done above"),
            }
        }
    }

    /// Writes the lanes of a mask to their words of a row.
    fn store_masked(&mut self, value: &Packet, mask: &Mask, row: ir::Value, at: i32) {
        match mask {
            Mask::Full => self.emit().store(value, row, at, own_flags()),
            Mask::Lanes(lanes) => self.emit().store_private(value, lanes, row, at, own_flags()),
        }
    }
}
