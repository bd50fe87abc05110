//! Formats the summary of a shader as text: facts line by line, then tables.

use super::{Constants, Geometry, Info, Location, Program, Signature, Tessellation, Variable};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Columns of the names of facts.
const FACT: usize = 16;
/// Spaces before a member for each structure it is in.
const INDENT: usize = 2;

impl Display for Info {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let checksum = match self.checksum_matches {
            None => "",
            Some(true) => ", checksum right",
            Some(false) => ", checksum not that of the content",
        };
        writeln!(f, "{}, {} bytes{checksum}", self.program.profile, self.size_bytes)?;
        match &self.debug {
            None => {}
            Some(Ok(debug)) => {
                let (files, variables) = (debug.files.len(), debug.variables);
                writeln!(f, "{:<FACT$}  files: {files}, variables: {variables}", "debug")?;
            }
            Some(Err(error)) => writeln!(f, "{:<FACT$}  not readable: {error}", "debug")?,
        }
        write_program(f, &self.program)?;
        if let Some(level9) = &self.level9 {
            writeln!(f, "\n{}, the second program, for feature levels 9.x", level9.profile)?;
            write_program(f, level9)?;
        }
        if let Some(Ok(debug)) = &self.debug {
            let row = |(name, lines): &(Arc<str>, Option<u32>)| {
                vec![lines.map_or("-".to_owned(), |lines| lines.to_string()), name.to_string()]
            };
            table(f, "sources", &["lines", "file"], debug.files.iter().map(row).collect())?;
        }
        let row = |chunk: &super::Chunk| vec![chunk.name.clone(), chunk.at.to_string(), chunk.size_bytes.to_string()];
        table(f, "chunks", &["name", "at", "bytes"], self.chunks.iter().map(row).collect())
    }
}

fn write_program(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    let mut fact = |name: &str, text: String| writeln!(f, "{name:<FACT$}  {text}");
    let counts = &program.counts;
    if let Some(creator) = &program.creator {
        fact("compiler", creator.clone())?;
    }
    if let Some([x, y, z]) = program.group_size {
        fact("group", format!("{x} x {y} x {z} threads"))?;
    }
    if program.shared_memory_bytes > 0 {
        fact("shared memory", format!("{} bytes", program.shared_memory_bytes))?;
    }
    if let Some(tessellation) = &program.tessellation {
        fact("tessellator", tessellation_text(tessellation))?;
    }
    if let Some(geometry) = &program.geometry {
        fact("geometry", geometry_text(geometry))?;
    }
    for (name, texts) in [("flags", &program.flags), ("needs", &program.features)] {
        if !texts.is_empty() {
            fact(name, texts.join(", "))?;
        }
    }
    if let Some(temps) = counts.temps {
        fact("temporaries", temps.to_string())?;
    }
    // What comes from a text has neither.
    if counts.words > 0 {
        fact("declarations", counts.declarations.to_string())?;
        let slots = counts.slots.map_or(String::new(), |slots| format!(" in {slots} slots"));
        let by_name: Vec<String> = counts.by_name.iter().map(|(name, count)| format!("{count} {name}")).collect();
        fact("instructions", format!("{}{slots}: {}", counts.instructions, by_name.join(", ")))?;
        fact("size", format!("{} words", counts.words))?;
    }

    write_bindings(f, program)?;
    program.signatures.iter().try_for_each(|signature| write_signature(f, signature))?;
    program.constants.iter().try_for_each(|constants| write_constants(f, constants))?;
    write_classes(f, program)?;
    let mappings = program.mappings.iter();
    let mappings = mappings.map(|from| vec![from.register.clone(), from.count.to_string(), from.source.clone()]);
    table(f, "where registers come from", &["register", "count", "source"], mappings.collect())
}

