//! Lists the texel formats: one row each, numbered and named as in DXGI, without the prefix.
//!
//! A row gives the format's family, the encoding of its components, the uses that it allows, and the parts of a texel
//! from the lowest bit up with their widths; X is unused. Depth is red and stencil is green, as in the formats through
//! which shaders see them. Everything else follows: size, order of channels, conversions. Formats whose texels do not
//! consist of fields name their channels and a codec.
//!
//! The last rows are formats of textures in Direct3D 9 that DXGI has no number for. Textures have the DXGI format of
//! the same family, and sampled views one of these, which differ in their components: L is luminance, the same red,
//! green and blue, I is that and alpha, and components that a format lacks are 1 ("D3DFORMAT": "The default value for
//! formats that contain undefined channels is 1").

use std::fmt;
use std::str::FromStr;

use super::bc::{Ati2, Bc1, Bc2, Bc3, Bc4, Bc5, Bc6h, Bc7};
use super::codec::{Codec, Described, Encoding, Field, Functions, Parts};
use super::convert::Fields;
use super::pairs::Pair;
use super::shared_exponent::SharedExponent;
use super::uses::{
    ALL, ATOMIC, BLOCKS, BUFFER, COMPARE, DEPTH, DEPTH_READ, EXCHANGE, STORE, TARGET, TEXTURE, Use, Uses,
};

/// A row's facts.
#[derive(Clone, Copy, Debug)]
struct Row {
    dxgi: u32,
    name: &'static str,
    family: &'static str,
    uses: Uses,
    parts: Parts,
    block_extents: [u32; 2],
    size_bytes: u32,
    functions: Functions,
}

const fn row<D: Described>(dxgi: u32, name: &'static str, family: &'static str, sets: &[Uses]) -> Row {
    Row {
        dxgi,
        name,
        family,
        uses: Uses::of_row(sets, D::PARTS.encoding),
        parts: D::PARTS,
        block_extents: D::Codec::EXTENTS,
        size_bytes: D::Codec::SIZE_BYTES,
        functions: Functions::of::<D::Codec>(),
    }
}

const R: &[usize] = &[0];
const G: &[usize] = &[1];
const B: &[usize] = &[2];
const A: &[usize] = &[3];
const L: &[usize] = &[0, 1, 2];
const I: &[usize] = &[0, 1, 2, 3];
const X: &[usize] = &[];

/// A part of a row.
macro_rules! part {
    ($channel:ident) => {
        ($channel, 0, None)
    };
    ($channel:ident $bits:literal) => {
        ($channel, $bits, None)
    };
    ($channel:ident $bits:literal $own:ident) => {
        ($channel, $bits, Some(Encoding::$own))
    };
}

/// The codec of a row: fields unless it names another.
macro_rules! codec {
    () => {
        Fields<Self>
    };
    ($codec:ty) => {
        $codec
    };
}

macro_rules! formats {
    ($($dxgi:literal $name:ident $family:ident $encoding:ident [$($uses:ident)+] $(($($part:tt)+))+ $(as $codec:ty)?;)+) => {
        /// A texel format.
        #[allow(
            non_camel_case_types,
            clippy::upper_case_acronyms,
            missing_docs,
            reason = "the names are Direct3D's and say everything"
        )]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($name,)+
        }

        impl Format {
            /// Every row.
            const ROWS: &[Format] = &[$(Format::$name,)+];

            #[inline]
            const fn row(self) -> &'static Row {
                match self {
                    $(Format::$name => const {
                        &row::<rows::$name>($dxgi, stringify!($name), stringify!($family), &[$($uses),+])
                    },)+
                }
            }
        }

        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "named as the formats")]
        mod rows {
            use super::*;

            $(
                pub struct $name;

                impl Described for $name {
                    const PARTS: Parts = Parts::new(Encoding::$encoding, &[$(part!($($part)+)),+], $dxgi == 0);
                    type Codec = codec!($($codec)?);
                }
            )+
        }
    };
}

