//! Reads source lines and variables from the debug information of a container: the chunk SPDB, a program database
//! (PDB), which fxc writes with `-Zi`.
//!
//! | file | what |
//! |---|---|
//! | `error.rs` | errors, and what bounds the records |
//! | `msf.rs` | the container of a program database: streams that are cut into blocks |
//! | `database.rs` | the parts in its streams: names, modules, strings |
//! | `lines.rs` | the line table of a module |
//! | `inlined.rs` | lines of inlined functions, and the innermost position of an instruction |
//! | `variables.rs` | variables, and the registers that hold them |
//! | `types.rs` | types of variables, and the names of their parts |
//! | `sources.rs` | the sources, and the text of their lines |
//!
//! Nothing but messages depends on debug information: a shader whose debug information is broken is read and runs like
//! one that has none. Older compilers write a chunk SDBG of another form, which is not read.
//!
//! The form is that of LLVM's description (`docs/PDB/`) and of microsoft-pdb's headers; the files name the parts. All
//! positions are bytes in the file, as in [`Item::at`](crate::sm5::Item::at).

mod database;
mod error;
mod inlined;
mod lines;
mod msf;
mod sources;
mod types;
mod variables;

pub use error::{DebugError, DebugFault};

use crate::container::{Chunk, Container};
use crate::limits::Limits;
use crate::sm5::RegisterFile;
use error::Budget;
use inlined::{Positions, Site};
use lines::{LineTable, Position, Row};
use sources::Sources;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter, Write};
use std::ops::Range;
use std::sync::Arc;
use types::Types;
use variables::Symbols;

/// Source lines and variables of a program.
#[derive(Clone, Debug)]
pub struct DebugInfo {
    /// The byte in the file where the program's chunk begins, which the tables count from.
    program_at: u32,
    sources: Sources,
    /// Positions of expressions, and of statements.
    expressions: Positions,
    statements: Positions,
    sites: Vec<Site>,
    variables: Vec<Variable>,
    types: Types,
}

/// A source, or a name that a `#line` directive gives to lines of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path, as the compiler was told it; with small letters and backslashes if no instruction comes from it.
    pub name: Arc<str>,
    /// Its text, if the file has it. Bytes that are not UTF-8 are replaced.
    pub text: Option<Arc<str>>,
}

/// A position in a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The path of the file, as the compiler was told it, or as a `#line` directive says.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; `None` if the file does not state it.
    pub column: Option<u32>,
}

/// A variable of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// Its name. A value that an inlined function returns is called `<noise return value>`.
    pub name: String,
    /// The kind.
    pub kind: VariableKind,
    /// The registers that hold it. A variable that was optimised away has none, nor has shared memory in model 5.1.
    pub places: Vec<Place>,
    type_number: u32,
}

/// Kind of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// A parameter of a function.
    Parameter,
    /// A local variable.
    Local,
    /// The value that an inlined function returns.
    ReturnValue,
    /// A variable outside functions: of a constant buffer, a resource, shared memory.
    Global,
}

/// A register that holds a part of a variable while some of the code runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The register file.
    pub file: RegisterFile,
    /// The number of the register; `None` in a file without numbers.
    pub register: Option<u32>,
    /// The vertex or control point, of inputs that are arrays of them.
    pub vertex: Option<u32>,
    /// The vector, of a constant buffer.
    pub vector: Option<u32>,
    /// The register space, of resources in model 5.1.
    pub space: u32,
    /// The components: bit 0 is x. 0 for all of a register, or of several.
    pub components: u8,
    /// The bytes of the variable that it holds; empty for all of a global variable.
    pub part: Range<u32>,
    /// The bytes in the file of the instructions that find the variable there.
    pub code: Range<u32>,
}

impl DebugInfo {
    /// Reads the debug information of a container; `None` if it has none, or no program. The container's other chunks
    /// are not read.
    ///
    /// # Errors
    /// If it breaks its format, or has more than the limits allow. An error names the byte in the file.
    pub fn read(container: &Container<'_>, limits: &Limits) -> Option<Result<Self, DebugError>> {
        let chunk = container.chunk(b"SPDB")?;
        let program = container.program().ok()?;
        Some(Self::read_chunk(chunk, program, &mut Budget::new(limits)))
    }

