//! First values of constant buffers. In a dispatch they are what the source says, else zero, unless the shader does not
//! end with that. In a draw something shall be seen: matrices show what is drawn, places and lamps are beside it, and
//! all other numbers are 1, unless the source gives them values.
//!
//! A number is 1 in its own type: 1.0 as the bits of an integer is over a billion, and shaders count to their integers.

use brolga_bytecode::info::{Constants, Location, Variable};

use super::camera::{Camera, IDENTITY, Matrix, Product};
use super::part::Part;
use super::type_name::{TypeName, element_words, whole_registers, words_before};
use super::uses::Vector;
use crate::model::number::NumberType;

/// Words of a register, where elements of arrays begin.
pub(super) const REGISTER: usize = 4;

/// From where things are seen, and how that gets into the vertex shader.
pub(super) struct Seen<'a> {
    pub camera: &'a Camera,
    /// Where the matrix is that makes the whole way to the screen, where the names of matrices do not say it.
    whole: Option<Vector>,
    /// The value of integers.
    integer: u32,
}

impl<'a> Seen<'a> {
    /// How a vertex shader sees things.
    pub fn new(camera: &'a Camera, vertex: &Part) -> Self {
        let (mut named, placing) = (Vec::new(), &vertex.uses.placing);
        let mut buffers: Vec<u32> = placing.iter().map(|(buffer, _)| *buffer).collect();
        buffers.dedup();
        for buffer in buffers {
            let described = vertex.described(brolga_runtime::Register::b(buffer), "cbuffer");
            for variable in described.iter().flat_map(|described| &described.variables) {
                matrices(variable, variable.location_words(), &mut |name, at| {
                    let place = (buffer, (at / REGISTER) as u32);
                    if at.is_multiple_of(REGISTER) && placing.contains(&place) {
                        named.push((Product::named(name), place));
                    }
                });
            }
            if described.is_none() {
                let has_four = |place: &&Vector| (1..4).all(|n| placing.contains(&(place.0, place.1 + n)));
                let first = placing.iter().filter(|place| place.0 == buffer).find(has_four);
                named.extend(first.map(|place| (Product::default(), *place)));
            }
        }
        let has =
            |wanted: fn(&Product) -> bool| named.iter().find(|(product, _)| wanted(product)).map(|(_, place)| *place);
        let (view, projection) = (has(|product| product.view), has(|product| product.projection));
        let unnamed = has(|product| *product == Product::default());
        let whole = match (view, projection) {
            (Some(_), Some(_)) => None,
            _ => projection.or(view).or(unnamed).or(named.first().map(|(_, place)| *place)),
        };
        Self { camera, whole, integer: 1 }
    }

    /// Nothing is seen of a dispatch: floats are 1, and integers what is said.
    pub fn of_dispatch(integer: u32) -> Self {
        Self { camera: &Camera::FLAT, whole: None, integer }
    }
}

/// The matrices of 4 x 4 in a variable that is at a word, with their names.
fn matrices(variable: &Variable, at: usize, found: &mut impl FnMut(&str, usize)) {
    if TypeName::parse(&variable.type_name).is_some_and(|name| name.sides() == [4, 4]) {
        found(&variable.name, at);
    }
    for member in &variable.members {
        matrices(member, at.saturating_add(words_before(variable, member)), found);
    }
}

/// Where a variable lies.
pub(super) trait Located {
    /// Its first word; what lies nowhere is beyond any buffer.
    fn location_words(&self) -> usize;
}

impl Located for Variable {
    fn location_words(&self) -> usize {
        match self.location {
            Some(Location::Bytes { offset, .. }) => offset as usize / 4,
            _ => usize::MAX,
        }
    }
}

/// The words of a constant buffer.
pub(super) struct Words(Vec<u32>);

impl Words {
    /// The initial values of the source, and zeros.
    pub fn defaults(vectors: u32, described: Option<&Constants>) -> Self {
        let mut out = Self(vec![0; REGISTER * vectors.max(1) as usize]);
        for variable in described.iter().flat_map(|described| &described.variables) {
            let at = variable.location_words();
            let end = at.saturating_add(variable.default.as_ref().map_or(0, Vec::len));
            // Declarations end with what the shader reads.
            if end <= REGISTER * MOST_VECTORS && end > out.0.len() {
                out.0.resize(end.next_multiple_of(REGISTER), 0);
            }
            for (n, word) in variable.default.iter().flatten().enumerate() {
                out.put(at.saturating_add(n), *word);
            }
        }
        out
    }

