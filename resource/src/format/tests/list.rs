//! Compares the table of formats with Microsoft's lists.

use super::*;
use crate::format::{Encoding, Use};

/// Columns of "Format List" for Direct3D 11.1 (`D3D11_3_Formats_FL11_1.xls` of Microsoft's DirectX-Specs, CC BY 4.0)
/// without the video formats: number, name, bits of a texel, then a mark for each of typed buffer, 1D, 2D, 3D, cube,
/// load, sample, sample_c, gather4, gather4_c, render target, blend, depth-stencil target, typed UAV, UAV store, the
/// atomic operations add, bitwise, compare-store, exchange, signed and unsigned minimum and maximum, load from several
/// samples, and cast within the typeless format above. R is required, o optional, d required of render targets.
const LIST: &str = "
      1 R32G32B32A32_TYPELESS    128 -RRRR-----------------R
      2 R32G32B32A32_FLOAT       128 RRRRRRR-R-RR-RR------RR
      3 R32G32B32A32_UINT        128 RRRRRR----R--RR------RR
      4 R32G32B32A32_SINT        128 RRRRRR----R--RR------RR
      5 R32G32B32_TYPELESS        96 -RRRR-----------------R
      6 R32G32B32_FLOAT           96 RRRRRRo-o-od---------RR
      7 R32G32B32_UINT            96 RRRRRR----o----------RR
      8 R32G32B32_SINT            96 RRRRRR----o----------RR
      9 R16G16B16A16_TYPELESS     64 -RRRR-----------------R
     10 R16G16B16A16_FLOAT        64 RRRRRRR-R-RR-RR------RR
     11 R16G16B16A16_UNORM        64 RRRRRRR-R-RR-RR------RR
     12 R16G16B16A16_UINT         64 RRRRRR----R--RR------RR
     13 R16G16B16A16_SNORM        64 RRRRRRR-R-RR-RR------RR
     14 R16G16B16A16_SINT         64 RRRRRR----R--RR------RR
     15 R32G32_TYPELESS           64 -RRRR-----------------R
     16 R32G32_FLOAT              64 RRRRRRR-R-RR-RR------RR
     17 R32G32_UINT               64 RRRRRR----R--RR------RR
     18 R32G32_SINT               64 RRRRRR----R--RR------RR
     19 R32G8X24_TYPELESS         64 -RR-R-----------------R
     20 D32_FLOAT_S8X24_UINT      64 -RR-R-------R---------R
     21 R32_FLOAT_X8X24_TYPELESS  64 -RR-RRRRRR-----------RR
     22 X32_TYPELESS_G8X24_UINT   64 -RR-RR---------------RR
     23 R10G10B10A2_TYPELESS      32 -RRRR-----------------R
     24 R10G10B10A2_UNORM         32 RRRRRRR-R-RR-RR------RR
     25 R10G10B10A2_UINT          32 RRRRRR----R--RR------RR
     89 R10G10B10_XR_BIAS_A2_UNORM  32 --R-------------------R
     26 R11G11B10_FLOAT           32 RRRRRRR-R-RR-RR------R-
     27 R8G8B8A8_TYPELESS         32 -RRRR-----------------R
     28 R8G8B8A8_UNORM            32 RRRRRRR-R-RR-RR------RR
     29 R8G8B8A8_UNORM_SRGB       32 -RRRRRR-R-RR---------RR
     30 R8G8B8A8_UINT             32 RRRRRR----R--RR------RR
     31 R8G8B8A8_SNORM            32 RRRRRRR-R-RR-RR------RR
     32 R8G8B8A8_SINT             32 RRRRRR----R--RR------RR
     33 R16G16_TYPELESS           32 -RRRR-----------------R
     34 R16G16_FLOAT              32 RRRRRRR-R-RR-RR------RR
     35 R16G16_UNORM              32 RRRRRRR-R-RR-RR------RR
     36 R16G16_UINT               32 RRRRRR----R--RR------RR
     37 R16G16_SNORM              32 RRRRRRR-R-RR-RR------RR
     38 R16G16_SINT               32 RRRRRR----R--RR------RR
     39 R32_TYPELESS              32 -RRRR-----------------R
     40 D32_FLOAT                 32 -RR-R-------R---------R
     41 R32_FLOAT                 32 RRRRRRRRRRRR-RR---R--RR
     42 R32_UINT                  32 RRRRRR----R--RRRRRRRRRR
     43 R32_SINT                  32 RRRRRR----R--RRRRRRRRRR
     44 R24G8_TYPELESS            32 -RR-R-----------------R
     45 D24_UNORM_S8_UINT         32 -RR-R-------R---------R
     46 R24_UNORM_X8_TYPELESS     32 -RR-RRRRRR-----------RR
     47 X24_TYPELESS_G8_UINT      32 -RR-RR---------------RR
     48 R8G8_TYPELESS             16 -RRRR-----------------R
     49 R8G8_UNORM                16 RRRRRRR-R-RR-RR------RR
     50 R8G8_UINT                 16 RRRRRR----R--RR------RR
     51 R8G8_SNORM                16 RRRRRRR-R-RR-RR------RR
     52 R8G8_SINT                 16 RRRRRR----R--RR------RR
     53 R16_TYPELESS              16 -RRRR-----------------R
     54 R16_FLOAT                 16 RRRRRRR-R-RR-RR------RR
     55 D16_UNORM                 16 -RR-R-------R---------R
     56 R16_UNORM                 16 RRRRRRRRRRRR-RR------RR
     57 R16_UINT                  16 RRRRRR----R--RR------RR
     58 R16_SNORM                 16 RRRRRRR-R-RR-RR------RR
     59 R16_SINT                  16 RRRRRR----R--RR------RR
     60 R8_TYPELESS                8 -RRRR-----------------R
     61 R8_UNORM                   8 RRRRRRR-R-RR-RR------RR
     62 R8_UINT                    8 RRRRRR----R--RR------RR
     63 R8_SNORM                   8 RRRRRRR-R-RR-RR------RR
     64 R8_SINT                    8 RRRRRR----R--RR------RR
     65 A8_UNORM                   8 -RRRRRR-R-RR-RR------R-
     67 R9G9B9E5_SHAREDEXP        32 -RRRRRR-R--------------
     68 R8G8_B8G8_UNORM           16 -RRRRRR-R--------------
     69 G8R8_G8B8_UNORM           16 -RRRRRR-R--------------
     70 BC1_TYPELESS               4 --RRR-----------------R
     71 BC1_UNORM                  4 --RRRRR-R-------------R
     72 BC1_UNORM_SRGB             4 --RRRRR-R-------------R
     73 BC2_TYPELESS               8 --RRR-----------------R
     74 BC2_UNORM                  8 --RRRRR-R-------------R
     75 BC2_UNORM_SRGB             8 --RRRRR-R-------------R
     76 BC3_TYPELESS               8 --RRR-----------------R
     77 BC3_UNORM                  8 --RRRRR-R-------------R
     78 BC3_UNORM_SRGB             8 --RRRRR-R-------------R
     79 BC4_TYPELESS               4 --RRR-----------------R
     80 BC4_UNORM                  4 --RRRRR-R-------------R
     81 BC4_SNORM                  4 --RRRRR-R-------------R
     82 BC5_TYPELESS               8 --RRR-----------------R
     83 BC5_UNORM                  8 --RRRRR-R-------------R
     84 BC5_SNORM                  8 --RRRRR-R-------------R
     85 B5G6R5_UNORM              16 oRRRRRR-R-RR-oo------R-
     86 B5G5R5A1_UNORM            16 oRRRRRR-R-oo-oo------o-
     90 B8G8R8A8_TYPELESS         32 -RRRR-----------------R
     87 B8G8R8A8_UNORM            32 RRRRRRR-R-RR---------RR
     91 B8G8R8A8_UNORM_SRGB       32 -RRRRRR-R-RR---------RR
     92 B8G8R8X8_TYPELESS         32 -RRRR-----------------R
     88 B8G8R8X8_UNORM            32 RRRRRRR-R-RR---------RR
     93 B8G8R8X8_UNORM_SRGB       32 -RRRRRR-R-RR---------RR
     94 BC6H_TYPELESS              8 --RRR-----------------R
     95 BC6H_UF16                  8 --RRRRR-R-------------R
     96 BC6H_SF16                  8 --RRRRR-R-------------R
     97 BC7_TYPELESS               8 --RRR-----------------R
     98 BC7_UNORM                  8 --RRRRR-R-------------R
     99 BC7_UNORM_SRGB             8 --RRRRR-R-------------R
    115 B4G4R4A4_UNORM            16 oRRRRRR-R-oo-oo------o-
