//! Tests clipping and culling by distances: functional specification, 15.4.1 to 15.4.3.

use brolga::Format;
use brolga::raster::{Fill, PipelineDesc, Topology};
use brolga_testing::random::{Random, seeds};

use super::canvas::{Canvas, Item, SIZE, Vertex, on_both, position, rectangle, vertex};
use super::shaders::{INPUTS, OUTPUTS, shader};

/// Distances of one kind: `Clip` or `Cull`, the register that has them, and its components.
pub type Distances<'a> = (&'a str, u32, &'a str);

/// A vertex shader that writes distances in some components of `o2` and `o3`, as `v2` and `v3` have them.
pub fn with_distances(declared: &[Distances<'_>]) -> Vec<u8> {
    let (mut outputs, mut code) = (OUTPUTS[..2].to_vec(), String::from("mov o0.xyzw, v0.xyzw\nmov o1.xyzw, v1.xyzw"));
    let (mut rows, mut declarations) = (Vec::new(), String::new());
    for &(kind, register, mask) in declared {
        let index = rows.iter().filter(|(other, _)| *other == kind).count();
        let (value, name) = match kind {
            "Clip" => ("CLIPDST", "clip_distance"),
            _ => ("CULLDST", "cull_distance"),
        };
        rows.push((kind, format!("SV_{kind}Distance {index} {mask} {register} {value} float")));
        declarations += &format!("dcl_output_siv o{register}.{mask}, {name}\n");
        code += &format!("\nmov o{register}.{mask}, v{register}.xyzw");
    }
    outputs.extend(rows.iter().map(|(_, row)| row.as_str()));
    let code = format!(
        "dcl_globalFlags refactoringAllowed\n\
         dcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_input v2.xyzw\ndcl_input v3.xyzw\n\
         dcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\n{declarations}{code}"
    );
    shader("vs_5_0", &INPUTS, &outputs, &code)
}

/// A vertex at a position in clip space, with the distances of `o2`, then those of `o3`.
fn corner(place: [f32; 4], distances: [f32; 8]) -> Vertex {
    let [second, third] = [0, 4].map(|n| std::array::from_fn(|of| distances[n + of].to_bits()));
    [place.map(f32::to_bits), [0; 4], second, third]
}

/// The pixels of primitives that such a shader draws.
fn cut_by(declared: &[Distances<'_>], vertices: &[Vertex], set: impl Fn(&mut PipelineDesc)) -> Vec<[u32; 2]> {
    let clipping = with_distances(declared);
    let input = ["SV_Position 0 xyzw 0 POS float"];
    let white = shader("ps_5_0", &input, &[], "dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)");
    let texels = on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
        canvas.draw(Item::new(&clipping, &white, vertices).set(&set));
        canvas.texels(0)
    });
    texels.iter().zip(0..).filter(|(texel, _)| texel[0] != 0).map(|(_, n)| [n % SIZE, n / SIZE]).collect()
}

