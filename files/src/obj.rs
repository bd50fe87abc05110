//! Reads meshes from Wavefront's .obj files: polygons become triangles with positions, normals and texture coordinates.
//!
//! * Positions and the order of vertices are kept: usually y is up, the space is right-handed, and front faces are
//!   wound counter-clockwise.
//! * `v` of texture coordinates becomes 1 - v: files count it from the lower edge of a picture, Direct3D from the upper
//!   one.
//! * Vertices without a normal get that of their polygon, or in a smoothing group (`s 1`) the mean of the group's
//!   polygons at that position, weighted by their areas. Vertices without texture coordinates get 0, 0.
//! * Polygons become triangle fans around their first vertex, which is right for convex ones. Lines, points, curves,
//!   materials and names are ignored.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::path::Path;

use brolga_runtime::room::push;
use brolga_runtime::{CancelToken, ResourceError};

use super::until::go_on;
use super::{FileError, FileProblem, at, input, short};

/// Lines, faces or vertices that are processed between two checks of the token.
const PIECE: usize = 1 << 12;

/// The maximum size of a line in bytes, including continuations: a polygon of tens of thousands of vertices.
const MOST_LINE: usize = 1 << 20;

/// Keywords of lines that are ignored.
const IGNORED: &[&str] = &[
    "o",
    "g",
    "mg",
    "l",
    "p",
    "vp",
    "mtllib",
    "usemtl",
    "maplib",
    "usemap",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "cstype",
    "deg",
    "bmat",
    "step",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "ctech",
    "stech",
];

/// Triangles, as a vertex buffer and a 32-bit index buffer.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Mesh {
    /// Position x, y, z, normal x, y, z, texture coordinates u, v.
    pub vertices: Vec<[f32; 8]>,
    /// Three for each triangle.
    pub indices: Vec<u32>,
}

impl Mesh {
    /// Bytes from one vertex to the next.
    pub const STRIDE_BYTES: u32 = 32;

    /// The maximum size of a file in bytes: its triangles may take thirty times as much memory.
    pub const MOST_BYTES: u64 = 256 << 20;

    /// Reads an .obj file. `most` bounds the bytes of the vertices and indices.
    ///
    /// # Errors
    /// If it cannot be read, a line is invalid, a face has an index out of range, a number is not finite, or there is
    /// no face.
    pub fn load(path: impl AsRef<Path>, most: u64) -> Result<Self, FileError> {
        let (path, cancel) = (path.as_ref(), CancelToken::new());
        at(path, || Self::parse_until(&input::read(path, Self::MOST_BYTES)?, most, &cancel))
    }

    /// Reads the content of such a file.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(text: &[u8], most: u64) -> Result<Self, FileProblem> {
        Self::parse_until(text, most, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As [`Self::load`], or [`FileProblem::Stopped`].
    pub fn parse_until(text: &[u8], most: u64, cancel: &CancelToken) -> Result<Self, FileProblem> {
        let file = Lines::parse(text, cancel)?;
        let smooth = file.smooth_normals(cancel)?;
        let (mut mesh, mut vertex_indices) = (Self::default(), HashMap::new());
        for (number, face) in (0..).zip(&file.faces) {
            if (number as usize).is_multiple_of(PIECE) {
                go_on(cancel)?;
            }
            let face_vertices = &file.face_vertices[face.first..][..face.count];
            let flat = direction(file.area(face_vertices, cancel)?);
            let mut index_of = |face_vertex: &FaceVertex| {
                grow(&mut vertex_indices)?;
                let normal = match (face_vertex.normal, face.smoothing) {
                    (Some(normal), _) => Normal::Given(normal),
                    (None, 0) => Normal::OfFace(number),
                    (None, group) => Normal::Smooth(group),
                };
                Ok::<_, FileProblem>(match vertex_indices.entry((face_vertex.position, face_vertex.texcoord, normal)) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let [x, y, z] = file.positions[face_vertex.position as usize];
                        let [nx, ny, nz] = match normal {
                            Normal::Given(normal) => file.normals[normal as usize],
                            Normal::OfFace(_) => flat,
                            Normal::Smooth(group) => direction(smooth[&(face_vertex.position, group)]),
                        };
                        let [u, v] = face_vertex.texcoord.map_or([0.0; 2], |n| file.texcoords[n as usize]);
                        push(&mut mesh.vertices, [x, y, z, nx, ny, nz, u, v])?;
                        *new.insert(mesh.vertices.len() as u32 - 1)
                    }
                })
            };
            let [first, mut last] = [index_of(&face_vertices[0])?, index_of(&face_vertices[1])?];
            for (n, face_vertex) in face_vertices[2..].iter().enumerate() {
                if n % PIECE == PIECE - 1 {
                    go_on(cancel)?;
                }
                let next = index_of(face_vertex)?;
                [first, last, next].into_iter().try_for_each(|index| push(&mut mesh.indices, index))?;
                last = next;
            }
            let bytes = mesh.vertices.len() as u64 * u64::from(Self::STRIDE_BYTES) + mesh.indices.len() as u64 * 4;
            if bytes > most {
                return Err(FileProblem::TooLarge { what: "its triangles have at least", bytes, limit: most });
            }
        }
        Ok(mesh)
    }
}