#[rustfmt::skip]
formats! {
      2 R32G32B32A32_FLOAT       R32G32B32A32  Float [ALL]                   (R 32) (G 32) (B 32) (A 32);
      3 R32G32B32A32_UINT        R32G32B32A32  Uint  [ALL]                   (R 32) (G 32) (B 32) (A 32);
      4 R32G32B32A32_SINT        R32G32B32A32  Sint  [ALL]                   (R 32) (G 32) (B 32) (A 32);
      6 R32G32B32_FLOAT          R32G32B32     Float [TEXTURE TARGET BUFFER] (R 32) (G 32) (B 32);
      7 R32G32B32_UINT           R32G32B32     Uint  [TEXTURE TARGET BUFFER] (R 32) (G 32) (B 32);
      8 R32G32B32_SINT           R32G32B32     Sint  [TEXTURE TARGET BUFFER] (R 32) (G 32) (B 32);
     16 R32G32_FLOAT             R32G32        Float [ALL]                   (R 32) (G 32);
     17 R32G32_UINT              R32G32        Uint  [ALL]                   (R 32) (G 32);
     18 R32G32_SINT              R32G32        Sint  [ALL]                   (R 32) (G 32);
     41 R32_FLOAT                R32           Float [ALL COMPARE EXCHANGE]  (R 32);
     42 R32_UINT                 R32           Uint  [ALL ATOMIC]            (R 32);
     43 R32_SINT                 R32           Sint  [ALL ATOMIC]            (R 32);

     10 R16G16B16A16_FLOAT       R16G16B16A16  Float [ALL]                   (R 16) (G 16) (B 16) (A 16);
     11 R16G16B16A16_UNORM       R16G16B16A16  Unorm [ALL]                   (R 16) (G 16) (B 16) (A 16);
     13 R16G16B16A16_SNORM       R16G16B16A16  Snorm [ALL]                   (R 16) (G 16) (B 16) (A 16);
     12 R16G16B16A16_UINT        R16G16B16A16  Uint  [ALL]                   (R 16) (G 16) (B 16) (A 16);
     14 R16G16B16A16_SINT        R16G16B16A16  Sint  [ALL]                   (R 16) (G 16) (B 16) (A 16);
     34 R16G16_FLOAT             R16G16        Float [ALL]                   (R 16) (G 16);
     35 R16G16_UNORM             R16G16        Unorm [ALL]                   (R 16) (G 16);
     37 R16G16_SNORM             R16G16        Snorm [ALL]                   (R 16) (G 16);
     36 R16G16_UINT              R16G16        Uint  [ALL]                   (R 16) (G 16);
     38 R16G16_SINT              R16G16        Sint  [ALL]                   (R 16) (G 16);
     54 R16_FLOAT                R16           Float [ALL]                   (R 16);
     56 R16_UNORM                R16           Unorm [ALL COMPARE]           (R 16);
     58 R16_SNORM                R16           Snorm [ALL]                   (R 16);
     57 R16_UINT                 R16           Uint  [ALL]                   (R 16);
     59 R16_SINT                 R16           Sint  [ALL]                   (R 16);

     28 R8G8B8A8_UNORM           R8G8B8A8      Unorm [ALL]                   (R 8) (G 8) (B 8) (A 8);
     29 R8G8B8A8_UNORM_SRGB      R8G8B8A8      Srgb  [TEXTURE TARGET]        (R 8) (G 8) (B 8) (A 8);
     31 R8G8B8A8_SNORM           R8G8B8A8      Snorm [ALL]                   (R 8) (G 8) (B 8) (A 8);
     30 R8G8B8A8_UINT            R8G8B8A8      Uint  [ALL]                   (R 8) (G 8) (B 8) (A 8);
     32 R8G8B8A8_SINT            R8G8B8A8      Sint  [ALL]                   (R 8) (G 8) (B 8) (A 8);
     87 B8G8R8A8_UNORM           B8G8R8A8      Unorm [ALL]                   (B 8) (G 8) (R 8) (A 8);
     91 B8G8R8A8_UNORM_SRGB      B8G8R8A8      Srgb  [TEXTURE TARGET]        (B 8) (G 8) (R 8) (A 8);
     88 B8G8R8X8_UNORM           B8G8R8X8      Unorm [TEXTURE TARGET BUFFER] (B 8) (G 8) (R 8) (X 8);
     93 B8G8R8X8_UNORM_SRGB      B8G8R8X8      Srgb  [TEXTURE TARGET]        (B 8) (G 8) (R 8) (X 8);
     49 R8G8_UNORM               R8G8          Unorm [ALL]                   (R 8) (G 8);
     51 R8G8_SNORM               R8G8          Snorm [ALL]                   (R 8) (G 8);
     50 R8G8_UINT                R8G8          Uint  [ALL]                   (R 8) (G 8);
     52 R8G8_SINT                R8G8          Sint  [ALL]                   (R 8) (G 8);
     61 R8_UNORM                 R8            Unorm [ALL]                   (R 8);
     63 R8_SNORM                 R8            Snorm [ALL]                   (R 8);
     62 R8_UINT                  R8            Uint  [ALL]                   (R 8);
     64 R8_SINT                  R8            Sint  [ALL]                   (R 8);
     65 A8_UNORM                 A8            Unorm [TEXTURE TARGET STORE]  (A 8);

     24 R10G10B10A2_UNORM        R10G10B10A2   Unorm [ALL]                   (R 10) (G 10) (B 10) (A 2);
     25 R10G10B10A2_UINT         R10G10B10A2   Uint  [ALL]                   (R 10) (G 10) (B 10) (A 2);
     26 R11G11B10_FLOAT          R11G11B10     Float [ALL]                   (R 11) (G 11) (B 10);
     67 R9G9B9E5_SHAREDEXP       R9G9B9E5      Float [TEXTURE]               (R) (G) (B) as SharedExponent;
     85 B5G6R5_UNORM             B5G6R5        Unorm [ALL]                   (B 5) (G 6) (R 5);
     86 B5G5R5A1_UNORM           B5G5R5A1      Unorm [ALL]                   (B 5) (G 5) (R 5) (A 1);
    115 B4G4R4A4_UNORM           B4G4R4A4      Unorm [ALL]                   (B 4) (G 4) (R 4) (A 4);
     68 R8G8_B8G8_UNORM          R8G8_B8G8     Unorm [TEXTURE]               (R) (G) (B) as Pair<false>;
     69 G8R8_G8B8_UNORM          G8R8_G8B8     Unorm [TEXTURE]               (R) (G) (B) as Pair<true>;

     40 D32_FLOAT                R32           Float [DEPTH]                 (R 32);
     20 D32_FLOAT_S8X24_UINT     R32G8X24      Float [DEPTH]                 (R 32) (G 8 Uint) (X 24);
     21 R32_FLOAT_X8X24_TYPELESS R32G8X24      Float [DEPTH_READ COMPARE]    (R 32) (X 8) (X 24);
     22 X32_TYPELESS_G8X24_UINT  R32G8X24      Uint  [DEPTH_READ]            (X 32) (G 8) (X 24);
     45 D24_UNORM_S8_UINT        R24G8         Unorm [DEPTH]                 (R 24) (G 8 Uint);
     46 R24_UNORM_X8_TYPELESS    R24G8         Unorm [DEPTH_READ COMPARE]    (R 24) (X 8);
     47 X24_TYPELESS_G8_UINT     R24G8         Uint  [DEPTH_READ]            (X 24) (G 8);
     55 D16_UNORM                R16           Unorm [DEPTH]                 (R 16);

     71 BC1_UNORM                BC1           Unorm [BLOCKS]                (R) (G) (B) (A) as Bc1<Self>;
     72 BC1_UNORM_SRGB           BC1           Srgb  [BLOCKS]                (R) (G) (B) (A) as Bc1<Self>;
     74 BC2_UNORM                BC2           Unorm [BLOCKS]                (R) (G) (B) (A) as Bc2<Self>;
     75 BC2_UNORM_SRGB           BC2           Srgb  [BLOCKS]                (R) (G) (B) (A) as Bc2<Self>;
     77 BC3_UNORM                BC3           Unorm [BLOCKS]                (R) (G) (B) (A) as Bc3<Self>;
     78 BC3_UNORM_SRGB           BC3           Srgb  [BLOCKS]                (R) (G) (B) (A) as Bc3<Self>;
     80 BC4_UNORM                BC4           Unorm [BLOCKS]                (R) as Bc4<Self>;
     81 BC4_SNORM                BC4           Snorm [BLOCKS]                (R) as Bc4<Self>;
     83 BC5_UNORM                BC5           Unorm [BLOCKS]                (R) (G) as Bc5<Self>;
     84 BC5_SNORM                BC5           Snorm [BLOCKS]                (R) (G) as Bc5<Self>;
     95 BC6H_UF16                BC6H          Float [BLOCKS]                (R) (G) (B) as Bc6h<false>;
     96 BC6H_SF16                BC6H          Float [BLOCKS]                (R) (G) (B) as Bc6h<true>;
     98 BC7_UNORM                BC7           Unorm [BLOCKS]                (R) (G) (B) (A) as Bc7<Self>;
     99 BC7_UNORM_SRGB           BC7           Srgb  [BLOCKS]                (R) (G) (B) (A) as Bc7<Self>;

      0 X8B8G8R8                 R8G8B8A8      Unorm [TEXTURE]               (R 8) (G 8) (B 8) (X 8);
      0 X1R5G5B5                 B5G5R5A1      Unorm [TEXTURE]               (B 5) (G 5) (R 5) (X 1);
      0 X4R4G4B4                 B4G4R4A4      Unorm [TEXTURE]               (B 4) (G 4) (R 4) (X 4);
      0 L8                       R8            Unorm [TEXTURE]               (L 8);
      0 A8L8                     R8G8          Unorm [TEXTURE]               (L 8) (A 8);
      0 L16                      R16           Unorm [TEXTURE]               (L 16);
      0 G16R16                   R16G16        Unorm [TEXTURE]               (R 16) (G 16);
      0 V8U8                     R8G8          Snorm [TEXTURE]               (R 8) (G 8);
      0 V16U16                   R16G16        Snorm [TEXTURE]               (R 16) (G 16);
      0 L6V5U5                   B5G6R5        Snorm [TEXTURE]               (R 5) (G 5) (B 6 Unorm);
      0 X8L8V8U8                 R8G8B8A8      Snorm [TEXTURE]               (R 8) (G 8) (B 8 Unorm) (X 8);
      0 R16F                     R16           Float [TEXTURE]               (R 16);
      0 G16R16F                  R16G16        Float [TEXTURE]               (R 16) (G 16);
      0 R32F                     R32           Float [TEXTURE]               (R 32);
      0 G32R32F                  R32G32        Float [TEXTURE]               (R 32) (G 32);
      0 ATI2                     BC5           Unorm [BLOCKS]                (R) (G) as Ati2<Self>;
      0 INTZ                     R24G8         Unorm [DEPTH_READ]            (I 24) (X 8);
      0 D16                      R16           Unorm [DEPTH_READ COMPARE]    (I 16);
      0 D24                      R24G8         Unorm [DEPTH_READ COMPARE]    (I 24) (X 8);
      0 D32F                     R32           Float [DEPTH_READ COMPARE]    (I 32);
}

