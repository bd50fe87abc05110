//! Tests the accesses that result from buffers, shared memory, texels, queries and barriers.

use std::collections::HashMap;

use brolga_ir::text::{Names, print};
use brolga_testing_base::assemble::translated;

/// The statements of a shader's body that access memory or write registers, operands written out: `r1.x` for a
/// register, `iadd(r1.x, 2)` for an operation, `a0.1` for the second result of the first access.
fn accesses(lines: &str) -> Vec<String> {
    let func = translated(&format!("dcl_temps 8\n{lines}\nret"));
    brolga_ir::verify::check(&func, brolga_ir::verify::Stage::BeforeSsa).expect("a sound function");
    let text = print(&func, Names::Dense);
    let (_, body) = text.split_once("body {").expect("a body");

    let mut known: HashMap<String, String> = HashMap::new();
    let mut statements = Vec::new();
    for line in body.lines().map(str::trim) {
        let line = line.split("  @").next().expect("never empty");
        let (results, statement) = line.split_once(" = ").unwrap_or(("", line));
        let results: Vec<&str> = results.split(", ").map(|name| name.split(':').next().expect("a name")).collect();
        let statement = written_out(statement, &known);
        let (name, operands) = statement.split_once(' ').unwrap_or((&statement, ""));
        match name {
            "const" | "get" => {
                known.insert(results[0].to_owned(), operands.to_owned());
            }
            "set" => statements.push(operands.replacen(", ", " = ", 1)),
            "return" | "}" | "" => {}
            "load" | "store" | "atomic" | "counter" | "texel_load" | "texel_store" | "texel_atomic" | "query"
            | "barrier" => {
                let access = statements.iter().filter(|statement| !statement.starts_with('r')).count();
                for (n, result) in results.into_iter().enumerate() {
                    known.insert(result.to_owned(), format!("a{access}.{n}"));
                }
                statements.push(statement.replace(" where true", ""));
            }
            _ => {
                known.insert(results[0].to_owned(), format!("{name}({operands})"));
            }
        }
    }
    statements
}

/// A statement with known values and slots replaced by their expressions.
fn written_out(statement: &str, known: &HashMap<String, String>) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut result = String::new();
    let mut rest = statement;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(1);
        let (token, tail) = rest.split_at(end);
        match (known.get(token), token.strip_prefix("slot").and_then(|n| n.parse::<usize>().ok())) {
            (Some(value), _) => result += value,
            (_, Some(slot)) => result += &format!("r{}.{}", slot / 4, ["x", "y", "z", "w"][slot % 4]),
            _ => result += token,
        }
        rest = tail;
    }
    result
}

#[test]
fn constant_buffers_are_read_in_one_span() {
    assert_eq!(
        accesses("dcl_constantbuffer cb0[9], immediateIndexed\nmov r0.xyz, cb0[r1.x + 2].zyzz\nmov r0.w, cb0[8].w"),
        [
            "load res0[iadd(r1.x, 2) + 4]",
            "r0.x = a0.1",
            "r0.y = a0.0",
            "r0.z = a0.1",
            "load res0[8 + 12]",
            "r0.w = a1.0"
        ]
    );
}

#[test]
fn loads_read_the_window_that_the_swizzle_names() {
    let declared =
        "dcl_resource_raw t0\ndcl_resource_structured t1, 16\ndcl_tgsm_structured g0, 8, 4\ndcl_tgsm_raw g1, 64\n";
    let check = |line: &str, expected: &[&str]| assert_eq!(accesses(&format!("{declared}{line}")), expected, "{line}");
    check("ld_raw r0.xy, r1.x, t0.xyxx", &["load res0[r1.x]", "r0.x = a0.0", "r0.y = a0.1"]);
    check("ld_raw r0.yw, l(8), t0.xzxy", &["load res0[12]", "r0.y = a0.1", "r0.w = a0.0"]);
    // At a computed offset the window begins at its start, so that the address cannot wrap.
    check("ld_raw r0.x, r1.x, t0.y", &["load res0[r1.x]", "r0.x = a0.1"]);
    check("ld_structured r0.z, r1.x, l(4), t1.xxyx", &["load res1[r1.x + 8]", "r0.z = a0.0"]);
    check("ld_structured r0.x, r1.x, r1.y, g0.x", &["load g0[r1.x + r1.y]", "r0.x = a0.0"]);
    check("ld_raw r0.x, -r1.x, g1.x", &["load g1[isub(0, r1.x)]", "r0.x = a0.0"]);
    check("ld_structured_s r0.x, r2.y, r1.x, l(0), t1.x", &["load res1[r1.x + 0]", "r0.x = a0.0", "r2.y = 0xffffffff"]);
    check("check_access_fully_mapped r0.xy, r2.y", &["r0.x = btoi(ine(r2.y, 0))", "r0.y = btoi(ine(r2.y, 0))"]);
}

#[test]
fn stores_write_consecutive_words() {
    let declared = "dcl_uav_raw u0\ndcl_uav_structured u1, 16\ndcl_tgsm_raw g0, 64\n";
    let check = |line: &str, expected: &str| assert_eq!(accesses(&format!("{declared}{line}")), [expected], "{line}");
    check("store_raw u0.x, r1.x, r0.w", "store res0[r1.x], r0.w");
    check("store_raw g0.xyz, l(4), r0.zyxx", "store g0[4], r0.z, r0.y, r0.x");
    check("store_structured u1.xy, r1.x, l(8), r0.yxxx", "store res1[r1.x + 8], r0.y, r0.x");
    check("store_structured u1.xyzw, r1.x, r1.y, r0", "store res1[r1.x + r1.y], r0.x, r0.y, r0.z, r0.w");
}