/// The source of a vertex's normal: vertices of faces that agree in it can be shared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Normal {
    Given(u32),
    OfFace(u32),
    Smooth(u32),
}

/// The content of the lines of a file.
#[derive(Default)]
struct Lines {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    texcoords: Vec<[f32; 2]>,
    face_vertices: Vec<FaceVertex>,
    faces: Vec<Face>,
}

/// A vertex of a face: its indices, counted from 0.
struct FaceVertex {
    position: u32,
    texcoord: Option<u32>,
    normal: Option<u32>,
}

/// A polygon of at least three vertices.
struct Face {
    first: usize,
    count: usize,
    /// The smoothing group; 0 for none.
    smoothing: u32,
}

impl Lines {
    fn parse(text: &[u8], cancel: &CancelToken) -> Result<Self, FileProblem> {
        let (mut found, mut smoothing) = (Self::default(), 0);
        let (mut lines, mut number) = (text.split(|&byte| byte == b'\n'), 0_usize);
        while let Some(line) = lines.next() {
            if number.is_multiple_of(PIECE) || line.len() > PIECE {
                go_on(cancel)?;
            }
            number += 1;
            let here = number;
            let mut line = characters(line, here)?;
            // The line continues on the next one.
            if begun(&line).is_some() {
                let mut whole = String::new();
                while let Some(part) = begun(&line) {
                    whole.push_str(part);
                    line = characters(lines.next().unwrap_or_default(), here)?;
                    number += 1;
                    if number.is_multiple_of(PIECE) {
                        go_on(cancel)?;
                    }
                    check_line(whole.len() + line.len(), here)?;
                }
                whole.push_str(&line);
                line = Cow::Owned(whole);
            }
            let read = found.line(&line, &mut smoothing, cancel);
            read.map_err(|problem| match problem {
                FileProblem::Content(message) => FileProblem::from(format!("line {here}: {message}")),
                other => other,
            })?;
        }
        match found.faces.is_empty() {
            true => Err("there is no face in it: a line such as `f 1 2 3`".into()),
            false => Ok(found),
        }
    }