    /// Those by which something is seen.
    pub fn shown(vectors: u32, buffer: u32, part: &Part, described: Option<&Constants>, seen: &Seen<'_>) -> Self {
        let mut out = Self::defaults(vectors, described);
        let is_vertex = part.info.stage == brolga_bytecode::sm5::Stage::Vertex;
        let whole = seen.whole.filter(|place| is_vertex && place.0 == buffer).map(|place| place.1);
        let mut writer = Writer { out: &mut out, buffer, part, seen, whole };
        match described {
            Some(described) => {
                for variable in described.variables.iter().filter(|variable| variable.default.is_none()) {
                    writer.variable(variable.location_words(), variable);
                }
            }
            None if part.is_direct3d9() && buffer > 0 => out.0.fill(1),
            None => writer.unknown(),
        }
        out
    }

    /// Takes the words that it does not have from another, which is longer.
    pub fn followed_by(&mut self, other: &Words) {
        self.0.extend(other.0.iter().skip(self.0.len()));
    }

    /// Those from one on.
    pub fn from(&self, at: usize) -> &[u32] {
        self.0.get(at..).unwrap_or_default()
    }

    fn put(&mut self, at: usize, value: u32) {
        if let Some(word) = self.0.get_mut(at) {
            *word = value;
        }
    }
}

/// Vectors of a constant buffer at most.
const MOST_VECTORS: usize = 4096;

/// Writes what variables hold so that something is seen.
struct Writer<'a> {
    out: &'a mut Words,
    buffer: u32,
    part: &'a Part,
    seen: &'a Seen<'a>,
    /// The vector at which the matrix of the whole way begins.
    whole: Option<u32>,
}

impl Writer<'_> {
    /// A buffer of which nothing is known but what instructions do: four vectors each are the identity.
    fn unknown(&mut self) {
        for at in 0..self.out.0.len() {
            let is_one = at / REGISTER % REGISTER == at % REGISTER;
            let is_integer = self.part.uses.integers.contains(&(self.buffer, at));
            let float = if is_one { 1.0_f32 } else { 0.0 };
            self.out.put(at, if is_integer { self.seen.integer } else { float.to_bits() });
        }
        if let Some(whole) = self.whole {
            let name = TypeName::parse("float4x4").expect("it is a matrix");
            self.matrix(whole as usize * REGISTER, name, self.seen.camera.matrix(Product::ALL));
        }
    }

    /// A variable or member whose first element begins at a word.
    fn variable(&mut self, at: usize, variable: &Variable) {
        let stride = whole_registers(element_words(variable));
        for n in 0..variable.elements.unwrap_or(1) as usize {
            let at = at.saturating_add(n.saturating_mul(stride));
            if at >= self.out.0.len() {
                return;
            }
            self.element(at, variable);
        }
    }

    fn element(&mut self, at: usize, variable: &Variable) {
        for member in &variable.members {
            self.variable(at.saturating_add(words_before(variable, member)), member);
        }
        let Some(name) = TypeName::parse(&variable.type_name) else { return };
        if name.lines.is_some() && name.number == NumberType::F32 {
            let is_whole = at.is_multiple_of(REGISTER) && self.whole == Some((at / REGISTER) as u32);
            let product = Product::named(&variable.name);
            let matrix = match name.sides() {
                [4, 4] if is_whole => self.seen.camera.matrix(Product::ALL),
                [4, 4] => self.seen.camera.matrix(product),
                _ => IDENTITY,
            };
            return self.matrix(at, name, matrix);
        }
        let place = match name.number {
            NumberType::F32 if name.components >= 2 => self.seen.camera.vector(&variable.name),
            _ => None,
        };
        for line in 0..name.lines.unwrap_or(1) {
            for component in (0..name.components).filter(|component| name.lines.is_none() || line == *component) {
                let at = at + line * name.line_words() + component * name.number_words();
                match name.number {
                    NumberType::F32 => {
                        let number = place.and_then(|place| place.get(component).copied()).unwrap_or(1.0);
                        self.out.put(at, number.to_bits());
                    }
                    // The low word of 1.0 is 0.
                    NumberType::F64 => self.out.put(at + 1, (1.0_f64.to_bits() >> 32) as u32),
                    _ if name.is_bool => self.out.put(at, 1),
                    _ => self.out.put(at, self.seen.integer),
                }
            }
        }
    }

    /// A matrix, as instructions use it: they hold whole vectors against its rows, or multiply its columns with
    /// numbers. What none uses lies as the source's `mul(vector, matrix)` has it.
    fn matrix(&mut self, at: usize, name: TypeName, matrix: Matrix) {
        let place = (self.buffer, (at / REGISTER) as u32);
        let uses = &self.part.uses;
        let has_rows = uses.dotted.contains(&place) || !(uses.placing.contains(&place) || name.is_row_major);
        let lines = 0..name.lines.unwrap_or(1);
        for (line, component) in lines.flat_map(|line| (0..name.components).map(move |component| (line, component))) {
            let number = if has_rows { matrix[line][component] } else { matrix[component][line] };
            self.out.put(at + line * name.line_words() + component, number.to_bits());
        }
    }
}

