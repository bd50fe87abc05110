//! Reads the symbols of a module: variables with the registers that hold them, and inlined functions.
//!
//! A variable (`S_LOCAL`) is followed by the ranges of code in which registers hold a part of it (`S_DEFRANGE_HLSL`):
//! the part in bytes, the register file, and an offset in it. The files have the numbers of operand types. An offset is
//! 16 bytes a register and 4 a component, but for arrays of temporaries, where it is the number of the array. Files
//! without numbers have offsets too, of which only the component counts.
//!
//! Global variables (`S_GDATA_HLSL`, `S_LDATA_HLSL`, and in model 5.1 those whose names end in `32_EX`) have the numbers
//! of their registers. microsoft-pdb has the records in `include/cvinfo.h`: `LOCALSYM`, `DEFRANGESYMHLSL`,
//! `DATASYMHLSL`, `DATASYMHLSL32_EX`, `INLINESITESYM`, `PROCSYM32`.

use super::error::{Budget, DebugError};
use super::inlined::{self, Site};
use super::lines::{LineTable, Row};
use super::{Place, Variable, VariableKind};
use crate::reader::Reader;
use crate::sm5::RegisterFile;
use std::ops::Range;

type Result<T> = std::result::Result<T, DebugError>;

/// Slots that a variable does not have.
const NO_SLOT: u32 = 0xffff;
const NO_SLOT32: u32 = u32::MAX;

/// What the symbols of a program say.
#[derive(Default)]
pub(super) struct Symbols {
    pub variables: Vec<Variable>,
    /// The program, and the calls in it that were inlined.
    pub sites: Vec<Site>,
    /// The rows of inlined functions, with site and depth.
    pub rows: Vec<(u32, u32, Row)>,
}

/// What a symbol is in: the site, and the function's first byte and the byte behind its last.
#[derive(Clone, Copy, Default)]
struct Scope {
    site: u32,
    code: Option<(u32, u32)>,
}

// Kinds of symbols.
const END: u16 = 0x0006;
const BLOCK: u16 = 0x1103;
const LOCAL_FUNCTION: u16 = 0x110f;
const GLOBAL_FUNCTION: u16 = 0x1110;
const LOCAL: u16 = 0x113e;
const INLINED: u16 = 0x114d;
const INLINED_END: u16 = 0x114e;
const FUNCTION_END: u16 = 0x114f;
const RANGE: u16 = 0x1150;
const GLOBAL_DATA: u16 = 0x1151;
const LOCAL_DATA: u16 = 0x1152;
const GLOBAL_DATA32: u16 = 0x1164;
const LOCAL_DATA32: u16 = 0x1165;

impl Symbols {
    /// Reads the symbols of a module, or those of none. `program` has the byte in the file where the program's chunk
    /// begins, and the byte behind it.
    pub fn read(
        &mut self,
        mut reader: Reader<'_>,
        table: &LineTable,
        program: Range<u32>,
        budget: &mut Budget<'_>,
    ) -> Result<()> {
        let mut scopes: Vec<Scope> = Vec::new();
        // Ranges belong to the variable before them, if it is a local one.
        let mut has_local = false;
        while reader.left() > 0 {
            let at = reader.at();
            budget.record(at)?;
            let size = reader.u16()?;
            let mut symbol = reader.part(size.into())?;
            let kind = symbol.u16()?;
            let scope = scopes.last().copied().unwrap_or_default();
            match kind {
                LOCAL_FUNCTION | GLOBAL_FUNCTION => {
                    symbol.take(12)?;
                    let size = symbol.u32()?;
                    symbol.take(12)?;
                    let start = symbol.u32()?;
                    scopes.push(Scope { code: Some((start, start.saturating_add(size))), ..scope });
                }
                BLOCK => scopes.push(scope),
                INLINED => {
                    let site = self.read_site(symbol, scope, table, budget)?;
                    scopes.push(Scope { site, ..scope });
                }
                END | INLINED_END | FUNCTION_END => drop(scopes.pop()),
                LOCAL => self.variables.push(read_local(&mut symbol, budget)?),
                RANGE if has_local => {
                    let variable = self.variables.last_mut().map(|variable| &mut variable.places);
                    variable.map_or(Ok(()), |places| read_places(symbol, program.start, places, budget))?;
                }
                GLOBAL_DATA | LOCAL_DATA => self.variables.push(read_global(&mut symbol, &program, budget)?),
                GLOBAL_DATA32 | LOCAL_DATA32 => self.variables.push(read_global32(&mut symbol, &program, budget)?),
                _ => {}
            }
            has_local = kind == LOCAL || has_local && kind == RANGE;
            budget.depth(at, scopes.len())?;
        }
        Ok(())
    }

    /// Reads the symbol of an inlined function.
    fn read_site(
        &mut self,
        mut symbol: Reader<'_>,
        scope: Scope,
        table: &LineTable,
        budget: &mut Budget<'_>,
    ) -> Result<u32> {
        // The symbols that it is in, and where it ends.
        symbol.take(8)?;
        let function = symbol.u32()?;
        let depth = self.sites.get(scope.site as usize).map_or(0, |site| site.depth) + 1;
        let number = self.sites.len() as u32;
        let mut site = Site { parent: Some(scope.site), depth, statements: Vec::new() };
        if let (Some(code), Some(&function)) = (scope.code, table.inlined.get(&function)) {
            let rows = inlined::rows(symbol, function, code, table, budget)?;
            site.set_statements(&rows);
            self.rows.extend(rows.into_iter().map(|row| (number, depth, row)));
        }
        self.sites.push(site);
        Ok(number)
    }
}