    /// Parses a line.
    fn line(&mut self, line: &str, smoothing: &mut u32, cancel: &CancelToken) -> Result<(), FileProblem> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            None => {}
            Some("v") => push(&mut self.positions, numbers(words, 3)?)?,
            Some("vn") => push(&mut self.normals, numbers(words, 3)?)?,
            Some("vt") => {
                let [u, v] = numbers(words, 1)?;
                push(&mut self.texcoords, [u, 1.0 - v])?;
            }
            Some("f") => {
                let first = self.face_vertices.len();
                for (n, word) in words.enumerate() {
                    if n % PIECE == PIECE - 1 {
                        go_on(cancel)?;
                    }
                    let face_vertex = self.face_vertex(word)?;
                    push(&mut self.face_vertices, face_vertex)?;
                }
                let count = self.face_vertices.len() - first;
                if count < 3 {
                    return Err(format!("a face has at least three corners, not {count}").into());
                }
                push(&mut self.faces, Face { first, count, smoothing: *smoothing })?;
            }
            Some("s") => {
                *smoothing = match words.next() {
                    Some("off") => 0,
                    Some(group) => {
                        let wrong = |_| format!("a smoothing group is a number or `off`, not `{}`", short(group));
                        group.parse().map_err(wrong)?
                    }
                    None => return Err("`s` needs a number or `off`".into()),
                };
            }
            Some(word) if IGNORED.contains(&word) => {}
            Some(word) => return Err(format!("`{}` is no keyword of an .obj file", short(word)).into()),
        }
        Ok(())
    }

    /// A vertex of a face: `position`, `position/texcoord`, `position//normal` or `position/texcoord/normal`.
    fn face_vertex(&self, word: &str) -> Result<FaceVertex, String> {
        let mut parts = word.split('/');
        let lists = [
            (self.positions.len(), "positions"),
            (self.texcoords.len(), "texture coordinates"),
            (self.normals.len(), "normals"),
        ];
        let mut found = [None; 3];
        for (found, (count, what)) in found.iter_mut().zip(lists) {
            let Some(part) = parts.next().filter(|part| !part.is_empty()) else { continue };
            let wrong = |_| format!("`{}` is no corner of a face: expected one such as `1/2/3`", short(word));
            let index: i64 = part.parse().map_err(wrong)?;
            // From the first, or back from the last before this line.
            let from_zero = if index < 0 { index.checked_add_unsigned(count as u64) } else { index.checked_sub(1) };
            let is_there = from_zero.and_then(|n| u32::try_from(n).ok()).filter(|n| (*n as usize) < count);
            *found = Some(is_there.ok_or_else(|| format!("a face names {index} of {count} {what}"))?);
        }
        match (found, parts.next()) {
            ([Some(position), texcoord, normal], None) => Ok(FaceVertex { position, texcoord, normal }),
            _ => Err(format!("`{}` is no corner of a face: expected one such as `1/2/3`", short(word))),
        }
    }

    /// The area of a polygon, as a vector along its normal.
    fn area(&self, face_vertices: &[FaceVertex], cancel: &CancelToken) -> Result<[f64; 3], FileProblem> {
        let position = |face_vertex: &FaceVertex| self.positions[face_vertex.position as usize].map(f64::from);
        let from = position(&face_vertices[0]);
        let way = |face_vertex: &FaceVertex| {
            let to = position(face_vertex);
            [0, 1, 2].map(|axis| to[axis] - from[axis])
        };
        face_vertices[1..].windows(2).enumerate().try_fold([0.0; 3], |sum, (n, pair)| {
            if n % PIECE == PIECE - 1 {
                go_on(cancel)?;
            }
            let [a, b] = [way(&pair[0]), way(&pair[1])];
            let cross = [0, 1, 2].map(|n| a[(n + 1) % 3] * b[(n + 2) % 3] - a[(n + 2) % 3] * b[(n + 1) % 3]);
            Ok([0, 1, 2].map(|axis| sum[axis] + cross[axis] / 2.0))
        })
    }

    /// The sums of areas by positions and smoothing groups, for vertices without a normal.
    fn smooth_normals(&self, cancel: &CancelToken) -> Result<HashMap<(u32, u32), [f64; 3]>, FileProblem> {
        let mut sums = HashMap::new();
        for face in self.faces.iter().filter(|face| face.smoothing != 0) {
            go_on(cancel)?;
            let face_vertices = &self.face_vertices[face.first..][..face.count];
            let area = self.area(face_vertices, cancel)?;
            for (n, face_vertex) in face_vertices.iter().filter(|face_vertex| face_vertex.normal.is_none()).enumerate()
            {
                if n % PIECE == PIECE - 1 {
                    go_on(cancel)?;
                }
                grow(&mut sums)?;
                let sum = sums.entry((face_vertex.position, face.smoothing)).or_insert([0.0; 3]);
                *sum = [0, 1, 2].map(|axis| sum[axis] + area[axis]);
            }
        }
        Ok(sums)
    }
}

/// The text of a line that continues on the next one.
fn begun(line: &str) -> Option<&str> {
    line.trim_end_matches('\r').strip_suffix('\\')
}

