//! Finds the parts of a program database in its streams.
//!
//! Stream 1 has names for other streams. Stream 2 has the types. Stream 3 lists the modules that a program was linked
//! of, each with a stream for its symbols and lines; a shader is one module. Strings that other parts refer to are in
//! the stream `/names`, and the sources in `/src/files/NAME`. LLVM describes them in `docs/PDB/`: `PdbStream.rst`,
//! `DbiStream.rst`, `ModiStream.rst`.

use super::error::{Budget, DebugError, DebugFault};
use super::msf::{Msf, Stream};
use crate::reader::Reader;
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, DebugError>;

/// Numbers of the streams that have no name.
const INFORMATION: u32 = 1;
pub(super) const TYPES: u32 = 2;
const MODULES: u32 = 3;
/// The number that stands for no stream.
const NO_STREAM: u16 = u16::MAX;

/// Bytes of the header of the list of modules.
const MODULES_HEADER: u32 = 64;
/// Version of the records in a module's stream: C13.
const SYMBOLS: u32 = 4;
/// Mark and version of `/names`.
const STRINGS: [u32; 2] = [0xeffe_effe, 1];

/// Streams by name.
pub(super) fn named_streams(msf: &mut Msf<'_>, budget: &mut Budget<'_>) -> Result<BTreeMap<String, u32>> {
    msf.stream(INFORMATION)?.read(|mut reader| {
        // Version, signature, age, identity.
        reader.take(28)?;
        let size = reader.u32()?;
        let names = reader.part(size)?;
        // A hash table: the pairs that it holds follow two sets of bits, which say where in the table they belong.
        let count = reader.u32()?;
        let _capacity = reader.u32()?;
        for _ in 0..2 {
            let words = reader.u32()?;
            reader.part(words.saturating_mul(4))?;
        }
        let mut streams = BTreeMap::new();
        for _ in 0..count {
            budget.record(reader.at())?;
            let (at, offset) = (reader.at(), reader.u32()?);
            let mut name = names.seek(offset).map_err(|_| DebugFault::Name { offset }.at(at))?;
            streams.insert(budget.name(&mut name)?, reader.u32()?);
        }
        Ok(streams)
    })
}

/// The place of a module in its stream.
pub(super) struct Module {
    pub stream: u32,
    symbol_bytes: u32,
    /// Bytes of lines in an older form.
    old_line_bytes: u32,
    line_bytes: u32,
}

/// The modules, and the stream of the symbols that belong to none.
pub(super) struct Modules {
    pub modules: Vec<Module>,
    pub globals: Option<u32>,
}

impl Modules {
    pub fn read(msf: &mut Msf<'_>, budget: &mut Budget<'_>) -> Result<Self> {
        msf.stream(MODULES)?.read(|mut reader| {
            let mut header = reader.part(MODULES_HEADER)?;
            header.take(20)?;
            let globals = header.u16()?;
            header.u16()?;
            let size = header.u32()?;
            let mut rows = reader.part(size)?;
            let mut modules = Vec::new();
            while rows.left() > 0 {
                budget.record(rows.at())?;
                // Which part of the code it has, and flags.
                rows.take(34)?;
                let stream = rows.u16()?;
                let [symbol_bytes, old_line_bytes, line_bytes] = [rows.u32()?, rows.u32()?, rows.u32()?];
                // Its sources, which the lines name too.
                rows.take(16)?;
                budget.name(&mut rows)?;
                budget.name(&mut rows)?;
                rows.align();
                if stream != NO_STREAM {
                    modules.push(Module { stream: stream.into(), symbol_bytes, old_line_bytes, line_bytes });
                }
            }
            Ok(Self { modules, globals: (globals != NO_STREAM).then(|| globals.into()) })
        })
    }
}

impl Module {
    /// The symbols and the lines.
    pub fn parts<'r>(&self, mut reader: Reader<'r>) -> Result<[Reader<'r>; 2]> {
        let mut symbols = reader.part(self.symbol_bytes)?;
        let at = symbols.at();
        let version = symbols.u32()?;
        if version != SYMBOLS {
            return Err(DebugFault::Version { what: "symbols", version, known: SYMBOLS }.at(at));
        }
        reader.part(self.old_line_bytes)?;
        Ok([symbols, reader.part(self.line_bytes)?])
    }
}

/// The strings of `/names`, by their offsets.
pub(super) struct Strings(Stream);

impl Strings {
    pub fn read(stream: Stream) -> Result<Self> {
        stream.read(|mut reader| {
            let (at, [mark, version]) = (reader.at(), [reader.u32()?, reader.u32()?]);
            if [mark, version] != STRINGS {
                return Err(DebugFault::Version { what: "strings", version, known: STRINGS[1] }.at(at));
            }
            let size = reader.u32()?;
            reader.part(size)?;
            Ok(())
        })?;
        Ok(Self(stream))
    }

    /// The string at an offset.
    pub fn get(&self, offset: u32, budget: &mut Budget<'_>) -> Result<String> {
        self.0.read(|mut reader| {
            reader.take(8)?;
            let size = reader.u32()?;
            let mut string = reader.part(size)?.seek(offset)?;
            budget.name(&mut string)
        })
    }
}
