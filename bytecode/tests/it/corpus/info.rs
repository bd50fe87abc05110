//! Tests the facts about a shader against the compiler's listing, and that faults are found.

use super::data;
use brolga_bytecode::info::{Binding, Info};
use brolga_bytecode::{Limits, assembler, findings};

/// The number of slots in the last line of a listing.
fn slots(listing: &str) -> Option<u32> {
    let (_, count) = listing.rsplit_once("pproximately ")?;
    count.split(' ').next()?.parse().ok()
}

/// The numbers of a declaration in a listing.
fn declared(listing: &str, name: &str) -> Option<Vec<u32>> {
    let line = listing.lines().find_map(|line| line.strip_prefix(name))?;
    line.split(',').map(|number| number.trim().parse().ok()).collect()
}

#[test]
fn compiled_shaders_have_no_fault_and_are_as_their_listings_say() {
    let limits = Limits::default();
    // Those of `dxilconv` have wrong checksums, and listings by another tool.
    let compiled = |shader: &&data::Shader| !shader.name.starts_with("dxilconv/");
    for shader in data::containers().iter().chain(&data::direct3d9()).filter(compiled) {
        let name = &shader.name;
        assert_eq!(findings(&shader.bytes, &limits).found, [], "{name}");
        let info = Info::read(&shader.bytes, &limits).unwrap();
        let program = &info.program;
        assert_eq!(program.counts.slots, slots(&shader.listing), "{name}");
        let size = declared(&shader.listing, "dcl_thread_group ");
        assert_eq!(program.group_size.map(|size| size.to_vec()), size, "{name}");
        for binding in program.bindings.iter().filter_map(|binding| binding.name.as_ref()) {
            assert!(shader.listing.contains(binding), "{name}: {binding}");
        }
        let variables = program.constants.iter().flat_map(|constants| &constants.variables);
        for variable in variables.filter(|variable| variable.members.is_empty()) {
            let text = format!("{} {}", variable.type_name, variable.name);
            assert!(shader.listing.contains(&text), "{name}: {text}");
        }
        for element in program.signatures.iter().flat_map(|signature| &signature.elements) {
            assert!(shader.listing.contains(&element.name), "{name}: {}", element.name);
        }
        assert!(!info.to_string().is_empty());
    }
}

/// The jobs of the corpus list the bindings of its shaders.
#[test]
fn bindings_are_what_a_job_has() {
    let mut seen = 0;
    for entry in std::fs::read_dir(data::data().join("exec")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(job) = std::fs::read(folder.join("case.json")) else { continue };
        let job: serde_json::Value = serde_json::from_slice(&job).unwrap();
        for shader in job["shaders"].as_array().unwrap() {
            let path = folder.join(shader.as_str().unwrap());
            let name = path.display();
            let bindings = |bytes: &[u8]| Info::read(bytes, &Limits::default()).unwrap().program.bindings;
            let named = bindings(&data::read(&path));
            for view in job["bindings"].as_array().unwrap() {
                let slot = view["slot"].as_str().unwrap();
                let found = named.iter().find(|binding| binding.register == slot);
                let found = found.unwrap_or_else(|| panic!("{name}: {slot} is not among {named:?}"));
                let stride = found.stride_bytes.map_or(serde_json::Value::Null, Into::into);
                assert_eq!((&view["kind"], &view["stride"]), (&found.kind.into(), &stride), "{name}: {slot}");
                assert!(view["counter"].is_null() || found.counter.is_some(), "{name}: {slot}");
                seen += 1;
            }
            // Without names the declarations say the same, except for the number of components of a texel.
            let text = String::from_utf8(data::read(&path.with_extension("asm"))).unwrap();
            let Ok(assembly) = assembler::assemble(&text, &Limits::default()) else { continue };
            let plain = |binding: Binding| Binding { name: None, format: String::new(), ..binding };
            let sorted = |bindings: Vec<Binding>| {
                let mut bindings: Vec<_> = bindings.into_iter().map(plain).collect();
                bindings.sort_by(|one, other| one.register.cmp(&other.register));
                bindings
            };
            assert_eq!(sorted(bindings(&assembly.bytes)), sorted(named), "{name}");
        }
    }
    assert!(seen > 100, "only {seen} bindings were seen");
}

#[test]
fn what_must_be_rejected_has_a_finding() {
    let limits = Limits::default();
    for row in data::rows(&data::data().join("malformed/manifest.json")) {
        let file = row["file"].as_str().unwrap();
        let bytes = data::read(&data::data().join(file));
        let found = findings(&bytes, &limits).found;
        match row["must"].as_str().unwrap() {
            // Direct3D 9 programs are among them, of which this reader knows more than the manifest asks.
            _ if row["error"] == "d3d9" => {}
            "accept" => assert_eq!(found, [], "{file}"),
            "reject" | "reject when checksums are verified" => assert!(!found.is_empty(), "{file}"),
            _ => {}
        }
        let _ = Info::read(&bytes, &limits).map(|info| info.to_string());
    }
}

/// The texts after a declaration's name, of all lines that have it.
fn lines_of<'a>(listing: &'a str, name: &str) -> Vec<&'a str> {
    let after = |line: &'a str| line.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
    listing.lines().filter_map(after).map(str::trim).collect()
}