impl Format {
    /// The rows of DXGI, then those that only Direct3D 9 has.
    const PARTED: (&[Format], &[Format]) = {
        let mut count = 0;
        while Self::ROWS[count].dxgi() != 0 {
            count += 1;
        }
        Self::ROWS.split_at(count)
    };

    /// Every format of DXGI.
    pub const ALL: &[Format] = Self::PARTED.0;

    /// The formats in which samplers of Direct3D 9 see textures where DXGI has no such format: with ones for missing
    /// components, or with luminance. They are for views of textures that have the DXGI format of the same
    /// [family](Self::family), and [`FromStr`] does not know their names.
    pub const DIRECT3D9: &[Format] = Self::PARTED.1;

    /// The name, as in DXGI or `D3DFORMAT` without the prefix.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The number in `DXGI_FORMAT`: 0, unknown, where it has none.
    pub const fn dxgi(self) -> u32 {
        self.row().dxgi
    }

    /// The format of a number in `DXGI_FORMAT`.
    pub fn from_dxgi(number: u32) -> Option<Self> {
        Format::ALL.iter().copied().find(|format| format.dxgi() == number)
    }

    /// The encoding of the components: that of the first where they differ.
    pub const fn encoding(self) -> Encoding {
        self.row().parts.encoding
    }