fn read_local(symbol: &mut Reader<'_>, budget: &mut Budget<'_>) -> Result<Variable> {
    const IS_PARAMETER: u16 = 1;
    const IS_RETURN_VALUE: u16 = 1 << 7;
    let ty = symbol.u32()?;
    let flags = symbol.u16()?;
    let kind = match flags {
        flags if flags & IS_PARAMETER != 0 => VariableKind::Parameter,
        flags if flags & IS_RETURN_VALUE != 0 => VariableKind::ReturnValue,
        _ => VariableKind::Local,
    };
    Ok(Variable { name: budget.name(symbol)?, type_number: ty, kind, places: Vec::new() })
}

/// Reads a range, which gaps divide into several. One of a register file that is not known has no place.
fn read_places(mut symbol: Reader<'_>, base: u32, places: &mut Vec<Place>, budget: &mut Budget<'_>) -> Result<()> {
    let file = RegisterFile::from_code(symbol.u16()?.into());
    let index_count = u32::from(symbol.u16()? & 3);
    let [offset_in_variable, size] = [symbol.u16()?, symbol.u16()?].map(u32::from);
    let first = symbol.u32()?;
    let _section = symbol.u16()?;
    let end = first.saturating_add(symbol.u16()?.into());
    let gap_bytes = (symbol.left() as u32).saturating_sub(4 * index_count);
    let mut gaps = symbol.part(gap_bytes)?;
    let mut indices = [None; 2];
    for index in indices.iter_mut().take(index_count as usize) {
        *index = Some(symbol.u32()?);
    }
    let Some(file) = file.filter(|&file| file != RegisterFile::Stream) else { return Ok(()) };
    let [offset, vertex] = indices;
    let offset = offset.unwrap_or(0);
    let parts = size.div_ceil(4);
    let (register, components) = match file {
        RegisterFile::IndexableTemp => (Some(offset), 0),
        _ => (file.is_numbered().then_some(offset / 16), mask(file, offset % 16 / 4, parts)),
    };
    let mut push = |start: u32, end: u32, at: u32| {
        if start >= end {
            return Ok(());
        }
        budget.record(at)?;
        let code = base.saturating_add(start)..base.saturating_add(end);
        let part = offset_in_variable..offset_in_variable + size;
        places.push(Place { file, register, vertex, vector: None, space: 0, components, part, code });
        Ok::<_, DebugError>(())
    };
    let mut start = first;
    while gaps.left() > 0 {
        let at = gaps.at();
        let [gap, gap_size] = [gaps.u16()?, gaps.u16()?].map(u32::from);
        let gap = first.saturating_add(gap);
        push(start, gap.min(end), at)?;
        start = start.max(gap.saturating_add(gap_size));
    }
    push(start, end, gaps.at())
}

/// The components from `first` on; none for a register of one component, or for more than one register.
fn mask(file: RegisterFile, first: u32, count: u32) -> u8 {
    let is_single = matches!(
        file,
        RegisterFile::InputPrimitiveId
            | RegisterFile::OutputControlPointId
            | RegisterFile::ForkInstanceId
            | RegisterFile::JoinInstanceId
            | RegisterFile::GsInstanceId
            | RegisterFile::OutputDepth
            | RegisterFile::OutputDepthGreaterEqual
            | RegisterFile::OutputDepthLessEqual
            | RegisterFile::OutputCoverageMask
            | RegisterFile::OutputStencilRef
            | RegisterFile::InputCoverage
            | RegisterFile::InnerCoverage
    );
    if is_single || first + count > 4 { 0 } else { (((1_u32 << count) - 1) << first) as u8 }
}

fn read_global(symbol: &mut Reader<'_>, program: &Range<u32>, budget: &mut Budget<'_>) -> Result<Variable> {
    let ty = symbol.u32()?;
    let file = symbol.u16()?;
    let [data, offset, texture, sampler, uav] =
        [symbol.u16()?, symbol.u16()?, symbol.u16()?, symbol.u16()?, symbol.u16()?].map(u32::from);
    let file = RegisterFile::from_code(file.into());
    let slot = match file {
        Some(RegisterFile::Resource) => texture,
        Some(RegisterFile::Sampler) => sampler,
        Some(RegisterFile::Uav) => uav,
        _ => data,
    };
    let place = file.filter(|_| slot != NO_SLOT).map(|file| global_place(file, slot, 0, offset, program));
    let places = place.into_iter().collect();
    Ok(Variable { name: budget.name(symbol)?, type_number: ty, kind: VariableKind::Global, places })
}

fn read_global32(symbol: &mut Reader<'_>, program: &Range<u32>, budget: &mut Budget<'_>) -> Result<Variable> {
    let ty = symbol.u32()?;
    let [_number, offset, space, slot] = [symbol.u32()?, symbol.u32()?, symbol.u32()?, symbol.u32()?];
    let file = RegisterFile::from_code(symbol.u16()?.into());
    let place = file.filter(|_| slot != NO_SLOT32).map(|file| global_place(file, slot, space, offset, program));
    let places = place.into_iter().collect();
    Ok(Variable { name: budget.name(symbol)?, type_number: ty, kind: VariableKind::Global, places })
}

/// The place of a global variable, which it has throughout the program.
fn global_place(file: RegisterFile, slot: u32, space: u32, offset: u32, program: &Range<u32>) -> Place {
    let is_constant = file == RegisterFile::ConstantBuffer;
    Place {
        file,
        register: Some(slot),
        vertex: None,
        vector: is_constant.then_some(offset / 16),
        space,
        components: if is_constant { 1 << (offset % 16 / 4) } else { 0 },
        part: 0..0,
        code: program.clone(),
    }
}
