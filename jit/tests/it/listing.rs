//! Compares the listings of packets of small shaders with the design.

use brolga_ir::text::{Names, parse, print};
use brolga_ir::verify;
use brolga_jit::listing::{Form, Listing, Remarks, list};
use brolga_jit::{Options, VectorBytes};

fn packets(text: &str) -> Listing {
    let func = verify::verify(parse(text).unwrap()).unwrap();
    let host = Options::host().expect("tests run on x86-64 with SSE4.2");
    // The listing depends on the size of vectors.
    let options = Options { vector_bytes: VectorBytes::Sixteen, ..host };
    let listing = list(&func, &options, Form::Packet, &[], &Remarks::new()).unwrap();
    // Only comments are added.
    assert_eq!(print(&parse(&listing.to_string()).unwrap(), Names::Dense), print(&func, Names::Dense));
    listing
}

/// The comment on the line that begins so.
#[track_caller]
fn said(listing: &Listing, line: &str) -> String {
    let mut found = listing.lines.iter().filter(|found| found.text.trim_start().starts_with(line));
    let text = &found.next().unwrap_or_else(|| panic!("no line `{line}` in\n{listing}")).text;
    assert!(found.next().is_none(), "several lines begin with `{line}` in\n{listing}");
    text.rsplit_once("# ").map_or(String::new(), |(_, comment)| comment.to_owned())
}

#[track_caller]
fn expect(listing: &Listing, expected: &[(&str, &str)]) {
    for (line, comment) in expected {
        assert_eq!(said(listing, line), *comment, "of `{line}` in\n{listing}");
    }
}

#[test]
fn streams_are_vectors_checked_at_the_start() {
    let saxpy = packets(
        r#"function "saxpy" {
  group 64 1 1
  res0 = b0 constant 1
  res1 = t0 structured stride 4
  res2 = u0 structured stride 4
  body {
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: i32 = load res0[v1 + v1]
    v3: f32 = as.f32 v2
    v4: i32 = load res1[v0 + v1]
    v5: f32 = as.f32 v4
    v6: i32 = load res2[v0 + v1]
    v7: f32 = as.f32 v6
    v8: f32 = fmul v3, v5
    v9: f32 = fadd v8, v7
    v10: i32 = bits.f32 v9
    v11: bool = const true
    store res2[v0 + v1], v10 where v11
    return
  }
}"#,
    );
    expect(
        &saxpy,
        &[
            ("# values:", "values: 2 group, 8 packet; segments: 1"),
            ("# segment 0:", "segment 0: 8 packets run it, one after the other"),
            ("v0:", "packet; +1 a lane"),
            ("v1:", ""),
            ("v2:", "group; once; uniform address; unchecked"),
            ("v3:", "group; once"),
            ("v4:", "packet; stride 4; checked ahead"),
            ("v6:", "packet; stride 4; checked ahead"),
            ("v8:", "packet"),
            ("store", "stride 4; checked ahead"),
        ],
    );
}

#[test]
fn divergence_is_masks_and_tests() {
    let listing = packets(
        r#"function "branches" {
  group 60 1 1
  res0 = t0 raw
  res1 = u0 raw
  body {
    v0: i32 = input thread_index
    v1: i32 = const 2
    v2: i32 = shl v0, v1
    v3: i32 = load res0[v2]
    v4: i32 = const 0
    v5: bool = ine v3, v4
    v6: bool = const true
    if v5 {
      store res1[v3], v0 where v6
      yield
    }
    else {
      yield
    }
    v7: i32 = input group_id.x
    v8: bool = ine v7, v4
    if v8 {
      store res1[v2], v3 where v6
      yield
    }
    else {
      yield
    }
    v9: i32 = const 1
    v10: i32 = const 5
    loop l0 (v11: i32 = v4) -> v12: i32 {
      v13: bool = uge v11, v10
      if v13 {
        break l0 v11
      }
      else {
        yield
      }
      v14: i32 = iadd v11, v9
      yield v14
    }
    loop l1 (v15: i32 = v4) -> v16: i32 {
      v17: bool = uge v15, v3
      if v17 {
        break l1 v15
      }
      else {
        yield
      }
      v18: i32 = iadd v15, v9
      yield v18
    }
    store res1[v4], v16 where v6
    store res1[v4], v12 where v6
    return
  }
}"#,
    );
    expect(
        &listing,
        &[
            ("v0:", "packet; +1 a lane; at most 63"),
            ("v2:", "packet; +4 a lane; at most 252"),
            ("v3:", "packet; stride 4; checked ahead"),
            ("if v5", "masks; short arm; skippable arm"),
            ("store res1[v3]", "scattered; masked; lanes checked"),
            ("v7:", "group; once"),
            ("if v8", "branch"),
            // 60 threads do not fill the last packet.
            ("store res1[v2]", "stride 4; masked; one check, and all lanes; lanes checked"),
            ("if v13", "branch"),
            ("loop l0", "variables group; results group; lanes leave together"),
            ("if v17", "exit"),
            ("store res1[v4], v16", "uniform address; masked; lane by lane"),
        ],
    );
    let divergent = said(&listing, "loop l1");
    assert!(divergent.ends_with("lanes leave apart"), "{divergent}");
    assert!(divergent.contains("results packet"), "{divergent}");
}