";

/// "UAV Typed Load" of DirectX-Specs: the only formats that may have loads from typed UAVs.
const UAV_LOADS: &str = "
    R32G32B32A32_FLOAT R32G32B32A32_UINT R32G32B32A32_SINT R16G16B16A16_FLOAT R16G16B16A16_UNORM R16G16B16A16_UINT
    R16G16B16A16_SNORM R16G16B16A16_SINT R32G32_FLOAT R32G32_UINT R32G32_SINT R10G10B10A2_UNORM R10G10B10A2_UINT
    R11G11B10_FLOAT R8G8B8A8_UNORM R8G8B8A8_UINT R8G8B8A8_SNORM R8G8B8A8_SINT R16G16_FLOAT R16G16_UNORM R16G16_UINT
    R16G16_SNORM R16G16_SINT R32_FLOAT R32_UINT R32_SINT R8G8_UNORM R8G8_UINT R8G8_SNORM R8G8_SINT R16_FLOAT R16_UNORM
    R16_UINT R16_SNORM R16_SINT R8_UNORM R8_UINT R8_SNORM R8_SINT A8_UNORM B5G6R5_UNORM B5G5R5A1_UNORM B4G4R4A4_UNORM";

/// Number, name, bits and marks of each format that a view can have; and the typeless format it belongs to, if any.
fn list() -> impl Iterator<Item = (u32, &'static str, u32, &'static [u8], Option<&'static str>)> {
    let mut parent = "";
    LIST.lines().filter(|line| !line.trim().is_empty()).filter_map(move |line| {
        let columns: Vec<_> = line.split_whitespace().collect();
        let [number, name, bits, marks] = columns[..] else { panic!("{line}") };
        // In the other typeless formats only some bits have no type.
        if let Some(layout) = name.strip_suffix("_TYPELESS").filter(|layout| !layout.contains('_')) {
            parent = layout;
            return None;
        }
        let marks = marks.as_bytes();
        let is_cast = marks[22] == b'R';
        Some((number.parse().unwrap(), name, bits.parse().unwrap(), marks, is_cast.then_some(parent)))
    })
}