/// The number in a text such as `ft12` or `l(32.000000)`.
fn number(text: &str) -> f32 {
    text.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn tessellation_is_that_of_the_listing() {
    let mut seen = 0;
    for shader in data::containers().iter().filter(|shader| ["hs", "ds"].contains(&&shader.profile[..2])) {
        let name = &shader.name;
        let program = Info::read(&shader.bytes, &Limits::default()).unwrap().program;
        let said = program.tessellation.expect("hull and domain shaders say something");
        let one = |declaration: &str| lines_of(&shader.listing, declaration).first().copied();
        let named = |prefix: &str, text: Option<&str>| text.map(|text| format!("{prefix}_{text}"));
        assert_eq!(named("domain", said.domain).as_deref(), one("dcl_tessellator_domain"), "{name}");
        let partitioning = named("partitioning", said.partitioning);
        assert_eq!(partitioning.as_deref(), one("dcl_tessellator_partitioning"), "{name}");
        assert_eq!(named("output", said.output).as_deref(), one("dcl_tessellator_output_primitive"), "{name}");
        let count = |text: &str| text.parse::<u32>().unwrap();
        assert_eq!(said.control_points_in, one("dcl_input_control_point_count").map(count), "{name}");
        assert_eq!(said.control_points_out, one("dcl_output_control_point_count").map(count), "{name}");
        let factor = said.max_factor_bits.map(f32::from_bits);
        assert_eq!(factor, one("dcl_hs_max_tessfactor").map(number), "{name}");
        seen += 1;
    }
    assert!(seen >= 15, "only {seen} shaders were seen");
}

#[test]
fn geometry_is_that_of_the_listing() {
    let mut seen = 0;
    for shader in data::containers() {
        let name = &shader.name;
        let program = Info::read(&shader.bytes, &Limits::default()).unwrap().program;
        let Some(said) = program.geometry else {
            assert_ne!(&shader.profile[..2], "gs", "{name}");
            continue;
        };
        let lines = |declaration: &str| lines_of(&shader.listing, declaration);
        assert_eq!(said.input.as_deref(), lines("dcl_inputprimitive").first().copied(), "{name}");
        let topologies: Vec<&str> = said.streams.iter().map(|stream| stream.topology).collect();
        assert_eq!(topologies, lines("dcl_outputtopology"), "{name}");
        let streams: Vec<String> = said.streams.iter().map(|stream| format!("m{}", stream.number)).collect();
        match lines("dcl_stream")[..] {
            [] => assert_eq!(streams, ["m0"], "{name}"),
            ref listed => assert_eq!(streams, listed, "{name}"),
        }
        let count = |texts: Vec<&str>| texts.first().map(|text| text.parse::<u32>().unwrap());
        assert_eq!(said.max_vertices, count(lines("dcl_maxout")), "{name}");
        assert_eq!(said.instances, count(lines("dcl_gsinstances")).unwrap_or(1), "{name}");
        seen += 1;
    }
    assert!(seen >= 15, "only {seen} shaders were seen");
}

#[test]
fn interfaces_are_those_of_the_listing() {
    let mut seen = 0;
    for (name, bytes, listing) in data::interfaces() {
        let program = Info::read(&bytes, &Limits::default()).unwrap().program;
        let tables: Vec<String> = program
            .function_tables
            .iter()
            .map(|table| {
                let bodies: Vec<String> = table.bodies.iter().map(|body| format!("fb{body}")).collect();
                format!("ft{} = {{{}}}", table.table, bodies.join(", "))
            })
            .collect();
        assert_eq!(tables, lines_of(&listing, "dcl_function_table"), "{name}");
        for dynamic in [false, true] {
            let declared = program.interfaces.iter().filter(|interface| interface.dynamic == dynamic);
            let declared: Vec<String> = declared
                .map(|interface| {
                    let tables: Vec<String> =
                        interface.choices.iter().map(|choice| format!("ft{}", choice.table)).collect();
                    let (first, count, calls) = (interface.first, interface.count, interface.call_sites);
                    format!("fp{first}[{count}][{calls}] = {{{}}}", tables.join(", "))
                })
                .collect();
            let declaration = if dynamic { "dcl_interface_dynamicindexed" } else { "dcl_interface" };
            assert_eq!(declared, lines_of(&listing, declaration), "{name}");
        }
        for interface in &program.interfaces {
            // The table of slots has the classes above the tables that are called for them.
            let range = match interface.count {
                1 => interface.first.to_string(),
                count => format!("{}-{}", interface.first, interface.first + count - 1),
            };
            let mut rows = listing.lines().filter(|line| line.starts_with("// |")).map(|line| line.replace('|', " "));
            let numbers =
                |row: String| -> Vec<u32> { row.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
            let own_row = rows.find(|row| row.split_whitespace().nth(3) == Some(&range));
            if let Some(row) = own_row {
                let skipped = usize::from(interface.count == 1);
                let classes: Vec<u32> = numbers(row).split_off(skipped);
                let called = numbers(rows.next().unwrap());
                let pairs: Vec<(u32, u32)> = classes.into_iter().zip(called).collect();
                let said = interface.choices.iter().map(|choice| (choice.class.unwrap().into(), choice.table));
                assert_eq!(said.collect::<Vec<_>>(), pairs, "{name}");
            }
            let variable = interface.name.as_ref().expect("the corpus has names");
            let text = format!("interface {} {variable}", interface.type_name.as_ref().unwrap());
            assert!(listing.contains(&text), "{name}: {text}");
            seen += 1;
        }
    }
    assert!(seen >= 10, "only {seen} interfaces were seen");
}