/// Rejects a line of `bytes` bytes, the first of which has this number, if it is too long.
fn check_line(bytes: usize, number: usize) -> Result<(), FileProblem> {
    match bytes > MOST_LINE {
        true => Err(format!("line {number}: it has {bytes} bytes, the limit is {MOST_LINE}").into()),
        false => Ok(()),
    }
}

/// A line as text, whatever its bytes are.
fn characters(line: &[u8], number: usize) -> Result<Cow<'_, str>, FileProblem> {
    check_line(line.len(), number)?;
    Ok(String::from_utf8_lossy(line))
}

/// Makes room for one more.
fn grow<K: Eq + Hash, V>(map: &mut HashMap<K, V>) -> Result<(), ResourceError> {
    let size_bytes = 2 * map.capacity() as u64 * size_of::<(K, V)>() as u64;
    map.try_reserve(1).map_err(|_| ResourceError::OutOfMemory { size_bytes })
}

/// The unit vector in a vector's direction; z for a vector without length.
fn direction(vector: [f64; 3]) -> [f32; 3] {
    let length = vector.iter().map(|number| number * number).sum::<f64>().sqrt();
    match length > 0.0 && length.is_finite() {
        true => vector.map(|number| (number / length) as f32),
        false => [0.0, 0.0, 1.0],
    }
}