    /// The encodings of red, green, blue and alpha; `None` for those that the format lacks. Depth is red and stencil
    /// green.
    pub const fn channels(self) -> [Option<Encoding>; 4] {
        self.row().parts.encodings
    }

    /// The positions of red, green, blue and alpha; `None` for those that the format lacks, and for all in formats
    /// whose components are not fields of a texel: the compressed ones, and those that share bits between components or
    /// texels.
    pub const fn fields(self) -> [Option<Field>; 4] {
        self.row().parts.fields
    }

    /// Size in bytes of a block of [`block_extents`](Self::block_extents) texels, usually one texel: 1, 2, 4, 8, 12 or
    /// 16.
    #[inline]
    pub const fn size_bytes(self) -> u32 {
        self.row().size_bytes
    }

    /// Texels along x and y that are stored as one: 4 by 4 in block-compressed formats, 2 by 1 in R8G8_B8G8_UNORM and
    /// G8R8_G8B8_UNORM, else one.
    #[inline]
    pub const fn block_extents(self) -> [u32; 2] {
        self.row().block_extents
    }

    /// The result of a read out of range: zeros in the format's components, and 1 in an alpha that it lacks. In
    /// [Direct3D 9's formats](Self::DIRECT3D9) everything that they lack is 1.
    #[inline]
    pub const fn zero(self) -> [u32; 4] {
        self.row().parts.zero()
    }