    /// The debug information of a shader whose instructions come from bytes of this text: that of each byte is its line.
    pub fn of_text(name: &str, text: &str) -> Self {
        let mut start = 0;
        let row = |(line, number): (&str, u32)| {
            let end = start + line.len() as u32;
            let position = Position { file: 0, line: number, column: 0 };
            (0, 0, Row { start: std::mem::replace(&mut start, end), end, position, is_statement: true })
        };
        let rows: Vec<_> = text.split_inclusive('\n').zip(1..).map(row).collect();
        let positions = Positions::new(&rows);
        Self {
            program_at: 0,
            sources: Sources::new(vec![name.to_owned()], BTreeMap::from([(sources::as_in_streams(name), text.into())])),
            expressions: positions.clone(),
            statements: positions,
            sites: Vec::new(),
            variables: Vec::new(),
            types: Types::default(),
        }
    }

    fn read_chunk(chunk: &Chunk<'_>, program: &Chunk<'_>, budget: &mut Budget<'_>) -> Result<Self, DebugError> {
        let mut msf = msf::Msf::read(chunk, budget)?;
        let streams = database::named_streams(&mut msf, budget)?;
        let types = msf.stream(database::TYPES)?.read(|reader| Types::read(reader, budget))?;
        let modules = database::Modules::read(&mut msf, budget)?;

        let code = program.at..program.at.saturating_add(program.data.len() as u32);
        let (mut table, mut symbols) =
            (LineTable::default(), Symbols { sites: vec![Site::default()], ..Symbols::default() });
        // A shader is one module.
        if let Some(module) = modules.modules.first() {
            msf.stream(module.stream)?.read(|reader| {
                let [of_symbols, of_lines] = module.parts(reader)?;
                table = LineTable::read(of_lines, budget)?;
                symbols.read(of_symbols, &table, code.clone(), budget)
            })?;
        }
        // The stream of global symbols repeats those of the module.
        let own = symbols.variables.iter().filter(|variable| variable.is_global());
        let names: BTreeSet<String> = own.map(|variable| variable.name.clone()).collect();
        if let Some(globals) = modules.globals {
            let mut all = Symbols::default();
            msf.stream(globals)?.read(|reader| all.read(reader, &table, code.clone(), budget))?;
            symbols.variables.extend(all.variables.into_iter().filter(|variable| !names.contains(&variable.name)));
        }

        let mut names = Vec::new();
        if let Some(&stream) = streams.get("/names") {
            let strings = database::Strings::read(msf.stream(stream)?)?;
            for &name in &table.names {
                names.push(strings.get(name, budget)?);
            }
        }
        let mut texts = BTreeMap::new();
        for (name, &stream) in &streams {
            if let Some(name) = name.strip_prefix("/src/files/") {
                let text = msf.stream(stream)?.read(|mut reader| {
                    let (at, bytes) = (reader.at(), reader.take(reader.left())?);
                    let text = String::from_utf8_lossy(bytes);
                    // Where each line begins is kept.
                    budget.records(at, text.lines().count() as u32)?;
                    Ok(text.into())
                })?;
                texts.insert(sources::as_in_streams(name), text);
            }
        }

        if let Some(site) = symbols.sites.first_mut() {
            site.set_statements(&table.rows);
        }
        let mut rows: Vec<_> = table.rows.iter().map(|row| (0, 0, *row)).collect();
        rows.append(&mut symbols.rows);
        let expressions = Positions::new(&rows);
        rows.retain(|(.., row)| row.is_statement);
        Ok(Self {
            program_at: program.at,
            sources: Sources::new(names, texts),
            expressions,
            statements: Positions::new(&rows),
            sites: symbols.sites,
            variables: symbols.variables,
            types,
        })
    }

    /// The source of the instruction at a byte of the file: of the expression that it computes a part of, in the
    /// innermost inlined function. `None` for a declaration, and for code that no source stands for.
    pub fn line_at(&self, byte: u32) -> Option<SourceLine> {
        let (_, position) = self.expressions.get(byte.checked_sub(self.program_at)?)?;
        self.source_line(position)
    }

