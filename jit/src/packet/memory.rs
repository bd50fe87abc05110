//! Memory: contiguous packets, rows of words per lane, gathers and scatters.
//!
//! Addresses are `i64` scalars that the caller has checked; nothing here checks a bound. Flags are the caller's too: they
//! say `notrap`, and `aligned` only if every address is aligned to a whole vector. A masked store never loads and stores
//! back memory that another thread may write.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Opcode, Value, types};
use smallvec::{SmallVec, smallvec};

use crate::widen::borrowed;

use super::{Emit, Operand, Packet, Part, Shape, Uniform, Vectors, is_wide, scalar_type, vector_type};

/// Where a lane's words begin.
#[derive(Clone, Copy)]
struct RowAddress {
    address: Value,
    offset: i32,
}

impl RowAddress {
    /// The place this many bytes on.
    fn plus(self, bytes: i32) -> RowAddress {
        RowAddress { offset: self.offset + bytes, ..self }
    }
}

/// Rows of the lanes of one part.
type Rows = SmallVec<[RowAddress; 4]>;

impl<'f> Emit<'_, 'f> {
    /// A packet from consecutive memory, lane 0 first. A condition is read as `i32`, all ones or zero. Lanes of 64 bits are in the
    /// order of the vectors, as [`Emit::store`] leaves them.
    pub fn load(&mut self, ty: Type, address: Value, offset: i32, flags: MemFlagsData) -> Packet {
        let step = self.shape.vector_bytes as i32;
        let vectors = (0..self.shape.vectors_of(ty) as i32)
            .map(|k| self.ins().load(vector_type(ty), flags, address, offset + k * step))
            .collect();
        Packet { ty, vectors }
    }

    /// A packet to consecutive memory, lane 0 first; lanes of 64 bits are in the order of the vectors.
    pub fn store(&mut self, packet: &Packet, address: Value, offset: i32, flags: MemFlagsData) {
        let step = self.shape.vector_bytes as i32;
        for (k, &vector) in packet.vectors.iter().enumerate() {
            // Vectors of doubles are stored as a part only.
            let vector = if packet.ty == Type::F64 { self.cast(vector, types::I64X2) } else { vector };
            self.ins().store(flags, vector, address, offset + k as i32 * step);
        }
    }

    /// Writes zeros; `bytes` is a multiple of a vector.
    pub fn clear(&mut self, address: Value, bytes: u32, flags: MemFlagsData) {
        let zero = self.constant_packet(Const::i32(0)).vectors[0];
        for offset in (0..bytes).step_by(self.shape.vector_bytes as usize) {
            self.ins().store(flags, zero, address, offset as i32);
        }
    }

    /// Stores the lanes of a mask by load, blend and store: for memory of this worker alone.
    pub fn store_private(&mut self, packet: &Packet, mask: &Packet, address: Value, offset: i32, flags: MemFlagsData) {
        let old = self.load(packet.ty, address, offset, flags);
        let new = self.select(mask, packet, &old);
        self.store(&new, address, offset, flags);
    }

    /// Reads one scalar of memory, the same for all lanes. A condition is a byte, 0 or 1.
    pub fn load_uniform(&mut self, ty: Type, address: Value, offset: i32, flags: MemFlagsData) -> Uniform {
        Uniform { ty, value: self.ins().load(scalar_type(ty), flags, address, offset) }
    }

    /// Reads a scalar or a packet.
    pub fn load_operand(
        &mut self,
        ty: Type,
        uniform: bool,
        address: Value,
        offset: i32,
        flags: MemFlagsData,
    ) -> Operand {
        match uniform {
            true => self.load_uniform(ty, address, offset, flags).into(),
            false => self.load(ty, address, offset, flags).into(),
        }
    }

    /// Writes an operand for [`Emit::load_operand`]: the scalar of a uniform one, or all lanes.
    pub fn store_operand(
        &mut self,
        operand: &Operand,
        uniform: bool,
        address: Value,
        offset: i32,
        flags: MemFlagsData,
    ) {
        if uniform {
            assert!(operand.is_uniform(), "what is uniform is a scalar");
            self.ins().store(flags, operand.values()[0], address, offset);
        } else {
            let packet = self.packet(operand);
            self.store(&packet, address, offset, flags);
        }
    }

    /// Reads `words` (1 to 4) consecutive words per lane as `i32` packets; lane n's begin at
    /// `address + offset + n * stride_bytes`. Nothing but these words is read. Strides that the words fill become vector
    /// loads and shuffles. Stride 0 reads once and splats.
    pub fn load_rows(
        &mut self,
        address: Value,
        offset: i32,
        stride_bytes: u32,
        words: usize,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        debug_assert!((1..=4).contains(&words), "words of a row");
        let first = RowAddress { address, offset };
        match (stride_bytes, words) {
            (0, _) => (0..words as i32)
                .map(|word| {
                    let vector = self.load_splat(address, offset + word * 4, flags);
                    Packet { ty: Type::I32, vectors: smallvec![vector; self.shape.vectors_of(Type::I32)] }
                })
                .collect(),
            (4, 1) => vec![self.load(Type::I32, address, offset, flags)],
            (8, 2) => self.each_part(2, |emit, part| {
                let [a, b] = [0, 1].map(|n| emit.load_part(first.plus(part as i32 * 32 + n * 16), flags));
                emit.pairs_to_columns([a, b])
            }),
            (12, 3) => self.each_part(3, |emit, part| {
                let vectors = [0, 1, 2].map(|n| emit.load_part(first.plus(part as i32 * 48 + n * 16), flags));
                emit.triples_to_columns(vectors)
            }),
            _ => self.each_part(words, |emit, part| {
                let rows = emit.strided_rows(first, stride_bytes, part);
                emit.load_columns(&rows, words, flags)
            }),
        }
    }

    /// Writes consecutive words per lane, the counterpart of [`Emit::load_rows`]; all lanes take part. Nothing but these
    /// words is written.
    pub fn store_rows(
        &mut self,
        values: &[Packet],
        address: Value,
        offset: i32,
        stride_bytes: u32,
        flags: MemFlagsData,
    ) {
        let first = RowAddress { address, offset };
        if let (4, [words]) = (stride_bytes, values) {
            return self.store(words, address, offset, flags);
        }
        for part in 0..self.shape.parts_of(Type::I32) {
            let columns = self.columns(values, part);
            match (stride_bytes, columns.as_slice()) {
                (8, &[x, y]) => {
                    for (n, vector) in self.columns_to_pairs(x, y).into_iter().enumerate() {
                        self.store_part(vector, first.plus(part as i32 * 32 + n as i32 * 16), flags);
                    }
                }
                (12, &[x, y, z]) => {
                    for (n, vector) in self.columns_to_triples([x, y, z]).into_iter().enumerate() {
                        self.store_part(vector, first.plus(part as i32 * 48 + n as i32 * 16), flags);
                    }
                }
                _ => {
                    let rows = self.strided_rows(first, stride_bytes, part);
                    self.store_columns(&columns, &rows, flags);
                }
            }
        }
    }

    /// [`Emit::load_rows`] for each run of lanes, all of one length, at an address of its own.
    pub fn load_runs(
        &mut self,
        addresses: &[Value],
        stride_bytes: u32,
        words: usize,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        let mut joined = vec![Packet { ty: Type::I32, vectors: Vectors::new() }; words];
        for &address in addresses {
            let columns = self.of_run(addresses.len()).load_rows(address, 0, stride_bytes, words, flags);
            for (joined, column) in joined.iter_mut().zip(columns) {
                joined.vectors.extend(column.vectors);
            }
        }
        joined
    }

    /// [`Emit::store_rows`] for each run of lanes.
    pub fn store_runs(&mut self, values: &[Packet], addresses: &[Value], stride_bytes: u32, flags: MemFlagsData) {
        for (run, &address) in addresses.iter().enumerate() {
            let values: Vec<Packet> = values.iter().map(|value| value.run(run, addresses.len())).collect();
            self.of_run(addresses.len()).store_rows(&values, address, 0, stride_bytes, flags);
        }
    }

    /// [`Emit::store_private`] for each run of lanes.
    pub fn store_private_runs(&mut self, packet: &Packet, mask: &Packet, addresses: &[Value], flags: MemFlagsData) {
        for (run, &address) in addresses.iter().enumerate() {
            let [packet, mask] = [packet, mask].map(|packet| packet.run(run, addresses.len()));
            self.of_run(addresses.len()).store_private(&packet, &mask, address, 0, flags);
        }
    }

    /// For packets of one of so many runs of lanes.
    fn of_run(&mut self, runs: usize) -> Emit<'_, 'f> {
        Emit {
            shape: Shape { vectors: self.shape.vectors / runs as u32, ..self.shape },
            builder: self.builder,
            context: self.context,
        }
    }

    /// Reads `words` (1 to 4) consecutive words per lane as `i32` packets, branch-free. Lanes have byte offsets (`i32`,
    /// unsigned) from the base; one that is masked off reads the words at the base, which must be readable, and gives 0.
    pub fn gather(
        &mut self,
        base: Value,
        offsets: &Packet,
        words: usize,
        mask: Option<&Packet>,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        debug_assert!((1..=4).contains(&words), "words of a row");
        let safe = mask.map_or_else(|| offsets.clone(), |mask| self.keep(mask, offsets));
        let columns = self.each_part(words, |emit, part| {
            // The sum folds into the access.
            let offsets = emit.lanes_of_part_as_offsets(&safe, part);
            let rows = offsets.map(|offset| RowAddress { address: emit.ins().iadd(base, offset), offset: 0 });
            emit.load_columns(&rows, words, flags)
        });
        match mask {
            Some(mask) => columns.iter().map(|column| self.keep(mask, column)).collect(),
            None => columns,
        }
    }

    /// The first of each four lanes, as `i64` scalars; what is uniform gives a single one.
    pub fn firsts_of_quads(&mut self, operand: &Operand) -> SmallVec<[Value; 4]> {
        let packet = match operand {
            Operand::Uniform(uniform) => return smallvec![self.ins().uextend(types::I64, uniform.value)],
            Operand::Packet(packet) => packet,
        };
        (0..self.shape.parts_of(Type::I32))
            .map(|part| {
                let (vector, place) = self.shape.place_of_part(Type::I32, part);
                // What was read for all four is read again: a move from vectors takes longer.
                if let Some(joined) = self.part_as_joined(packet.vectors[vector], place)
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

    /// How the word was read that is in all lanes of a vector, if from memory that does not change.
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

    /// Reads `words` (1 to 4) consecutive words for each four lanes as `i32` packets, at an offset from the address of each four, where
    /// so many bytes may be read.
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

    /// The same where sixteen bytes may be read: all of them at once, and then each word into all lanes of its quad.
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

    /// A word of memory in every lane of a vector, as I32X4.
    pub(super) fn load_splat(&mut self, address: Value, offset: i32, flags: MemFlagsData) -> Value {
        let vector = match self.shape.vector_bytes {
            16 => {
                // On the way through a general register it would be one instruction more.
                let value = self.ins().load(types::F32, flags, address, offset);
                self.ins().splat(types::F32X4, value)
            }
            _ => borrowed::load_splat(self.ins(), flags, address, offset),
        };
        self.cast(vector, types::I32X4)
    }

    /// Reads `words` (1 to 4) consecutive words for each four lanes as `i32` packets: they have one address, given as an offset
    /// from the base in the first of them.
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

    /// Reads one word per lane: lanes 0 and 1 of each four are side by side, and so are 2 and 3. Offsets are those of [`Emit::gather`].
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

    /// The counterpart of [`Emit::load_pairs`]; all lanes take part.
    pub fn store_pairs(&mut self, values: &Packet, base: Value, offsets: &Packet, flags: MemFlagsData) {
        let offsets = self.even_lanes(offsets);
        for part in 0..self.shape.parts_of(Type::I32) {
            let vector = self.columns(std::slice::from_ref(values), part)[0];
            for (pair, address) in self.pair_addresses(base, &offsets, part).into_iter().enumerate() {
                self.store_pair(vector, pair as u8, RowAddress { address, offset: 0 }, flags);
            }
        }
    }

    /// A packet with 0 in every other lane: what remains are numbers of 64 bits.
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

    /// Writes consecutive words per lane, branch-free, lane 0 first, at byte offsets (`i32`, unsigned) from the base; a lane
    /// that is masked off writes to the context's dump.
    pub fn scatter(
        &mut self,
        values: &[Packet],
        base: Value,
        offsets: &Packet,
        mask: Option<&Packet>,
        flags: MemFlagsData,
    ) {
        let wide = self.widen(offsets);
        let base = self.splat(Uniform { ty: Type::I64, value: base });
        let mut addresses = self.zip(Type::I64, &wide.vectors, &base.vectors, |emit, a, b| emit.ins().iadd(a, b));
        if let Some(mask) = mask {
            let (context, dump) = (self.context.base, i64::from(self.context.dump));
            let dump = self.ins().iadd_imm_s(context, dump);
            let dump = self.splat(Uniform { ty: Type::I64, value: dump });
            addresses = self.select(mask, &addresses, &dump);
        }
        for part in 0..self.shape.parts_of(Type::I32) {
            let columns = self.columns(values, part);
            let rows = self.address_rows(&addresses, part);
            self.store_columns(&columns, &rows, flags);
        }
    }

    /// Where the lanes of one part of an `i64` packet point; `part` counts those of a 32-bit packet.
    fn address_rows(&mut self, addresses: &Packet, part: usize) -> Rows {
        let mut scalars = Vec::with_capacity(4);
        for half in [2 * part, 2 * part + 1] {
            let half = self.part(addresses, half);
            self.part_lanes(half, &mut scalars);
        }
        scalars.into_iter().map(|address| RowAddress { address, offset: 0 }).collect()
    }

    /// Emits something part by part and joins the columns that come out.
    fn each_part(&mut self, words: usize, mut emit: impl FnMut(&mut Self, usize) -> Columns) -> Vec<Packet> {
        let parts: SmallVec<[Columns; 4]> = (0..self.shape.parts_of(Type::I32)).map(|part| emit(self, part)).collect();
        (0..words)
            .map(|word| {
                let column: SmallVec<[Part; 8]> =
                    parts.iter().map(|columns| Part { ty: Type::I32, value: columns[word] }).collect();
                self.join(Type::I32, &column)
            })
            .collect()
    }

    /// One part of each packet, as I32X4.
    fn columns(&mut self, values: &[Packet], part: usize) -> Columns {
        debug_assert!((1..=4).contains(&values.len()), "words of a row");
        debug_assert!(values.iter().all(|packet| !is_wide(packet.ty)), "rows of 32-bit words");
        values
            .iter()
            .map(|packet| {
                let part = self.part(packet, part);
                self.cast(part.value, types::I32X4)
            })
            .collect()
    }

    /// The rows of a part's lanes at a stride.
    fn strided_rows(&mut self, first: RowAddress, stride_bytes: u32, part: usize) -> Rows {
        (0..4).map(|lane| first.plus((part as i32 * 4 + lane) * stride_bytes as i32)).collect()
    }

    /// Sixteen bytes that a part's lanes share.
    fn load_part(&mut self, at: RowAddress, flags: MemFlagsData) -> Value {
        if self.shape.vector_bytes == 16 {
            return self.ins().load(types::I32X4, flags, at.address, at.offset);
        }
        let part = borrowed::load_part(self.ins(), flags, at.address, at.offset);
        self.cast(part, types::I32X4)
    }

    /// The counterpart of [`Emit::load_part`].
    fn store_part(&mut self, vector: Value, at: RowAddress, flags: MemFlagsData) {
        if self.shape.vector_bytes == 16 {
            self.ins().store(flags, vector, at.address, at.offset);
            return;
        }
        let part = self.cast(vector, borrowed::STORED_PART);
        self.ins().store(flags, part, at.address, at.offset);
    }

    /// Stores dwords 0 and 1, or 2 and 3.
    fn store_pair(&mut self, vector: Value, pair: u8, at: RowAddress, flags: MemFlagsData) {
        let word = match pair {
            0 => self.low_pair(vector),
            _ => {
                let vector = self.cast(vector, types::I64X2);
                self.ins().extractlane(vector, pair)
            }
        };
        self.ins().store(flags, word, at.address, at.offset);
    }

    /// Dwords 0 and 1 as a double: that takes half as long as an integer.
    fn low_pair(&mut self, vector: Value) -> Value {
        let vector = self.cast(vector, types::F64X2);
        self.ins().extractlane(vector, 0)
    }

    /// Reads the words of four rows and turns rows into columns.
    fn load_columns(&mut self, rows: &[RowAddress], words: usize, flags: MemFlagsData) -> Columns {
        match words {
            1 => {
                let scalars: SmallVec<[Value; 4]> =
                    rows.iter().map(|row| self.ins().load(types::I32, flags, row.address, row.offset)).collect();
                Columns::from_slice(&[self.part_of_lanes(Type::I32, &scalars).value])
            }
            2 => {
                let pairs = [&rows[0..2], &rows[2..4]].map(|rows| {
                    let [first, second] =
                        [rows[0], rows[1]].map(|row| self.ins().load(types::I64, flags, row.address, row.offset));
                    let vector = self.ins().scalar_to_vector(types::I64X2, first);
                    self.ins().insertlane(vector, second, 1)
                });
                self.pairs_to_columns(pairs)
            }
            _ => {
                let rows = [0, 1, 2, 3].map(|lane: usize| match words {
                    3 => self.load_triple(rows[lane], flags),
                    _ => self.load_part(rows[lane], flags),
                });
                self.transpose(rows).into_iter().take(words).collect()
            }
        }
    }

    /// Three words of a lane; the fourth dword is zero.
    fn load_triple(&mut self, at: RowAddress, flags: MemFlagsData) -> Value {
        let low = self.ins().load(types::I64, flags, at.address, at.offset);
        let third = self.ins().load(types::I32, flags, at.address, at.offset + 8);
        let vector = self.ins().scalar_to_vector(types::I64X2, low);
        let vector = self.cast(vector, types::I32X4);
        self.ins().insertlane(vector, third, 2)
    }

    /// Turns columns into four rows and writes them, lane after lane.
    fn store_columns(&mut self, columns: &[Value], rows: &[RowAddress], flags: MemFlagsData) {
        match *columns {
            [x] => {
                let mut scalars = Vec::new();
                self.part_lanes(Part { ty: Type::I32, value: x }, &mut scalars);
                for (row, scalar) in rows.iter().zip(scalars) {
                    self.ins().store(flags, scalar, row.address, row.offset);
                }
            }
            [x, y] => {
                let pairs = self.columns_to_pairs(x, y);
                for (lane, &row) in rows.iter().enumerate() {
                    self.store_pair(pairs[lane / 2], lane as u8 % 2, row, flags);
                }
            }
            [x, y, z, ..] => {
                let w = columns.get(3).copied();
                let vectors = self.transpose([x, y, z, w.unwrap_or(z)]);
                for (&row, vector) in rows.iter().zip(vectors) {
                    if w.is_some() {
                        self.store_part(vector, row, flags);
                    } else {
                        self.store_pair(vector, 0, row, flags);
                        let third = self.ins().extractlane(vector, 2);
                        self.ins().store(flags, third, row.address, row.offset + 8);
                    }
                }
            }
            [] => unreachable!("a row has words"),
        }
    }

    /// Four vectors of four dwords, rows to columns or back.
    fn transpose(&mut self, rows: [Value; 4]) -> [Value; 4] {
        let [a, b, c, d] = rows;
        let low = [self.shuffle(a, b, [0, 4, 1, 5]), self.shuffle(c, d, [0, 4, 1, 5])];
        let high = [self.shuffle(a, b, [2, 6, 3, 7]), self.shuffle(c, d, [2, 6, 3, 7])];
        [
            self.shuffle(low[0], low[1], [0, 1, 4, 5]),
            self.shuffle(low[0], low[1], [2, 3, 6, 7]),
            self.shuffle(high[0], high[1], [0, 1, 4, 5]),
            self.shuffle(high[0], high[1], [2, 3, 6, 7]),
        ]
    }

    /// (x0 y0 x1 y1) (x2 y2 x3 y3) to columns.
    fn pairs_to_columns(&mut self, [a, b]: [Value; 2]) -> Columns {
        Columns::from_slice(&[self.shuffle(a, b, [0, 2, 4, 6]), self.shuffle(a, b, [1, 3, 5, 7])])
    }

    fn columns_to_pairs(&mut self, x: Value, y: Value) -> [Value; 2] {
        [self.shuffle(x, y, [0, 4, 1, 5]), self.shuffle(x, y, [2, 6, 3, 7])]
    }

    /// (x0 y0 z0 x1) (y1 z1 x2 y2) (z2 x3 y3 z3) to columns, two dwords from each side at a time.
    fn triples_to_columns(&mut self, [a, b, c]: [Value; 3]) -> Columns {
        let x_end = self.shuffle(b, c, [2, 2, 5, 5]);
        let y_start = self.shuffle(a, b, [1, 1, 4, 4]);
        let y_end = self.shuffle(b, c, [3, 3, 6, 6]);
        let z_start = self.shuffle(a, b, [2, 2, 5, 5]);
        Columns::from_slice(&[
            self.shuffle(a, x_end, [0, 3, 4, 6]),
            self.shuffle(y_start, y_end, [0, 2, 4, 6]),
            self.shuffle(z_start, c, [0, 2, 4, 7]),
        ])
    }

    fn columns_to_triples(&mut self, [x, y, z]: [Value; 3]) -> [Value; 3] {
        let xy = self.shuffle(x, y, [0, 2, 4, 6]); // x0 x2 y0 y2
        let yz = self.shuffle(y, z, [1, 3, 5, 7]); // y1 y3 z1 z3
        let zx = self.shuffle(z, x, [0, 2, 5, 7]); // z0 z2 x1 x3
        [self.shuffle(xy, zx, [0, 2, 4, 6]), self.shuffle(yz, xy, [0, 2, 5, 7]), self.shuffle(zx, yz, [1, 3, 5, 7])]
    }
}

/// I32X4 vectors, one for each word of the rows of four lanes.
type Columns = SmallVec<[Value; 4]>;