    /// True if a texel is one 32-bit integer, which atomics require.
    pub const fn allows_atomics(self) -> bool {
        self.allows(Use::Atomic)
    }

    /// The alignment of a block: its size, or 4 for larger ones.
    pub const fn unit_bytes(self) -> u32 {
        if self.size_bytes() < 4 { self.size_bytes() } else { 4 }
    }
}

/// Families whose textures may also be written and read through UAVs of [`R32`](Format::family) formats, word by word.
const STORED_AS_R32: [&str; 6] = ["R10G10B10A2", "R8G8B8A8", "B8G8R8A8", "B8G8R8X8", "R16G16", "R32"];

impl Format {
    /// True if Direct3D 11 allows this use of the format on any hardware.
    pub const fn allows(self, one: Use) -> bool {
        self.row().uses.has(one)
    }

    /// The name of the family: formats whose texels have the same components of the same widths, and which may see each
    /// other's memory. It is the name of the typeless format without its suffix, as R8G8B8A8, if there is one. A format
    /// without relatives is its own family.
    pub const fn family(self) -> &'static str {
        self.row().family
    }

    /// True if texels of this format may be read or written as `other` through a view: both are of one family.
    pub fn is_castable_to(self, other: Format) -> bool {
        self.family() == other.family()
    }

    /// The format of the same texels with colours along the sRGB curve, if there is one.
    pub fn srgb(self) -> Option<Format> {
        let has_same_channels =
            |other: &Format| (0..4).all(|n| other.channels()[n].is_some() == self.channels()[n].is_some());
        let is_it = |other: &&Format| {
            other.encoding() == Encoding::Srgb && self.is_castable_to(**other) && has_same_channels(other)
        };
        Format::ALL.iter().filter(|_| self.encoding() == Encoding::Unorm).find(is_it).copied()
    }

    /// True if a UAV of format `other` may be made for a texture of this format: one of its family, and for some
    /// families of 32-bit texels R32_UINT, R32_SINT and R32_FLOAT (functional specification 5.3.9.5).
    pub fn is_storable_as(self, other: Format) -> bool {
        let as_word = other.family() == "R32" && STORED_AS_R32.contains(&self.family());
        other.allows(Use::Store) && (as_word || self.is_castable_to(other))
    }

    /// True if the depth test of a pixel function may see a depth buffer of this format as texels of format `other`: as
    /// codes of depths, with stencils above those of 24 bits or in a word of their own.
    pub fn is_testable_as(self, other: Format) -> bool {
        let codes = match self.size_bytes() {
            2 => Format::R16_UINT,
            4 => Format::R32_UINT,
            _ => Format::R32G32_UINT,
        };
        self.allows(Use::DepthStencil) && self.size_bytes() == codes.size_bytes() && other == codes
    }
}