/// The first numbers of a line, of which `needed` must be there; others are 0.
fn numbers<'t, const N: usize>(mut words: impl Iterator<Item = &'t str>, needed: usize) -> Result<[f32; N], String> {
    let mut found = [0.0; N];
    for (n, number) in found.iter_mut().enumerate() {
        let Some(word) = words.next() else {
            return if n < needed { Err(format!("there are {n} numbers, {needed} are needed")) } else { Ok(found) };
        };
        *number = word.parse().map_err(|_| format!("`{}` is no number", short(word)))?;
        if !number.is_finite() {
            return Err(format!("`{}` is not a finite number of 32 bits", short(word)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use brolga_testing_base::random::Random;

    use super::*;

    fn mesh(text: &str) -> Mesh {
        Mesh::parse(text.as_bytes(), u64::MAX).unwrap()
    }

    #[test]
    fn corners_that_agree_share_a_vertex() {
        let text = "# a square\nmtllib x.mtl\no square\nv 0 0 0 1\nv 1 0 0\r\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 \\\n 0\nvt 1 1\nvt 0 1\n\
                    vn 0 0 1\nusemtl red\nf 1/1/1 2/2/1 3/3/1 4/4/1 # two triangles\n";
        let found = mesh(text);
        assert_eq!(found.indices, [0, 1, 2, 0, 2, 3]);
        assert_eq!(found.vertices[1], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(found.vertices[3], [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        // Counted back from the last one, and without the middle or last indices.
        assert_eq!(mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf -3//1 -2//-1 -1//1").indices, [0, 1, 2]);
        assert_eq!(mesh("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25\nf 1/1 2/1 3/1").vertices[2][6..], [0.25, 1.0]);
    }

    /// Two squares that meet at a right angle, one of which is twice as large.
    const CORNER: &str = "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nv 0 2 0\nv 1 2 0\n";

    #[test]
    fn missing_normals_are_those_of_polygons() {
        let flat = mesh(&format!("{CORNER}s off\nf 1 2 3 4\nf 2 1 5 6\n"));
        assert_eq!(flat.vertices.len(), 8);
        assert_eq!(flat.vertices[0][3..6], [0.0, 1.0, 0.0]);
        assert_eq!(flat.vertices[4][3..6], [0.0, 0.0, -1.0]);
        let smooth = mesh(&format!("{CORNER}s 1\nf 1 2 3 4\nf 2 1 5 6\n"));
        assert_eq!(smooth.vertices.len(), 6);
        let root = 5.0_f32.sqrt().recip();
        for (found, expected) in smooth.vertices[0][3..6].iter().zip([0.0, root, -2.0 * root]) {
            assert!((found - expected).abs() < 1e-6, "{:?}", smooth.vertices[0]);
        }
        let apart = mesh(&format!("{CORNER}s 1\nf 1 2 3 4\ns 2\nf 2 1 5 6\n"));
        assert_eq!(apart.vertices.len(), 8);
        assert_eq!(mesh("v 0 0 0\nv 1 1 1\nf 1 2 1\n").vertices[0][3..6], [0.0, 0.0, 1.0]);
    }

    /// Whatever bytes change, the result is an error or a mesh with valid indices and finite numbers.
    #[test]
    fn damaged_files_do_no_harm() {
        let text = format!("{CORNER}vt 0 1\nvn 0 0 1\ns 1\nf 1/1/1 2/1 3//1 4\nf -1 -2 -3 \\\n -4\ns off\nf 2 1 5 6\n");
        let mut random = Random(5);
        for _ in 0..20_000 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = match random.below(2) {
                    0 => b"0123456789-/. \n\\#vtnfs"[random.below(22)],
                    _ => random.below(256) as u8,
                };
            }
            let Ok(mesh) = Mesh::parse(&bytes, u64::MAX) else { continue };
            assert!(mesh.indices.iter().all(|&index| (index as usize) < mesh.vertices.len()));
            assert!(mesh.indices.len().is_multiple_of(3) && !mesh.indices.is_empty());
            assert!(mesh.vertices.as_flattened().iter().all(|number| number.is_finite()));
        }
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let said = |text: &[u8]| Mesh::parse(text, u64::MAX).unwrap_err().to_string();
        let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (line, expected) in [
            ("f 1 2 4", "line 4: a face names 4 of 3 positions"),
            ("f 1 2 0", "line 4: a face names 0 of 3 positions"),
            ("f 1 2 -4", "line 4: a face names -4 of 3 positions"),
            ("f 1/1 2 3", "line 4: a face names 1 of 0 texture coordinates"),
            ("f 1//9223372036854775807 2 3", "line 4: a face names 9223372036854775807 of 0 normals"),
            ("f 1/-9223372036854775808 2 3", "line 4: a face names -9223372036854775808 of 0 texture coordinates"),
            ("f 1 2 99999999999999999999", "line 4: `99999999999999999999` is no corner of a face"),
            ("f 1 2 3/1/1/1", "line 4: a face names 1 of 0 texture coordinates"),
            ("f 1 2 3////", "line 4: `3////` is no corner of a face"),
            ("f 1 2", "line 4: a face has at least three corners, not 2"),
            ("v 1 2", "line 4: there are 2 numbers, 3 are needed"),
            ("v 1 2 x", "line 4: `x` is no number"),
            ("vn 0 0 nan", "line 4: `nan` is not a finite number of 32 bits"),
            ("v 0 0 1e39", "line 4: `1e39` is not a finite number of 32 bits"),
            ("s on", "line 4: a smoothing group is a number or `off`, not `on`"),
            ("vertex 1", "line 4: `vertex` is no keyword of an .obj file"),
            ("", "there is no face in it: a line such as `f 1 2 3`"),
        ] {
            assert!(said(format!("{three}{line}\n").as_bytes()).starts_with(expected), "{line}: {three}");
        }
        assert!(said(b"\x89PNG\r\n\x1a\n\0\0").contains("line 1: "));
        let large = Mesh::parse(format!("{three}f 1 2 3\n").as_bytes(), 107).unwrap_err();
        assert_eq!(large.to_string(), "its triangles have at least 108 bytes, the limit is 107");
    }

    #[test]
    fn lines_have_an_end_and_a_token_stops_all() {
        let long = [b"v 0 0 0\n# ".to_vec(), vec![b'x'; MOST_LINE]].concat();
        let expected = format!("line 2: it has {} bytes, the limit is {MOST_LINE}", MOST_LINE + 2);
        assert_eq!(Mesh::parse(&long, 1000).unwrap_err().to_string(), expected);
        // In parts it is as long.
        let part = [vec![b'1'; MOST_LINE / 2 + 1], b"\\\n".to_vec()].concat();
        let parts = Mesh::parse(&part.repeat(2), 1000).unwrap_err().to_string();
        assert!(parts.starts_with("line 1: it has ") && parts.ends_with("the limit is 1048576"), "{parts}");
        let cancel = CancelToken::new();
        cancel.cancel();
        assert!(matches!(Mesh::parse_until(b"f 1 2 3", 1000, &cancel), Err(FileProblem::Stopped)));
    }
}