/// `tri domain, integer partitioning, triangle_cw output, 3 control points in, 3 out, factors up to 32`
fn tessellation_text(tessellation: &Tessellation) -> String {
    let Tessellation { domain, partitioning, output, control_points_in, control_points_out, max_factor_bits } =
        tessellation;
    let parts = [
        domain.map(|domain| format!("{domain} domain")),
        partitioning.map(|partitioning| format!("{partitioning} partitioning")),
        output.map(|output| format!("{output} output")),
        control_points_in.map(|count| format!("{count} control points in")),
        control_points_out.map(|count| format!("{count} control points out")),
        max_factor_bits.map(|bits| format!("factors up to {}", f32::from_bits(bits))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `triangle in, trianglestrip out, 6 vertices at most, 4 instances`; streams by their numbers where there are several.
fn geometry_text(geometry: &Geometry) -> String {
    let Geometry { input, streams, max_vertices, instances } = geometry;
    let topology = |stream: &super::Stream| match streams.len() {
        1 => format!("{} out", stream.topology),
        _ => format!("{} out of m{}", stream.topology, stream.number),
    };
    let input = input.as_ref().map(|input| format!("{input} in"));
    let parts = input.into_iter().chain(streams.iter().map(topology));
    let parts = parts.chain(max_vertices.map(|count| format!("{count} vertices at most")));
    let parts = parts.chain((*instances != 1).then(|| format!("{instances} instances")));
    parts.collect::<Vec<_>>().join(", ")
}

fn write_classes(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    let rows = program.interfaces.iter().map(|interface| {
        let choices = interface.choices.iter().map(|choice| match choice.class {
            Some(class) => format!("{class} by ft{}", choice.table),
            None => format!("ft{}", choice.table),
        });
        vec![
            format!("fp{}", interface.first),
            interface.count.to_string(),
            interface.call_sites.to_string(),
            (if interface.dynamic { "computed" } else { "literal" }).to_owned(),
            interface.type_name.clone().unwrap_or_default(),
            interface.name.clone().unwrap_or_default(),
            choices.collect::<Vec<_>>().join(", "),
        ]
    });
    let headings = ["slot", "count", "calls", "index", "interface", "name", "classes"];
    table(f, "interfaces", &headings, rows.collect())?;

    let rows = program.classes.iter().enumerate().map(|(n, class)| {
        let numbers = [class.vectors, class.textures, class.samplers].map(|number| number.to_string());
        [n.to_string()].into_iter().chain(numbers).chain([class.name.clone()]).collect()
    });
    table(f, "classes", &["class", "vectors", "textures", "samplers", "name"], rows.collect())?;

    let rows = program.class_instances.iter().map(|instance| {
        let register = |file: &str, number: Option<u16>| number.map_or(String::new(), |n| format!("{file}{n}"));
        let elements = if instance.count > 1 { format!("[{}]", instance.count) } else { String::new() };
        vec![
            instance.class.to_string(),
            instance.constant_buffer.map_or(String::new(), |buffer| format!("b{buffer}[{}]", instance.vector)),
            register("t", instance.texture),
            register("s", instance.sampler),
            format!("{}{elements}", instance.name),
        ]
    });
    table(f, "class instances", &["class", "data", "texture", "sampler", "name"], rows.collect())?;

    let rows = program.function_tables.iter().map(|table| {
        let bodies: Vec<String> = table.bodies.iter().map(|body| format!("fb{body}")).collect();
        vec![format!("ft{}", table.table), bodies.join(", ")]
    });
    table(f, "function tables", &["table", "bodies"], rows.collect())
}

fn write_bindings(f: &mut Formatter<'_>, program: &Program) -> fmt::Result {
    let rows = program.bindings.iter().map(|binding| {
        let space = if binding.space == 0 { String::new() } else { format!(",space{}", binding.space) };
        let parts = [
            Some(binding.format.clone()).filter(|format| !format.is_empty()),
            binding.stride_bytes.map(|bytes| format!("stride {bytes}")),
            binding.samples.map(|samples| format!("{samples} samples")),
            binding.counter.map(|_| "counter".to_owned()),
            binding.is_comparison.then(|| "comparison".to_owned()),
        ];
        vec![
            format!("{}{space}", binding.register),
            binding.count.map_or("unbounded".to_owned(), |count| count.to_string()),
            binding.kind.to_owned(),
            parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
            binding.name.clone().unwrap_or_default(),
        ]
    });
    table(f, "bindings", &["register", "count", "kind", "format", "name"], rows.collect())
}

fn write_signature(f: &mut Formatter<'_>, signature: &Signature) -> fmt::Result {
    let rows = signature.elements.iter().map(|element| {
        let stream = if element.stream == 0 { String::new() } else { format!("m{}:", element.stream) };
        vec![
            format!("{stream}{}", element.name),
            element.index.to_string(),
            element.register.clone(),
            letters(element.mask),
            element.used_mask.map_or(String::new(), letters),
            element.format.unwrap_or_default().to_owned(),
            element.system_value.unwrap_or_default().to_owned(),
        ]
    });
    let columns = ["semantic", "index", "register", "mask", "used", "format", "system value"];
    table(f, signature.kind.text(), &columns, rows.collect())
}

/// The components of a mask.
pub fn letters(mask: u8) -> String {
    "xyzw".chars().enumerate().filter(|(n, _)| mask >> n & 1 != 0).map(|(_, letter)| letter).collect()
}

fn write_constants(f: &mut Formatter<'_>, constants: &Constants) -> fmt::Result {
    let mut rows = Vec::new();
    push_variables(&mut rows, &constants.variables, 0);
    let size = constants.size_bytes.map_or(String::new(), |size| format!(", {size} bytes"));
    let title = format!("{} {}", constants.kind, constants.name);
    table(f, &format!("{}{size}", title.trim_end()), &["place", "size", "type", "name", ""], rows)
}

fn push_variables(rows: &mut Vec<Vec<String>>, variables: &[Variable], depth: usize) {
    for variable in variables {
        let (place, size) = match &variable.location {
            Some(Location::Bytes { offset, size }) => {
                (offset.to_string(), size.map_or(String::new(), |size| size.to_string()))
            }
            Some(Location::Registers { first, count }) => (first.clone(), count.to_string()),
            None => (String::new(), String::new()),
        };
        let elements = variable.elements.map_or(String::new(), |count| format!("[{count}]"));
        let name = format!("{}{elements}", variable.name);
        let indent = " ".repeat(depth * INDENT);
        let note = if variable.is_used { "" } else { "unused" };
        rows.push(vec![place, size, format!("{indent}{}", variable.type_name), format!("{indent}{name}"), note.into()]);
        push_variables(rows, &variable.members, depth + 1);
    }
}

/// Writes a table below an empty line and its title; nothing if it has no rows.
fn table(f: &mut Formatter<'_>, title: &str, headings: &[&str], rows: Vec<Vec<String>>) -> fmt::Result {
    if rows.is_empty() {
        return Ok(());
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or(0).min(WIDEST)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    writeln!(f, "\n{title}:")?;
    let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
    for row in std::iter::once(&headings).chain(&rows) {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        writeln!(f, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

/// Longer cells do not make a column wider, so that a table stays in proportion to what it holds.
const WIDEST: usize = 60;
