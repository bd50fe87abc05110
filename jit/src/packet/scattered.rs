//! Accesses words at addresses that differ from lane to lane, from quad to quad or from pair to pair.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Opcode, Value, types};
use smallvec::{SmallVec, smallvec};

use crate::widen::borrowed;

use super::rows::{Columns, PartRows, RowAddress};
use super::{Emit, Packet, PacketOperand, Uniform, lane_order};

/// The most words of each lane that gathers read in less time than loads of all of them, lane by lane.
const MOST_GATHERED: usize = 3;

impl Emit<'_, '_> {
    /// Reads `words` (1 to 4) consecutive words per lane as `i32` packets, branch-free. Lanes have byte offsets (`i32`,
    /// below 2^31) from `start` bytes behind the base; one that is masked off reads the words there, which must be
    /// readable, and gives 0.
    pub fn gather(
        &mut self,
        base: Value,
        start: i32,
        offsets: &Packet,
        words: usize,
        mask: Option<&Packet>,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        debug_assert!((1..=4).contains(&words), "words of a row");
        let safe = mask.map_or_else(|| offsets.clone(), |mask| self.keep(mask, offsets));
        let columns = match self.shape.gathers && words <= MOST_GATHERED {
            true => self.gather_words(base, start, &safe, words),
            false => self.load_words(words, flags, |emit, part| emit.offset_rows(base, start, &safe, part)),
        };
        match mask {
            Some(mask) => columns.iter().map(|column| self.keep(mask, column)).collect(),
            None => columns,
        }
    }

    /// The same by instructions that read a word for each lane; offsets are below 2^31.
    fn gather_words(&mut self, base: Value, start: i32, offsets: &Packet, words: usize) -> Vec<Packet> {
        let address = if start == 0 { base } else { self.ins().iadd_imm_s(base, i64::from(start)) };
        let address = self.ins().ireduce(types::I8, address);
        let gather = |word: u8| {
            let vectors = offsets.vectors.iter().map(|&vector| {
                let offsets = self.cast(vector, types::I8X16);
                let words = borrowed::gather(self.ins(), address, offsets, word);
                self.cast(words, types::I32X4)
            });
            Packet { ty: Type::I32, vectors: vectors.collect() }
        };
        (0..words as u8).map(gather).collect()
    }

    /// Writes consecutive words per lane, branch-free, lane 0 first, at byte offsets (`i32`, unsigned) from the base; a
    /// lane that is masked off writes to the context's dump.
    pub fn scatter(
        &mut self,
        values: &[Packet],
        base: Value,
        offsets: &Packet,
        mask: Option<&Packet>,
        flags: MemFlagsData,
    ) {
        let Some(mask) = mask else {
            return self.store_words(values, flags, |emit, part| emit.offset_rows(base, 0, offsets, part));
        };
        let wide = self.widen(offsets);
        let base = self.splat(Uniform { ty: Type::I64, value: base });
        let addresses = self.zip(Type::I64, &wide.vectors, &base.vectors, |emit, a, b| emit.ins().iadd(a, b));
        let (context, dump) = (self.context.base, i64::from(self.context.dump));
        let dump = self.ins().iadd_imm_s(context, dump);
        let dump = self.splat(Uniform { ty: Type::I64, value: dump });
        let addresses = self.select(mask, &addresses, &dump);
        self.store_words(values, flags, |emit, part| emit.address_rows(&addresses, part));
    }

    /// Writes a word per lane, branch-free, lane 0 first, at `start` and byte offsets (`i32`, unsigned) from the base.
    /// With a mask comes how far behind `start` a lane writes that is masked off.
    pub fn scatter_near(
        &mut self,
        values: &Packet,
        base: Value,
        start: i32,
        offsets: &Packet,
        mask: Option<(&Packet, u32)>,
        flags: MemFlagsData,
    ) {
        let offsets = match mask {
            Some((mask, dump)) => {
                let dump = self.constant_packet(Const::i32(dump));
                self.select(mask, offsets, &dump)
            }
            None => offsets.clone(),
        };
        let values = std::slice::from_ref(values);
        self.store_words(values, flags, |emit, part| emit.offset_rows(base, start, &offsets, part));
    }