    /// The statement that this expression is in, which begins on an earlier line in some cases, and elsewhere in a loop:
    /// fxc counts the step of a `for` to the end of its body. fxc's own listing has these lines.
    pub fn statement_at(&self, byte: u32) -> Option<SourceLine> {
        let (_, position) = self.statements.get(byte.checked_sub(self.program_at)?)?;
        self.source_line(position)
    }

    /// The statements that call the inlined function that an instruction is in, the innermost first.
    pub fn callers(&self, byte: u32) -> impl Iterator<Item = SourceLine> {
        let offset = byte.checked_sub(self.program_at);
        let innermost = offset.and_then(|offset| self.statements.get(offset)).map(|(site, _)| site);
        // A site is numbered after the one that it is in.
        let parent = |&site: &u32| self.sites.get(site as usize)?.parent.filter(|&parent| parent < site);
        std::iter::successors(innermost, parent).skip(1).filter_map(move |site| {
            let position = self.sites.get(site as usize)?.statement(offset?)?;
            self.source_line(position)
        })
    }

    /// The text of a source line, without its end; `None` if the file does not have it. `#line` directives are followed.
    pub fn text_of(&self, line: &SourceLine) -> Option<&str> {
        self.sources.line(&line.file, line.line)
    }

    /// The sources, and the names that `#line` directives give.
    pub fn sources(&self) -> &[SourceFile] {
        &self.sources.files
    }

    /// The variables: those of functions in the order of the source, then global ones.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variables of functions that registers hold before the instruction at a byte of the file, with the places.
    pub fn variables_at(&self, byte: u32) -> impl Iterator<Item = (&Variable, &Place)> {
        let locals = self.variables.iter().filter(|variable| !variable.is_global());
        let places = locals.flat_map(|variable| variable.places.iter().map(move |place| (variable, place)));
        places.filter(move |(_, place)| place.code.contains(&byte))
    }

    /// The type of a variable, as in the source: `float3`, `uint[4]`; `None` if it cannot be told.
    pub fn type_of(&self, variable: &Variable) -> Option<String> {
        self.types.name(variable.type_number)
    }

    /// The variable or its part that a register holds: `sum.xy`, `lamp.colour.x`, `world._m01`.
    pub fn part_of(&self, variable: &Variable, place: &Place) -> String {
        let Range { start, end } = place.part;
        let part = match end.checked_sub(start) {
            None | Some(0) => String::new(),
            Some(size) => self.types.part(variable.type_number, start, size),
        };
        format!("{}{part}", variable.name)
    }

    fn source_line(&self, position: Position) -> Option<SourceLine> {
        let file = self.sources.files.get(position.file as usize)?;
        let column = (position.column != 0).then(|| position.column.into());
        Some(SourceLine { file: Arc::clone(&file.name), line: position.line, column })
    }
}

impl Variable {
    /// `true` for a variable outside functions.
    pub fn is_global(&self) -> bool {
        self.kind == VariableKind::Global
    }
}

impl SourceLine {
    /// The last part of the path.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

/// The file's name without folders, and the line: `tiles.hlsl:11`.
impl Display for SourceLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file_name(), self.line)
    }
}

/// The register as a listing has it: `r0.xy`, `v[1][0].x`, `cb0[4].x`, `u1`.
impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.file.text())?;
        match (self.vertex, self.register) {
            (Some(vertex), Some(register)) => write!(f, "[{vertex}][{register}]")?,
            (_, Some(register)) => write!(f, "{register}")?,
            (_, None) => {}
        }
        if let Some(vector) = self.vector {
            write!(f, "[{vector}]")?;
        }
        if self.components != 0 {
            let letters = ['x', 'y', 'z', 'w'].into_iter().enumerate();
            f.write_str(".")?;
            letters.filter(|(n, _)| self.components >> n & 1 != 0).try_for_each(|(_, letter)| f.write_char(letter))?;
        }
        if self.space != 0 {
            write!(f, ",space{}", self.space)?;
        }
        Ok(())
    }
}