/// Conversions round in the float mode of the calling thread and set none of their own, since callers convert many
/// texels. Brolga calls them in the default one.
impl Format {
    /// The four words of a texel; in a block of several texels, of the first one.
    pub fn decode(self, texel: u128) -> [u32; 4] {
        self.decoder()(texel)
    }

    /// The function behind [`decode`](Self::decode), for callers that read many texels.
    #[inline]
    pub const fn decoder(self) -> fn(u128) -> [u32; 4] {
        self.row().functions.decode
    }

    /// The four words of the texel in column `x` and row `y` of a block; coordinates outside wrap around.
    pub fn decode_texel(self, block: u128, x: u32, y: u32) -> [u32; 4] {
        let [width, height] = self.block_extents();
        (self.row().functions.decode_texel)(block, (x % width + y % height * width) as usize)
    }

    /// The four words of each texel of a block: texel (x, y) is stored at x + y * width, with the width from
    /// [`block_extents`](Self::block_extents). Elements beyond the block's texels are unchanged.
    pub fn decode_block(self, block: u128, texels: &mut [[u32; 4]; 16]) {
        (self.row().functions.decode_block)(block, texels);
    }

    /// The function that expands the texels of a block of several: each as a number of its own, laid out as
    /// [`Layout::of`](super::Layout::of) says, texel (x, y) at x + y * width. `None` where a block is one texel.
    pub fn expander(self) -> Option<fn(u128, &mut [u64; 16])> {
        (self.block_extents() != [1, 1]).then_some(self.row().functions.expand_block)
    }

    /// The decoder of texels that [`expander`](Self::expander) expanded; `None` where a block is a single texel.
    pub fn expanded_decoder(self) -> Option<fn(u64) -> [u32; 4]> {
        (self.block_extents() != [1, 1]).then_some(self.row().functions.expanded_words)
    }

    /// Encodes four words as a texel. Words of channels that the format lacks are ignored. In formats without
    /// [`encoder`](Self::encoder) the result is 0.
    pub fn encode(self, words: [u32; 4]) -> u128 {
        self.encoder().map_or(0, |encode| encode(words))
    }

    /// The function behind [`encode`](Self::encode); `None` where a block has several texels, since nothing in Direct3D
    /// writes such blocks texel by texel.
    #[inline]
    pub const fn encoder(self) -> Option<fn([u32; 4]) -> u128> {
        self.row().functions.encode
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A string that names no known format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a known format: expected a name such as R8G8B8A8_UNORM")]
pub struct UnknownFormat {
    /// The string.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Format::ALL.iter().find(|format| format.name() == name);
        known.copied().ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}