    /// The addresses of the lanes of one part; the sum folds into the access.
    fn offset_rows(&mut self, base: Value, start: i32, offsets: &Packet, part: usize) -> PartRows {
        let offsets = self.lanes_of_part_as_offsets(offsets, part);
        offsets.into_iter().map(|offset| RowAddress { address: self.ins().iadd(base, offset), offset: start }).collect()
    }

    /// The addresses in the lanes of one part of an `i64` packet; `part` counts those of a 32-bit packet.
    fn address_rows(&mut self, addresses: &Packet, part: usize) -> PartRows {
        let mut scalars = Vec::with_capacity(4);
        for half in [2 * part, 2 * part + 1] {
            let half = self.part(addresses, half);
            self.part_lanes(half, &mut scalars);
        }
        scalars.into_iter().map(|address| RowAddress { address, offset: 0 }).collect()
    }

    /// The first number of each run of lanes, as an `i64`, and a test for any lane whose number is not that of the lane
    /// before plus the step, 1 or 4: an `i8` to branch on.
    pub fn runs_of_numbers(&mut self, numbers: &Packet, step: u32, runs: usize) -> (SmallVec<[Value; 4]>, Value) {
        let mut lanes: PacketOperand = self.lane_index().into();
        if step > 1 {
            lanes = self.shl_by(&lanes, step.trailing_zeros() as u8);
        }
        let lanes = Self::vectors(&lanes).clone();
        let (vectors, parts) = (lanes.len() / runs, self.shape.parts_of(Type::I32) / runs);
        let (mut firsts, mut differ) = (SmallVec::new(), None);
        for run in 0..runs {
            let part = self.part(numbers, run * parts);
            let part = self.cast(part.value, types::F32X4);
            let first = self.ins().extractlane(part, 0);
            let start = self.ins().splat(types::F32X4, first);
            let start = self.cast(start, types::I32X4);
            let first = self.ins().bitcast(types::I32, lane_order(), first);
            firsts.push(self.ins().uextend(types::I64, first));
            for n in 0..vectors {
                let expected = self.ins().iadd(start, lanes[n]);
                let differs = self.ins().bxor(expected, numbers.vectors[run * vectors + n]);
                differ = Some(differ.map_or(differs, |before| self.ins().bor(before, differs)));
            }
        }
        let differ = differ.expect("a packet has vectors");
        (firsts, self.ins().vany_true(differ))
    }

    /// The first of each four lanes, as `i64` scalars; a single one of a uniform operand.
    pub fn firsts_of_quads(&mut self, operand: &PacketOperand) -> SmallVec<[Value; 4]> {
        let packet = match operand {
            PacketOperand::Uniform(uniform) => return smallvec![self.ins().uextend(types::I64, uniform.value)],
            PacketOperand::Packet(packet) => packet,
        };
        (0..self.shape.parts_of(Type::I32))
            .map(|part| {
                let (vector, position) = self.shape.position_of_part(Type::I32, part);
                // A value loaded for all four is loaded again: a move from vectors takes longer.
                if let Some(joined) = self.part_as_joined(packet.vectors[vector], position)
                    && let Some((flags, address, offset)) = self.constant_load_in_lanes(joined)
                {
                    let first = self.ins().load(types::I32, flags, address, offset);
                    return self.ins().uextend(types::I64, first);
                }
                let part = self.part(packet, part);
                let first = self.ins().extractlane(part.value, 0);
                self.ins().uextend(types::I64, first)
            })
            .collect()
    }

    /// The load of the word that is in all lanes of a vector, if from memory that does not change.
    fn constant_load_in_lanes(&self, mut vector: Value) -> Option<(MemFlagsData, Value, Offset32)> {
        let dfg = &self.builder.func.dfg;
        loop {
            let inst = dfg.value_def(vector).inst()?;
            let arg = *dfg.inst_args(inst).first()?;
            match dfg.insts[inst].opcode() {
                Opcode::Bitcast => vector = arg,
                Opcode::Splat => return self.constant_load(arg),
                _ => return None,
            }
        }
    }

