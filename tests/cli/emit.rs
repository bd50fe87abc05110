//! Tests `brolga run --emit packet`: its comments on samples, which depend on the bindings.

use super::Folder;

/// Filters, compares, and gathers from textures that threads choose.
const SAMPLES: &str = "cs_5_1
dcl_sampler S0[2:2], mode_default, space=0
dcl_sampler S1[4:4], mode_comparison, space=0
dcl_resource_texture2d (float,float,float,float) T0[0:0], space=0
dcl_resource_texture2d (float,float,float,float) T1[7:8], space=0
dcl_uav_raw U0[0:0], space=0
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group 16, 1, 1
utof r0.xy, vThreadID.xxxx
sample_l r1.xyzw, r0.xyxx, T0[0].xyzw, S0[2], l(0.000000)
sample_c_lz r1.y, r0.xyxx, T0[0].xxxx, S1[4], r1.x
sample_c_lz r1.z, r0.xyxx, T1[8].xxxx, S1[4], r1.x
and r0.z, vThreadID.x, l(1)
gather4 r2.xyzw, r0.xyxx, T1[r0.z + 7].xyzw, S0[2].x
ishl r0.z, vThreadID.x, l(4)
store_raw U0[0].xyz, r0.z, r1.xyzx
store_raw U0[0].xyzw, r0.z, r2.xyzw
ret
";

/// 16 x 8 texels of BC1: 64 bytes, and 512 of a copy.
const JOB: &str = "shader = \"samples.cso\"
dispatch = [1, 1, 1]
[t0]
texture2d = { format = \"BC1_UNORM\", width = 16, height = 8 }
file = \"blocks.bin\"
map = MAP
[t7]
texture2d = { format = \"BC7_UNORM\", width = 4, height = 4 }
fill = \"zero\"
[t8]
texture2d = { format = \"R32_FLOAT\", width = 4, height = 4 }
fill = \"zero\"
[s2]
filter = \"linear\"
[s4]
filter = \"comparison_point\"
comparison = \"less\"
[u0]
raw = 256
";

/// The comments on the four samples, in order.
fn said(folder: &Folder, job: &str, more: &[&str]) -> Vec<String> {
    folder.write("job.toml", job);
    let run = folder.brolga(&[&["run", "job.toml", "--emit", "packet"], more].concat());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{}", run.out);
    let samples = run.out.lines().filter(|line| line.contains(" = sample "));
    samples.map(|line| line.rsplit_once("; ").expect("several comments").1.to_owned()).collect()
}

#[test]
fn samples_go_by_packets_or_lane_by_lane_from_copies_or_blocks() {
    let folder = Folder::new();
    folder.write("samples.asm", SAMPLES).write("blocks.bin", [0x5a; 64]);
    assert_eq!(folder.brolga(&["asm", "samples.asm", "-o", "samples.cso"]).code, Some(0));
    let owned = JOB.replace("MAP", "false");
    let expected = |first: &str, gathered: &str| {
        vec![
            format!("t0 with s2: by packets, {first}"),
            "t0 with s4: lane by lane: its format has no depths to compare with".to_owned(),
            "t8 with s4: by packets".to_owned(),
            // For the two formats.
            format!("t7 to t8 with s2: by packets, {gathered}, or by packets"),
        ]
    };
    let copy = "from a copy";
    assert_eq!(said(&folder, &owned, &[]), expected(copy, copy));
    let no_copies = "from blocks: copies may have no bytes";
    assert_eq!(said(&folder, &owned, &["--copy-bytes", "0"]), expected(no_copies, no_copies));
    let little = "from a copy with room for 100 of 512 bytes, else from blocks";
    assert_eq!(said(&folder, &owned, &["--copy-bytes", "100"]), expected(little, copy));
    let mapped = "from blocks: its memory may be written from outside";
    assert_eq!(said(&folder, &JOB.replace("MAP", "true"), &[]), expected(mapped, copy));
}

#[test]
fn a_limit_of_copies_is_a_count_of_bytes() {
    let folder = Folder::new();
    for text in ["64M", "-1", "", "1e9", "18446744073709551616"] {
        let run = folder.brolga(&["run", "job.toml", "--copy-bytes", text]);
        let said = format!("`{text}` is not a count of bytes: give it in digits, as 268435456 for 256 MiB");
        run.fails(2, &[&said]);
    }
}