#[test]
fn barriers_cut_and_values_are_kept() {
    let listing = packets(
        r#"function "barriers" {
  group 64 1 1
  res0 = b0 constant 1
  res1 = u0 raw
  g0 = g0 structured stride 4 count 64
  body {
    v0: i32 = input thread_index
    v1: i32 = const 0
    v2: bool = const true
    v3: i32 = load res1[v1]
    v4: i32 = imul v0, v0
    v5: i32 = load res0[v1 + v1]
    v6: bool = ine v5, v1
    store g0[v0 + v1], v4 where v2
    barrier threads shared
    if v6 {
      barrier threads shared
      yield
    }
    else {
      yield
    }
    v7: i32 = load g0[v0 + v1]
    v8: bool = ine v3, v1
    if v8 {
      barrier threads shared
      yield
    }
    else {
      yield
    }
    v9: i32 = iadd v7, v4
    store res1[v1], v9 where v2
    return
  }
}"#,
    );
    expect(
        &listing,
        &[
            ("# threads", "threads: 64; packets of 8 lanes: 8; vectors of a packet: 2 for 32 bits, 4 for 64"),
            ("# arena", "arena: 256 bytes shared, 128 bytes kept for each packet, no private arrays"),
            // The record begins with the lanes' votes, 32 bytes. A scalar takes 8, a packet 32, from a
            // multiple of 16 on.
            ("v3:", "uniform; kept at 32; uniform address; checked without a branch"),
            ("v4:", "packet; at most 3969; kept at 48"),
            ("v6:", "group; kept for the group; once"),
            ("store g0", "stride 4; unchecked"),
            ("if v6", "cut; known for the group"),
            ("if v8", "cut; packets vote"),
            ("v7:", "packet; kept at 80; stride 4; unchecked"),
            ("store res1", "uniform address; lane by lane"),
        ],
    );
    assert_eq!(listing.to_string().matches("  # cut").count(), 5, "{listing}");
}

#[test]
fn irregular_accesses_say_how_they_go() {
    let listing = packets(
        r#"function "accesses" {
  group 8 1 1
  res0 = t0[4] structured stride 4
  res1 = u0 raw
  res2 = u1 typed texture2d float
  x0 = x0 registers 4 components 4
  g0 = g0 raw stride 4 count 64
  icb {
    0x00000001 0x00000002 0x00000003 0x00000004
  }
  body {
    v0: i32 = input thread_index
    v1: i32 = const 0
    v2: bool = const true
    v3: i32 = load icb[v0 + v1]
    v4: i32 = load res0.v3[v0 + v1]
    v5: i32 = load res1[v4]
    store x0[v1 + v1], v5 where v2
    store x0[v0 + v1], v5 where v2
    v6: i32 = atomic add res1[v1], v5 where v2
    v7: i32 = atomic add g0[v1], v5 where v2
    v8, v9, v10, v11: i32 = texel_load res2[v0, v1]
    v12, v13, v14, v15: i32 = query texture_size res2 level v1
    v16, v17, v18, v19: i32 = query texture_size res2 level v7
    texel_store res2[v0, v1], v8, v6, v16, v12 where v2
    return
  }
}"#,
    );
    expect(
        &listing,
        &[
            ("# segment 0", "segment 0: one packet runs it"),
            (
                "# arena",
                "arena: 256 bytes shared, 0 bytes kept for each packet, 512 bytes of private arrays for all packets in turn",
            ),
            ("v3:", "packet; stride 16; one check"),
            ("v4:", "packet; view per lane; lane by lane"),
            ("v5:", "packet; scattered; lanes checked"),
            ("store x0[v1", "one row; unchecked"),
            ("store x0[v0", "row per lane"),
            ("v6:", "packet; uniform address; lane by lane"),
            ("v7:", "packet; uniform address; lanes in turn; unchecked"),
            ("v8, v9", "packet; helper"),
            ("v12, v13", "group; once"),
            ("v16, v17", "packet; helper"),
            ("texel_store", "helper"),
        ],
    );
}