#[cfg(test)]
mod tests {
    use brolga_runtime::{Device, Limits, Register};

    use super::super::DraftShader;
    use super::*;

    /// A shader that multiplies positions with four vectors from `first` on, as rows.
    fn part(first: usize) -> Part {
        let rows: String =
            (0..4).map(|n| format!("dp4 o0.{}, v0.xyzw, cb0[{}].xyzw\n", ["x", "y", "z", "w"][n], first + n)).collect();
        let text = format!(
            "// Input signature:\n// Name Index Mask Register SysValue Format Used\n// POSITION 0 xyzw 0 NONE float xyzw\n//\n\
             // Output signature:\n// Name Index Mask Register SysValue Format Used\n\
             // SV_Position 0 xyzw 0 POS float xyzw\n\
             vs_4_0\ndcl_constantbuffer cb0[12], immediateIndexed\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\n{rows}ret\n"
        );
        let container = brolga_bytecode::assembler::assemble(&text, &Default::default()).unwrap().bytes;
        let device = Device::builder().limits(Limits::default()).threads(1).build().unwrap();
        Part::new(&device, &DraftShader { file: "x.cso".as_ref(), container: &container, source: None, wgsl: None })
            .unwrap()
    }

    fn variable(name: &str, offset: u32, elements: Option<u32>, members: Vec<Variable>) -> Variable {
        Variable {
            name: "v".to_owned(),
            type_name: name.to_owned(),
            elements,
            location: Some(Location::Bytes { offset, size: None }),
            is_used: true,
            default: None,
            members,
        }
    }

    fn words(vectors: u32, variables: Vec<Variable>) -> Vec<u32> {
        let described = Constants { kind: "cbuffer", name: "b".to_owned(), size_bytes: None, variables };
        let part = part(0);
        let seen = Seen::of_dispatch(1);
        Words::shown(vectors, 0, &part, Some(&described), &seen).0
    }

    const ONE: u32 = 0x3f80_0000;

    #[test]
    fn each_number_is_one_in_its_own_type() {
        let members = vec![variable("uint", 32, None, vec![]), variable("float2", 48, Some(2), vec![])];
        let found = words(
            11,
            vec![
                variable("int", 0, None, vec![]),
                variable("bool", 4, None, vec![]),
                variable("double", 8, None, vec![]),
                variable("min16float3", 16, None, vec![]),
                // Two elements of three registers: a number, and two vectors.
                variable("struct S", 32, Some(2), members),
                variable("float2x3", 128, None, vec![]),
            ],
        );
        let mut expected = vec![1, 1, 0, 0x3ff0_0000, ONE, ONE, ONE, 0];
        let structure = [1, 0, 0, 0, ONE, ONE, 0, 0, ONE, ONE, 0, 0];
        expected.extend(structure.repeat(2));
        expected.extend([ONE, 0, 0, 0, 0, ONE, 0, 0, 0, 0, 0, 0]);
        assert_eq!(found, expected);
    }

    /// Elements far beyond the buffer, in each other: done at once.
    #[test]
    fn what_is_not_in_the_buffer_is_left_out() {
        let mut nested = variable("uint", 0, Some(65535), vec![]);
        for _ in 0..8 {
            nested = variable("struct S", 0, Some(65535), vec![nested]);
        }
        let far = variable("float4x4", u32::MAX - 3, Some(u32::MAX), vec![]);
        assert!(words(4096, vec![nested, far]).iter().step_by(4).all(|word| *word == 1));
    }

    /// Without names, the matrix is where the position is made.
    #[test]
    fn a_matrix_that_is_used_for_the_position_shows_the_mesh() {
        let mut mesh = brolga_files::Mesh::default();
        mesh.vertices = vec![[90.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [91.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]];
        let (camera, part) = (Camera::of(&mesh), part(4));
        let seen = Seen::new(&camera, &part);
        let words = Words::shown(12, 0, &part, part.described(Register::b(0), "cbuffer"), &seen).0;
        let expected =
            camera.matrix(Product::ALL).as_flattened().iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(words[16..32], expected);
        assert_eq!(words[..6], [ONE, 0, 0, 0, 0, ONE]);
    }
}
