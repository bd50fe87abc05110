//! Transposes rows, the consecutive words of each lane, into columns: packets with one word of every lane.
//!
//! Nothing but the rows' words is read or written. A row is known by the address of its first word; whole rows of lanes
//! at a stride are here, those at addresses of their own in `scattered.rs`.

use brolga_ir::Type;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use smallvec::{SmallVec, smallvec};

use crate::widen::borrowed;

use super::{Emit, Packet, PacketShape, Part, Vectors, is_wide};

/// The address of a lane's first word.
#[derive(Clone, Copy)]
pub(super) struct RowAddress {
    pub address: Value,
    pub offset: i32,
}

impl RowAddress {
    /// The address this many bytes on.
    fn plus(self, bytes: i32) -> RowAddress {
        RowAddress { offset: self.offset + bytes, ..self }
    }
}

/// Rows of the lanes of one part.
pub(super) type PartRows = SmallVec<[RowAddress; 4]>;

/// I32X4 vectors, one for each word of the rows of four lanes.
pub(super) type Columns = SmallVec<[Value; 4]>;

impl<'f> Emit<'_, 'f> {
    /// Reads `words` (1 to 4) consecutive words per lane as `i32` packets; lane n's begin at `address + offset + n *
    /// stride_bytes`. Nothing but these words is read. Strides that the words fill become vector loads and shuffles.
    /// Stride 0 reads once and splats.
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
            _ => self.load_words(words, flags, |emit, part| emit.strided_rows(first, stride_bytes, part)),
        }
    }

    /// Writes consecutive words per lane, the counterpart of [`Emit::load_rows`]; all lanes must be active. Nothing but
    /// these words is written.
    pub fn store_rows(
        &mut self,
        values: &[Packet],
        address: Value,
        offset: i32,
        stride_bytes: u32,
        flags: MemFlagsData,
    ) {
        let first = RowAddress { address, offset };
        match (stride_bytes, values) {
            (4, [words]) => return self.store(words, address, offset, flags),
            (8, [_, _]) | (12, [_, _, _]) => {}
            _ => return self.store_words(values, flags, |emit, part| emit.strided_rows(first, stride_bytes, part)),
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
                _ => unreachable!("other rows are written lane by lane"),
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

    /// An emitter for one of so many runs of lanes.
    fn of_run(&mut self, runs: usize) -> Emit<'_, 'f> {
        Emit {
            shape: PacketShape { vectors: self.shape.vectors / runs as u32, ..self.shape },
            builder: self.builder,
            context: self.context,
        }
    }

    /// Emits code part by part and joins the columns that result.
    pub(super) fn each_part(&mut self, words: usize, mut emit: impl FnMut(&mut Self, usize) -> Columns) -> Vec<Packet> {
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
    pub(super) fn columns(&mut self, values: &[Packet], part: usize) -> Columns {
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
    fn strided_rows(&mut self, first: RowAddress, stride_bytes: u32, part: usize) -> PartRows {
        (0..4).map(|lane| first.plus((part as i32 * 4 + lane) * stride_bytes as i32)).collect()
    }

    /// Reads words of lanes, at the addresses that `rows` gives for each part, and turns rows into columns.
    pub(super) fn load_words(
        &mut self,
        words: usize,
        flags: MemFlagsData,
        mut rows: impl FnMut(&mut Self, usize) -> PartRows,
    ) -> Vec<Packet> {
        if words < 3 {
            return self.each_part(words, |emit, part| {
                let rows = rows(emit, part);
                emit.load_columns(&rows, words, flags)
            });
        }
        let mut columns = vec![Packet { ty: Type::I32, vectors: Vectors::new() }; words];
        let vectors = self.shape.vectors as usize;
        let parts = self.shape.parts_of(Type::I32) / vectors;
        for vector in 0..vectors {
            // The first lanes of all parts make a vector, and so do the second ones, and so on.
            let mut lanes: [SmallVec<[Part; 4]>; 4] = Default::default();
            for part in 0..parts {
                let rows = rows(self, vector * parts + part);
                for (lane, row) in lanes.iter_mut().zip(rows) {
                    let value = match words {
                        3 => self.load_triple(row, flags),
                        _ => self.load_part(row, flags),
                    };
                    lane.push(Part { ty: Type::I32, value });
                }
            }
            let lanes = lanes.map(|parts| self.of_run(vectors).join(Type::I32, &parts).vectors[0]);
            for (column, vector) in columns.iter_mut().zip(self.transpose(lanes)) {
                column.vectors.push(vector);
            }
        }
        columns
    }

    /// Reads one or two words of each lane of a part.
    fn load_columns(&mut self, rows: &[RowAddress], words: usize, flags: MemFlagsData) -> Columns {
        if words == 1 {
            let scalars: SmallVec<[Value; 4]> =
                rows.iter().map(|row| self.ins().load(types::I32, flags, row.address, row.offset)).collect();
            return Columns::from_slice(&[self.part_of_lanes(Type::I32, &scalars).value]);
        }
        let pairs = [&rows[0..2], &rows[2..4]].map(|rows| {
            let [first, second] =
                [rows[0], rows[1]].map(|row| self.ins().load(types::I64, flags, row.address, row.offset));
            let vector = self.ins().scalar_to_vector(types::I64X2, first);
            self.ins().insertlane(vector, second, 1)
        });
        self.pairs_to_columns(pairs)
    }

    /// Three words of a lane; the fourth dword is zero.
    fn load_triple(&mut self, at: RowAddress, flags: MemFlagsData) -> Value {
        let low = self.ins().load(types::I64, flags, at.address, at.offset);
        let third = self.ins().load(types::I32, flags, at.address, at.offset + 8);
        let vector = self.ins().scalar_to_vector(types::I64X2, low);
        let vector = self.cast(vector, types::I32X4);
        self.ins().insertlane(vector, third, 2)
    }

    /// Turns columns into rows and writes them, lane after lane, at the addresses that `rows` gives for each part.
    pub(super) fn store_words(
        &mut self,
        values: &[Packet],
        flags: MemFlagsData,
        mut rows: impl FnMut(&mut Self, usize) -> PartRows,
    ) {
        let vectors = self.shape.vectors as usize;
        let parts = self.shape.parts_of(Type::I32) / vectors;
        for vector in 0..vectors {
            let columns: Columns =
                values.iter().map(|packet| self.cast(packet.vectors[vector], types::I32X4)).collect();
            let turned: Vectors = match *columns {
                [x] => smallvec![x],
                [x, y] => Vectors::from_slice(&self.columns_to_pairs(x, y)),
                [x, y, z] => Vectors::from_slice(&self.transpose([x, y, z, z])),
                [x, y, z, w] => Vectors::from_slice(&self.transpose([x, y, z, w])),
                _ => unreachable!("rows have one to four words"),
            };
            let turned = turned.into_iter().map(|vector| Packet { ty: Type::I32, vectors: smallvec![vector] });
            let turned: SmallVec<[Packet; 4]> = turned.collect();
            for part in 0..parts {
                let rows = rows(self, vector * parts + part);
                let values: Columns =
                    turned.iter().map(|packet| self.of_run(vectors).part(packet, part).value).collect();
                self.store_lanes(values.as_slice(), columns.len(), &rows, flags);
            }
        }
    }

    /// Writes the four lanes of a part, whose words are one vector, two vectors of two lanes each, or a vector for each
    /// lane.
    fn store_lanes(&mut self, values: &[Value], words: usize, rows: &[RowAddress], flags: MemFlagsData) {
        if words == 1 {
            let mut scalars = Vec::with_capacity(4);
            self.part_lanes(Part { ty: Type::I32, value: values[0] }, &mut scalars);
            for (row, scalar) in rows.iter().zip(scalars) {
                self.ins().store(flags, scalar, row.address, row.offset);
            }
            return;
        }
        for (lane, &row) in rows.iter().enumerate() {
            match words {
                2 => self.store_pair(values[lane / 2], lane as u8 % 2, row, flags),
                3 => {
                    self.store_pair(values[lane], 0, row, flags);
                    let third = self.ins().extractlane(values[lane], 2);
                    self.ins().store(flags, third, row.address, row.offset + 8);
                }
                _ => self.store_part(values[lane], row, flags),
            }
        }
    }

    /// Sixteen bytes that a part's lanes share.
    pub(super) fn load_part(&mut self, at: RowAddress, flags: MemFlagsData) -> Value {
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
    pub(super) fn store_pair(&mut self, vector: Value, pair: u8, at: RowAddress, flags: MemFlagsData) {
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

    /// (x0 y0 z0 x1) (y1 z1 x2 y2) (z2 x3 y3 z3) to columns, two dwords of each operand at a time.
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