/// The names of machine instructions below the first line that begins so, in the assembly of a function.
fn instructions(text: &str, options: &Options, line: &str) -> Vec<String> {
    let func = verify::verify(parse(text).unwrap()).unwrap();
    let listing = list(&func, options, Form::Asm, &[], &Remarks::new()).unwrap();
    let comment = |text: &str| text.trim_start().strip_prefix(';').map(|comment| comment.trim_start().to_owned());
    let mut lines = listing.lines.iter().map(|shown| shown.text.as_str());
    lines.by_ref().find(|text| comment(text).is_some_and(|comment| comment.starts_with(line)));
    // An offset and bytes come first. The code for packets that fail a check is further down.
    let code = lines.take_while(|text| comment(text).is_none());
    let found: Vec<String> = code.filter_map(|text| text.split_whitespace().nth(2).map(str::to_owned)).collect();
    assert!(!found.is_empty(), "no code of `{line}` in\n{listing}");
    found
}

/// Facts about an index, and the instructions that vectors have, show in the code.
#[test]
fn words_of_each_lane_take_few_instructions() {
    let text = r#"function "each" {
  group 64 1 1
  packet 8
  res0 = u0 structured stride 4
  res1 = t0 structured stride 4
  res2 = t1 structured stride 16
  x0 = x0 registers 8 components 4
  body {
    v0: i32 = input thread_index
    v1: i32 = const 0
    v2: i32 = const 4
    v3: i32 = const 7
    v4: bool = const true
    v5: i32 = load res1[v0 + v1]
    v6: i32 = and v5, v3
    store x0[v6 + v2], v5 where v4
    v7: i32 = load x0[v6 + v1]
    v8: i32 = load res1[v5 + v1]
    v9: i32 = smax v5, v1
    v10, v11, v12: i32 = load res2[v5 + v1]
    v13: i32 = iadd v7, v8
    v14: i32 = iadd v10, v11
    v15: i32 = iadd v13, v14
    v16: i32 = iadd v15, v12
    store res0[v0 + v1], v16 where v4
    return
  }
}"#;
    let host = Options::host().expect("tests run on x86-64 with SSE4.2");
    let widest = Options { vector_bytes: VectorBytes::ThirtyTwo, ..host };
    let lines = ["store x0[v6", "v7: i32", "v8: i32", "v10, v11, v12: i32"];
    for features in host.features.subsets() {
        let options = Options { features, ..widest };
        let [store, row, word, three] = lines.map(|line| instructions(text, &options, line));
        let count = |found: &[String], name: &str| found.iter().filter(|found| found.as_str() == name).count();
        // Rows are a power of two of bytes, and the index is known to be below 8.
        for found in [&store, &row] {
            let are_short = !found.iter().any(|name| name.contains("mul") || name.starts_with("set"));
            assert!(are_short && found.len() < 60, "{features:?}: {found:?}");
        }
        // One instruction for all lanes of a vector, of each word.
        let gathers = [&row, &word, &three].map(|found| count(found, "vpgatherdd"));
        assert_eq!(gathers, if features.gathers { [1, 1, 3] } else { [0; 3] }, "{features:?}");
        if options.features.avx2 && features.fma && !features.gathers {
            // The fourth word is read with them: eight reads of sixteen bytes, and no others.
            assert_eq!(count(&three, "vmovdqu"), 8, "{three:?}");
        }
    }
}

/// Lanes are compared if their words are usually adjacent.
#[test]
fn clamped_neighbours_are_compared() {
    let listing = packets(
        r#"function "neighbours" {
  group 64 1 1
  res0 = u0 structured stride 4
  res1 = t0 structured stride 4
  res2 = t1 raw
  body {
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: i32 = const 1
    v3: i32 = const 2
    v4: i32 = const 60
    v5: bool = const true
    v6: i32 = isub v0, v2
    v7: i32 = smax v6, v1
    v8: i32 = load res1[v7 + v1]
    v9: i32 = umin v6, v4
    v10: i32 = shl v9, v3
    v11: i32 = load res2[v10]
    v12: i32 = shl v7, v2
    v13: i32 = load res1[v12 + v1]
    v14: i32 = load res1[v8 + v1]
    v15: i32 = iadd v11, v13
    v16: i32 = iadd v15, v14
    store res0[v0 + v1], v16 where v5
    return
  }
}"#,
    );
    expect(
        &listing,
        &[
            ("v8:", "packet; scattered; usually side by side; lanes checked"),
            ("v11:", "packet; scattered; usually side by side; lanes checked"),
            // Every other word, and any word.
            ("v13:", "packet; scattered; lanes checked"),
            ("v14:", "packet; scattered; lanes checked"),
        ],
    );
}