    /// Reads `words` (1 to 4) consecutive words for each four lanes as `i32` packets, at an offset from the address of
    /// each four, where this many bytes may be read.
    pub fn load_quads_at(
        &mut self,
        addresses: &[Value],
        element_bytes: u32,
        offset: i32,
        words: usize,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        debug_assert!((1..=4).contains(&words), "words of a row");
        if self.shape.vector_bytes > 16 && words > 1 && offset + 16 <= element_bytes as i32 {
            return self.load_rows_of_quads(addresses, offset, words, flags);
        }
        self.each_part(words, |emit, part| {
            let column = |word: usize| emit.load_splat(addresses[part], offset + 4 * word as i32, flags);
            (0..words).map(column).collect()
        })
    }

    /// Reads the same if sixteen bytes may be read: all of them at once, and then each word into all lanes of its quad.
    fn load_rows_of_quads(
        &mut self,
        addresses: &[Value],
        offset: i32,
        words: usize,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        let mut rows = self.each_part(1, |emit, part| {
            Columns::from_slice(&[emit.load_part(RowAddress { address: addresses[part], offset }, flags)])
        });
        let rows = rows.remove(0);
        (0..words as u8).map(|word| self.quad_read(&rows, [word; 4])).collect()
    }

    /// Reads `words` (1 to 4) consecutive words for each four lanes as `i32` packets: they have one address, given as
    /// an offset from the base in the first of them.
    pub fn load_quads(&mut self, base: Value, offsets: &Packet, words: usize, flags: MemFlagsData) -> Vec<Packet> {
        debug_assert!((1..=4).contains(&words), "words of a row");
        self.each_part(words, |emit, part| {
            let part = emit.part(offsets, part);
            let offset = emit.ins().extractlane(part.value, 0);
            let offset = emit.ins().uextend(types::I64, offset);
            let address = emit.ins().iadd(base, offset);
            let column = |word: usize| emit.load_splat(address, 4 * word as i32, flags);
            (0..words).map(column).collect()
        })
    }

    /// Reads one word per lane: lanes 0 and 1 of each four are adjacent, and so are 2 and 3. Offsets are those of
    /// [`Emit::gather`].
    pub fn load_pairs(&mut self, base: Value, offsets: &Packet, flags: MemFlagsData) -> Packet {
        let offsets = self.even_lanes(offsets);
        let mut columns = self.each_part(1, |emit, part| {
            let [first, second] =
                emit.pair_addresses(base, &offsets, part).map(|at| emit.ins().load(types::I64, flags, at, 0));
            let vector = emit.ins().scalar_to_vector(types::I64X2, first);
            let vector = emit.ins().insertlane(vector, second, 1);
            Columns::from_slice(&[emit.cast(vector, types::I32X4)])
        });
        columns.remove(0)
    }

    /// Writes one word per lane, the counterpart of [`Emit::load_pairs`]; all lanes must be active.
    pub fn store_pairs(&mut self, values: &Packet, base: Value, offsets: &Packet, flags: MemFlagsData) {
        let offsets = self.even_lanes(offsets);
        for part in 0..self.shape.parts_of(Type::I32) {
            let vector = self.columns(std::slice::from_ref(values), part)[0];
            for (pair, address) in self.pair_addresses(base, &offsets, part).into_iter().enumerate() {
                self.store_pair(vector, pair as u8, RowAddress { address, offset: 0 }, flags);
            }
        }
    }

    /// A packet with 0 in every other lane: numbers of 64 bits remain.
    fn even_lanes(&mut self, numbers: &Packet) -> Packet {
        let low = self.constant_packet(Const { ty: Type::I64, bits: u32::MAX.into() }).vectors[0];
        let low = self.cast(low, types::I32X4);
        let vectors = numbers.vectors.iter().map(|&vector| self.ins().band(vector, low)).collect();
        Packet { ty: numbers.ty, vectors }
    }

    /// The addresses of lanes 0 and 2 of a part whose other lanes are 0.
    fn pair_addresses(&mut self, base: Value, offsets: &Packet, part: usize) -> [Value; 2] {
        let part = self.part(offsets, part);
        [0, 1].map(|index| {
            let offset = self.pair(part.value, index);
            self.ins().iadd(base, offset)
        })
    }
}