#[test]
fn atomics_on_every_kind_of_memory() {
    let declared = "dcl_uav_raw u0\ndcl_uav_structured u1, 16\ndcl_uav_typed_texture2d (float,float,float,float) u2\ndcl_tgsm_structured g0, 8, 4\n";
    let check = |line: &str, expected: &[&str]| assert_eq!(accesses(&format!("{declared}{line}")), expected, "{line}");
    check("atomic_imax u0, r1.x, r2.y", &["atomic smax res0[r1.x], r2.y"]);
    check("atomic_umin g0, r1.xyxx, l(7)", &["atomic umin g0[r1.x + r1.y], 7"]);
    check("imm_atomic_exch r0.z, u1, r1.zwzz, r2.x", &["atomic exchange res1[r1.z + r1.w], r2.x", "r0.z = a0.0"]);
    // The comparand comes first.
    check(
        "imm_atomic_cmp_exch r0.x, u0, r1.x, r2.x, r2.y",
        &["atomic compare_exchange res0[r1.x], r2.y compare r2.x", "r0.x = a0.0"],
    );
    check("atomic_cmp_store u0, r1.x, l(1), l(2)", &["atomic compare_exchange res0[r1.x], 2 compare 1"]);
}

#[test]
fn counters_are_noted_in_the_interface() {
    let text = "dcl_temps 2\ndcl_uav_structured u3, 16\ndcl_uav_structured u4, 16\n\
        imm_atomic_alloc r0.x, u3\nimm_atomic_consume r0.y, u4\nret";
    let func = translated(text);
    assert!(func.interface.resources.iter().all(|resource| resource.uses_counter));
    assert_eq!(
        accesses(&text.replace("dcl_temps 2\n", "").replace("\nret", "")),
        ["counter alloc res0", "r0.x = a0.0", "counter consume res1", "r0.y = a1.0"]
    );
}

#[test]
fn texels_and_queries() {
    let declared =
        "dcl_resource_texture2d (float,float,float,float) t0\ndcl_uav_typed_texture2d (float,float,float,float) u0\n";
    let check = |line: &str, expected: &[&str]| assert_eq!(accesses(&format!("{declared}{line}")), expected, "{line}");
    check("ld r0.xy, r1.xyzw, t0.wxyz", &["texel_load res0[r1.x, r1.y] level r1.w", "r0.x = a0.3", "r0.y = a0.0"]);
    check("ld_uav_typed r0.x, r1.yxxx, u0.x", &["texel_load res1[r1.y, r1.x]", "r0.x = a0.0"]);
    check("store_uav_typed u0.xyzw, r1.xyyy, r2.wzyx", &["texel_store res1[r1.x, r1.y], r2.w, r2.z, r2.y, r2.x"]);
    // Without a suffix the answer is floats.
    check(
        "resinfo r0.xw, l(1), t0.yxxw",
        &["query texture_size res0 level 1", "r0.x = bits.f32(utof(a0.1))", "r0.w = bits.f32(utof(a0.3))"],
    );
}

#[test]
fn offsets_move_texel_coordinates() {
    assert_eq!(
        accesses("dcl_resource_texture2d (float,float,float,float) t0\nld_aoffimmi(-1,2,3) r0.x, r1.xyzw, t0.x"),
        ["texel_load res0[iadd(r1.x, 0xffffffff), iadd(r1.y, 2)] level r1.w", "r0.x = a0.0"]
    );
}

#[test]
fn sizes_come_as_integers_or_reciprocals_too() {
    let check = |line: &str, expected: &[&str]| {
        assert_eq!(
            accesses(&format!("dcl_resource_texture2d (float,float,float,float) t0\n{line}")),
            expected,
            "{line}"
        );
    };
    check("resinfo_uint r0.xw, r1.x, t0.xyzw", &["query texture_size res0 level r1.x", "r0.x = a0.0", "r0.w = a0.3"]);
    let one = "0x3f800000";
    check(
        "resinfo_rcpfloat r0.yzw, r1.x, t0.xyzw",
        &[
            "query texture_size res0 level r1.x",
            &format!("r0.y = bits.f32(fdiv({one}, utof(a0.1)))"),
            // A 2D texture has no depth to take the reciprocal of.
            "r0.z = bits.f32(utof(a0.2))",
            "r0.w = bits.f32(utof(a0.3))",
        ],
    );
}

#[test]
fn samples_are_counted_and_placed() {
    let check = |line: &str, expected: &[&str]| {
        let declared = "dcl_resource_texture2dms(4) (float,float,float,float) t0";
        assert_eq!(accesses(&format!("{declared}\n{line}")), expected, "{line}");
    };
    check("sampleinfo r0.x, t0.xyzw", &["query sample_count res0", "r0.x = bits.f32(utof(a0.0))"]);
    check("samplepos r0.xy, t0.yxzw, r1.x", &["query sample_position res0 level r1.x", "r0.x = a0.1", "r0.y = a0.0"]);
}

#[test]
fn barriers_say_what_they_order() {
    assert_eq!(accesses("sync_g_t"), ["barrier threads shared"]);
    assert_eq!(accesses("sync_ugroup"), ["barrier views_group"]);
    assert_eq!(accesses("sync_uglobal_g_t"), ["barrier threads shared views_global"]);
}