/// Two distances.
const TWO: [&[Distances<'_>]; 2] = [&[("Clip", 3, "xy")], &[("Cull", 3, "xy")]];

fn two(declared: &[Distances<'_>], w: f32, distances: [[f32; 2]; 3]) -> Vec<[u32; 2]> {
    let vertices = [0, 1, 2].map(|n| {
        let [first, second] = distances[n];
        corner(position(LARGE[n], 0.5, w), [0.0, 0.0, 0.0, 0.0, first, second, 0.0, 0.0])
    });
    cut_by(declared, &vertices, |_| {})
}

const LARGE: [[f32; 2]; 3] = [[-16.0, -16.0], [48.0, -16.0], [-16.0, 48.0]];

/// Pixels whose distance is 0 or more are drawn, in the middle of a triangle.
#[test]
fn clip_distances_cut_pixels() {
    // x - 2.5: exactly 0 at the centers of column 2. And 10 - y.
    let distances = LARGE.map(|[x, y]| [x - 2.5, 10.0 - y]);
    for w in [1.0, 4.0] {
        assert_eq!(two(TWO[0], w, distances), rectangle(2..SIZE, 0..10));
    }
}

/// A distance that is NaN drops the triangle, whatever the others are.
#[test]
fn clip_distances_must_be_numbers() {
    for n in 0..3 {
        let mut distances = [[1.0; 2]; 3];
        distances[n][1] = f32::NAN;
        assert!(two(TWO[0], 1.0, distances).is_empty());
    }
    // So does any of eight.
    for n in 0..8 {
        let mut vertices = LARGE.map(|place| corner(position(place, 0.5, 1.0), [1.0; 8]));
        let all = [("Clip", 2, "xyzw"), ("Clip", 3, "xyzw")];
        assert_eq!(cut_by(&all, &vertices, |_| {}).len(), (SIZE * SIZE) as usize);
        vertices[1][2 + n / 4][n % 4] = f32::NAN.to_bits();
        assert!(cut_by(&all, &vertices, |_| {}).is_empty(), "{n}");
    }
}

/// A triangle is dropped if all of its vertices are beyond one and the same cull distance; NaN is beyond.
#[test]
fn cull_distances_drop_whole_triangles() {
    let all = rectangle(0..SIZE, 0..SIZE);
    let (out, none) = (-1.0, f32::NAN);
    let cull = |distances| two(TWO[1], 1.0, distances);
    assert_eq!(cull([[out, 1.0], [out, 1.0], [0.0, 1.0]]), all);
    assert_eq!(cull([[out, 1.0], [out, out], [1.0, out]]), all);
    assert!(cull([[out, 1.0], [out, 1.0], [out, 1.0]]).is_empty());
    assert!(cull([[1.0, out], [1.0, none], [1.0, out]]).is_empty());
    assert_eq!(cull([[1.0, none], [1.0, none], [1.0, -0.0]]), all);
}

/// Distances of both kinds in one register: those of one drop, those of the other cut.
#[test]
fn clip_and_cull_distances_do_not_mix() {
    let declared = [("Clip", 3, "xy"), ("Cull", 3, "zw")];
    let draw = |culled: [[f32; 2]; 3]| {
        let vertices = [0, 1, 2].map(|n| {
            let ([x, y], [z, w]) = (LARGE[n], culled[n]);
            corner(position(LARGE[n], 0.5, 1.0), [0.0, 0.0, 0.0, 0.0, x - 2.5, 10.0 - y, z, w])
        });
        cut_by(&declared, &vertices, |_| {})
    };
    let cut = rectangle(2..SIZE, 0..10);
    assert_eq!(draw([[1.0; 2]; 3]), cut);
    // Cull distances clip nothing, and drop nothing if one vertex is inside.
    assert_eq!(draw([[-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]]), cut);
    assert_eq!(draw([[f32::NAN, 1.0], [-1.0, 1.0], [1.0, -1.0]]), cut);
    assert!(draw([[1.0, -1.0], [1.0, -1.0], [1.0, -1.0]]).is_empty());
}

/// A half-plane of the screen, in pixels, such that neither its edge nor the edge's rounding meets a center.
#[derive(Clone, Copy)]
struct HalfPlane {
    right: i32,
    down: i32,
    from: f32,
}

impl HalfPlane {
    fn random(random: &mut Random) -> Self {
        let step = |random: &mut Random| random.below(7) as i32 - 3;
        let (right, down) = (step(random), step(random));
        // At centers the sum of both products is a multiple of a half, the line lies a quarter away.
        let [x, y] = [random.below(16) as i32, random.below(16) as i32];
        Self { right, down, from: (right * x + down * y) as f32 + 0.25 }
    }

    fn of(self, [x, y]: [f32; 2]) -> f32 {
        self.right as f32 * x + self.down as f32 * y - self.from
    }

    fn has(self, [x, y]: &[u32; 2]) -> bool {
        self.of([*x as f32 + 0.5, *y as f32 + 0.5]) > 0.0
    }
}

/// Distances are linear in space, not on the screen: times w, that of a line on the screen is 0 along it, however far
/// away the vertices are. The rest of a primitive is its pixels inside all the half-planes, as many as there are
/// distances; its edges stay.
#[test]
fn distances_cut_along_lines() {
    for seed in seeds(0..60) {
        let mut random = Random(seed);
        let small = random.one_in(2);
        let mut number = |least: f32, most: f32| least + (most - least) * random.below(1 << 16) as f32 / 65536.0;
        // Small triangles are set up in another way than large ones.
        let middle = [number(3.0, 13.0), number(3.0, 13.0)];
        let reach = if small { 3.5 } else { 30.0 };
        let places = [0; 3].map(|_| [middle[0] + number(-reach, reach), middle[1] + number(-reach, reach)]);
        let w = [0; 3].map(|_| number(0.25, 4.0));
        // One vertex may be in front of the near plane.
        let z = [number(-0.5, 0.5), number(0.25, 0.75), number(0.25, 0.75)];
        let count = 1 + random.below(8);
        let sides: Vec<HalfPlane> = (0..count).map(|_| HalfPlane::random(&mut random)).collect();
        let vertices: Vec<Vertex> = (0..3)
            .map(|n| {
                let distance = |of: usize| sides.get(of).map_or(1.0, |side| side.of(places[n]) * w[n]);
                corner(position(places[n], z[n], w[n]), std::array::from_fn(distance))
            })
            .collect();
        let all = [("Clip", 2, "xyzw"), ("Clip", 3, "xyzw")];
        for (topology, fill) in [
            (Topology::TriangleList, Fill::Solid),
            (Topology::TriangleList, Fill::Wireframe),
            (Topology::LineStrip, Fill::Solid),
            (Topology::PointList, Fill::Solid),
        ] {
            let set = |desc: &mut PipelineDesc| (desc.topology, desc.rasterizer.fill) = (topology, fill);
            let found = cut_by(&all, &vertices, set);
            let mut expected = whole(&vertices, set);
            // The attributes of a line or a point are those of its own position, which may be up to half a pixel away
            // from the center.
            let is_near = |pixel: &[u32; 2]| {
                let on_place = |side: &HalfPlane| {
                    let center = [pixel[0] as f32 + 0.5, pixel[1] as f32 + 0.5];
                    side.of(center).abs() <= 0.51 * (side.right.abs() + side.down.abs()) as f32
                };
                sides.iter().any(on_place)
            };
            let is_open =
                |pixel: &[u32; 2]| (topology, fill) != (Topology::TriangleList, Fill::Solid) && is_near(pixel);
            expected.retain(|pixel| sides.iter().all(|side| side.has(pixel)) && !is_open(pixel));
            let found: Vec<_> = found.into_iter().filter(|pixel| !is_open(pixel)).collect();
            assert_eq!(found, expected, "seed {seed}: {topology:?} {fill:?}");
        }
    }
}

/// The pixels without distances.
fn whole(vertices: &[Vertex], set: impl Fn(&mut PipelineDesc)) -> Vec<[u32; 2]> {
    let plain: Vec<Vertex> = vertices.iter().map(|corner| vertex(corner[0].map(f32::from_bits), [0.0; 4])).collect();
    cut_by(&[], &plain, set)
}

/// Along a line with one end further away a distance is 0 where it is in space.
#[test]
fn distances_cut_lines_where_they_are_in_space() {
    // Half of the way in space from w = 1 to w = 4, which is 4/5 of that on the screen: x = 12.8.
    let ends = [([0.0, 4.5], 1.0, 1.0), ([16.0, 4.5], 4.0, -1.0)];
    let vertices =
        ends.map(|(place, w, distance)| corner(position(place, 0.5, w), [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, distance]));
    let all = [("Clip", 2, "xyzw"), ("Clip", 3, "xyzw")];
    let found = cut_by(&all, &vertices, |desc| desc.topology = Topology::LineList);
    assert_eq!(found, rectangle(0..13, 4..5));
    // Two that leave nothing between them.
    let vertices = ends.map(|(place, w, distance)| {
        corner(position(place, 0.5, w), [1.0, 1.0, distance, 1.0, 1.0, -distance, 1.0, 1.0])
    });
    assert!(cut_by(&all, &vertices, |desc| desc.topology = Topology::LineList).is_empty());
}