#[test]
fn the_table_has_the_list() {
    // It is for display scan-out: shaders see no texel of it.
    let listed: Vec<_> = list().filter(|row| row.1 != "R10G10B10_XR_BIAS_A2_UNORM").collect();
    for &(number, name, bits, ..) in &listed {
        let format: Format = name.parse().unwrap_or_else(|_| panic!("{name} is missing"));
        assert_eq!((format.name(), format.dxgi()), (name, number));
        assert_eq!(Format::from_dxgi(number), Some(format));
        let [width, height] = format.block_extents();
        assert_eq!(format.size_bytes() * 8, bits * width * height, "{name}");
    }
    assert_eq!(Format::ALL.len(), listed.len());
    assert_eq!(Format::from_dxgi(1), None);
    assert!("R8G8B8A8".parse::<Format>().is_err());
}

#[test]
fn uses_are_those_of_the_list() {
    use Use::*;
    for &format in Format::ALL {
        let (_, name, _, marks, _) = list().find(|row| row.1 == format.name()).unwrap();
        let columns: [(usize, Use); 22] = [
            (0, Buffer),
            (1, Texture1d),
            (2, Texture2d),
            (3, Texture3d),
            (4, TextureCube),
            (5, Load),
            (6, Sample),
            (7, Compare),
            (8, Sample),
            (9, Compare),
            (10, Target),
            (11, Blend),
            (12, DepthStencil),
            (13, Store),
            (14, Store),
            (15, Atomic),
            (16, Atomic),
            (17, Atomic),
            (18, Exchange),
            (19, Atomic),
            (20, Atomic),
            (21, Texture2dMs),
        ];
        for (column, one) in columns {
            // "Relaxed Format Casting" of DirectX-Specs: typed UAVs of this format are optional too.
            let is_extra = one == Store && name == "B8G8R8A8_UNORM";
            // The column is of loads. Depth buffers may have several samples, and are loaded in other formats.
            let is_extra = is_extra || (one == Texture2dMs && format.allows(DepthStencil));
            assert_eq!(format.allows(one), marks[column] != b'-' || is_extra, "{name} {one:?}");
        }
        let has_loads = UAV_LOADS.split_whitespace().any(|other| other == name);
        assert_eq!(format.allows(Store), has_loads || name == "B8G8R8A8_UNORM", "{name}");
        assert_eq!(format.allows_atomics(), format.allows(Atomic));
    }
}

#[test]
fn families_are_those_of_the_typeless_formats() {
    let parent = |format: Format| list().find(|row| row.1 == format.name()).unwrap().4;
    for &format in Format::ALL {
        if let Some(parent) = parent(format) {
            assert_eq!(format.family(), parent, "{format}");
        }
        for &other in Format::ALL {
            let related = format == other || (parent(format).is_some() && parent(format) == parent(other));
            assert_eq!(format.is_castable_to(other), related, "{format} {other}");
        }
    }
}

/// Functional specification 5.3.9.5.
#[test]
fn some_textures_can_be_written_as_words() {
    let as_words = "R10G10B10A2 R8G8B8A8 B8G8R8A8 B8G8R8X8 R16G16 R32";
    for &format in Format::ALL {
        let is_listed = as_words.split(' ').any(|family| family == format.family());
        for word in [Format::R32_UINT, Format::R32_SINT, Format::R32_FLOAT] {
            assert_eq!(format.is_storable_as(word), is_listed, "{format}");
        }
    }
    assert!(Format::R8G8B8A8_UNORM_SRGB.is_storable_as(Format::R8G8B8A8_UNORM));
    assert!(!Format::R8G8B8A8_UNORM.is_storable_as(Format::R8G8B8A8_UNORM_SRGB));
    assert!(!Format::R8G8B8A8_UNORM.is_storable_as(Format::R16G16_UINT));
    assert!(!Format::R32_UINT.is_storable_as(Format::R8G8B8A8_UINT));
}

#[test]
fn what_is_missing_reads_as_0_0_0_1() {
    for &format in Format::ALL {
        let integer = format.encoding().is_integer();
        let names_alpha = ["A1", "A2", "A8", "A16", "A32", "A4"].iter().any(|alpha| format.name().contains(alpha));
        let has_alpha = names_alpha || ["BC1", "BC2", "BC3", "BC7"].contains(&format.family());
        let alpha = match (has_alpha, integer) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 1f32.to_bits(),
        };
        assert_eq!(format.zero(), [0, 0, 0, alpha], "{format}");
        let channels = format.channels().map(|channel| channel.is_some());
        let found = format.decode(u128::MAX);
        for (channel, is_there) in channels.into_iter().enumerate() {
            assert!(is_there || found[channel] == format.zero()[channel], "{format} {channel}");
        }
        assert_eq!(channels[3], has_alpha, "{format}");
    }
    let [depth, stencil, ..] = Format::D24_UNORM_S8_UINT.channels();
    assert_eq!([depth, stencil], [Some(Encoding::Unorm), Some(Encoding::Uint)]);
}

/// "D3DFORMAT" of Direct3D 9's reference: names list the channels from the highest bit down, U and V are signed, L is
/// luminance, X is unused, and missing components are 1.
#[test]
fn formats_of_direct3d_9_are_what_their_names_say() {
    let ones = [1.0; 4];
    let fifth = 0.2f32;
    // The texel, and the values that a shader sees.
    let rows: [(Format, u128, [f32; 4]); 20] = [
        (Format::X8B8G8R8, 0x00_ff_33_66, [0.4, 0.2, 1.0, 1.0]),
        (Format::X1R5G5B5, 0b0_11111_00000_00000, [1.0, 0.0, 0.0, 1.0]),
        (Format::X4R4G4B4, 0x0_3_6_f, [0.2, 0.4, 1.0, 1.0]),
        (Format::L8, 0x33, [fifth, fifth, fifth, 1.0]),
        (Format::A8L8, 0x66_33, [fifth, fifth, fifth, 0.4]),
        (Format::L16, 0x3333, [fifth, fifth, fifth, 1.0]),
        (Format::G16R16, 0x6666_3333, [0.2, 0.4, 1.0, 1.0]),
        (Format::V8U8, 0x81_7f, [1.0, -1.0, 1.0, 1.0]),
        (Format::V16U16, 0x7fff_8001, [-1.0, 1.0, 1.0, 1.0]),
        // 15 and -15 of 5 bits are 127 and -120 of 8.
        (Format::L6V5U5, 0xfe2f, [1.0, -120.0 / 127.0, 1.0, 1.0]),
        (Format::X8L8V8U8, 0x00_33_81_7f, [1.0, -1.0, 0.2, 1.0]),
        (Format::R16F, 0xc000, [-2.0, 1.0, 1.0, 1.0]),
        (Format::G16R16F, 0x3800_c000, [-2.0, 0.5, 1.0, 1.0]),
        (Format::R32F, 0x4040_0000, [3.0, 1.0, 1.0, 1.0]),
        (Format::G32R32F, 0x3f00_0000_4040_0000, [3.0, 0.5, 1.0, 1.0]),
        // All texels are the first number of their block; green's comes first.
        (Format::ATI2, 0x66 << 64 | 0x33, [0.4, fifth, 1.0, 1.0]),
        // Depths are in all components; the uppermost byte is a stencil.
        (Format::INTZ, 0x33_3333, [fifth; 4]),
        (Format::D16, 0x3333, [fifth; 4]),
        (Format::D24, 0x33_3333, [fifth; 4]),
        (Format::D32F, 0x3e80_0000, [0.25; 4]),
    ];
    assert_eq!(rows.map(|(format, ..)| format), Format::DIRECT3D9);
    for (format, texel, seen) in rows {
        assert_eq!(format.decode(texel).map(f32::from_bits), seen, "{format}");
        if format.block_extents() == [1, 1] {
            assert_eq!(format.encode(seen.map(f32::to_bits)), texel, "{format}");
        }
        assert_eq!((format.dxgi(), format.name().parse::<Format>().ok()), (0, None), "{format}");
        assert!(format.texel_format().is_none() && format.allows(Use::Sample) && !format.allows(Use::Target));
        let relative = Format::ALL.iter().any(|other| other.is_castable_to(format));
        assert!(relative, "{format} is a view of nothing");
        let missing = format.zero().map(f32::from_bits);
        let there = format.channels().map(|channel| channel.is_some());
        assert!((0..4).all(|n| missing[n] == if there[n] { 0.0 } else { ones[n] }), "{format}");
    }
}

#[test]
fn formats_along_the_srgb_curve_have_the_same_texels() {
    let pairs = Format::ALL.iter().filter_map(|&format| Some((format.name(), format.srgb()?.name())));
    let expected: Vec<_> = list().filter_map(|row| Some((row.1.strip_suffix("_SRGB")?, row.1))).collect();
    let mut found: Vec<_> = pairs.collect();
    found.sort_by_key(|(name, _)| expected.iter().position(|(other, _)| other == name));
    assert_eq!(found, expected);
}

/// Codes of 5 bits, from -16 to 15, are in order, and only the ends are -1 and 1.
#[test]
fn signed_codes_of_five_bits_are_all_different() {
    let values: Vec<f32> = (-16_i32..16)
        .map(|code| {
            let [red, ..] = Format::L6V5U5.decode((code & 31) as u128);
            assert_eq!(Format::L6V5U5.encode([red, 0, 0, 0]), (code & 31) as u128);
            f32::from_bits(red)
        })
        .collect();
    assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
    assert_eq!([values[0], values[16], values[31]], [-1.0, 0.0, 1.0]);
    // Within the step between two codes of the number that divides by 16.
    assert!((-16..16).zip(&values).all(|(code, value)| (value - code as f32 / 16.0).abs() <= 1.0 / 16.0));
}
