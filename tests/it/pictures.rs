//! Tests the example scenes, at a quarter of their width and height: both engines draw the same bits on any number of
//! threads.
//!
//! The pictures in `tests/data/pictures` are our own: they show what has changed, and `BROLGA_BLESS=1` rewrites them.
//! Required features of the pictures are computed here from the scenes' geometry, in doubles and without a rasterizer:
//! the position of a shadow, the colour of the sky, the number of triangles, the positions of lamps, the samples that
//! bars cover.

use std::fs;
use std::path::{Path, PathBuf};

use brolga::document::{Outcome, RunOptions};
use brolga::files;
use brolga::{Device, Domain, Engine, Format, OutputPrimitive, Partitioning, TextureShape};
use brolga_raster::tessellation::tessellator::tessellate;
use serde_json::{Value, json};

use super::documents::{bytes, load};

/// The factor by which the examples are wider and higher.
const SMALLER: u64 = 4;
/// Pixels of the pictures here, and of the intermediate ones.
const SIZE: [u32; 2] = [160, 90];
const LARGE: [u32; 2] = [320, 180];

/// A small copy of an example.
struct Example {
    name: &'static str,
    folder: tempfile::TempDir,
    scene: Value,
}

impl Example {
    fn new(name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let example = root().join("examples").join(name);
        for file in fs::read_dir(&example).unwrap().map(|entry| entry.unwrap()) {
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        let mut scene: Value = serde_json::from_slice(&fs::read(example.join("scene.json")).unwrap()).unwrap();
        for (_, resource) in scene["resources"].as_object_mut().unwrap() {
            // Square ones are not pictures.
            if resource.get("width") != resource.get("height") {
                for side in ["width", "height"] {
                    resource[side] = (resource[side].as_u64().unwrap() / SMALLER).into();
                }
            }
        }
        for step in scene["steps"].as_array_mut().unwrap() {
            for groups in step.get_mut("groups").and_then(Value::as_array_mut).into_iter().flatten() {
                *groups = groups.as_u64().unwrap().div_ceil(SMALLER).into();
            }
        }
        scene["expect"] = json!([{
            "id": "picture", "resource": "picture", "tolerance": {"codes": 2, "edge_share": 0.01}, "file": "expected.png"
        }]);
        let mut example = Self { name, folder, scene };
        example.expect_picture();
        example
    }

    /// The picture of the repository; the present one if it is to be rewritten.
    fn expect_picture(&mut self) {
        let kept = root().join("tests/data/pictures").join(format!("{}.png", self.name));
        let expected = self.folder.path().join("expected.png");
        if std::env::var_os("BROLGA_BLESS").is_some() {
            let blank = Device::builder().threads(1).build().unwrap();
            let [width, height] = SIZE;
            let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, width, height);
            files::save_texture(&blank.texture(shape).unwrap(), &expected).unwrap();
            let bytes = bytes(&self.run(Engine::Jit, 1), "picture");
            files::save_texture(&blank.texture_from(shape, &bytes).unwrap(), &kept).unwrap();
        }
        fs::copy(kept, expected).unwrap();
    }

    /// Keeps the texels of another texture too, whatever they are.
    fn look_at(&mut self, resource: &str, texel_bytes: u64) {
        let file = format!("{resource}.bin");
        let size = u64::from(LARGE[0]) * u64::from(LARGE[1]) * texel_bytes;
        fs::write(self.folder.path().join(&file), vec![0; size as usize]).unwrap();
        let any = json!({"wrong_share": 1, "edge_share": 1});
        let expect = json!({"id": resource, "resource": resource, "tolerance": any, "file": file});
        self.scene["expect"].as_array_mut().unwrap().push(expect);
    }

    fn run(&self, engine: Engine, threads: usize) -> Outcome {
        let path = self.folder.path().join("scene.json");
        fs::write(&path, self.scene.to_string()).unwrap();
        let scene = load(&path).unwrap_or_else(|error| panic!("{error}"));
        let device = Device::builder().threads(threads).build().unwrap();
        scene.run(&device, 0, &RunOptions::new(engine)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs it everywhere; all must hold and be the same.
    fn check(&self) -> Outcome {
        let first = self.run(Engine::Jit, 1);
        for (engine, threads) in [(Engine::Jit, 2), (Engine::Jit, 8), (Engine::Interpreter, 2)] {
            assert_eq!(self.run(engine, threads).disagreement(&first), None, "{engine}, threads: {threads}");
        }
        let results = || first.checks.iter().map(|check| (&check.id, &check.result)).collect::<Vec<_>>();
        assert!(first.passed(), "{:?}", results());
        first
    }

    /// The floats of a constant buffer.
    fn constants(&self, name: &str) -> Vec<f64> {
        self.scene["resources"][name]["f32"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a` plus `times` times `b`.
fn along(a: Vector, b: Vector, times: f64) -> Vector {
    [0, 1, 2].map(|n| a[n] + times * b[n])
}

fn cross(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|n| a[(n + 1) % 3] * b[(n + 2) % 3] - a[(n + 2) % 3] * b[(n + 1) % 3])
}

fn unit(a: Vector) -> Vector {
    along([0.0; 3], a, 1.0 / dot(a, a).sqrt())
}

/// The minimum distance of a ray from a point; `None` if the point is behind its start.
fn nearest(start: Vector, way: Vector, place: Vector) -> Option<f64> {
    let to = along(place, start, -1.0);
    let ahead = dot(to, way);
    (ahead > 0.0).then(|| (dot(to, to) - ahead * ahead).max(0.0).sqrt())
}

/// The camera of the examples.
struct Camera {
    eye: Vector,
    zoom: f64,
    aspect: f64,
    /// To the right, up, back.
    axes: [Vector; 3],
}

impl Camera {
    fn new(constants: &[f64]) -> Self {
        let [ex, ey, ez, zoom, x, y, z, aspect] = constants.try_into().unwrap();
        let (eye, back) = ([ex, ey, ez], unit([ex - x, ey - y, ez - z]));
        let right = unit(cross([0.0, 1.0, 0.0], back));
        Self { eye, zoom, aspect, axes: [right, cross(back, right), back] }
    }

    /// The way through the middle of a pixel.
    fn ray(&self, pixel: [u32; 2], size: [u32; 2]) -> Vector {
        self.way_through(pixel.map(|n| f64::from(n) + 0.5), size)
    }

    /// The way through a point of the screen, in pixels.
    fn way_through(&self, [x, y]: [f64; 2], [width, height]: [u32; 2]) -> Vector {
        let right = (2.0 * x / f64::from(width) - 1.0) * self.aspect / self.zoom;
        let up = (1.0 - 2.0 * y / f64::from(height)) / self.zoom;
        let [axis_x, axis_y, axis_z] = self.axes;
        unit(along(along(along([0.0; 3], axis_x, right), axis_y, up), axis_z, -1.0))
    }

    /// The position of a point on the screen, in pixels, and its distance along the view.
    fn project(&self, place: Vector, size: [u32; 2]) -> ([f64; 2], f64) {
        let [x, y, z] = self.axes.map(|axis| dot(axis, along(place, self.eye, -1.0)));
        let seen = [x * self.zoom / self.aspect / -z, -y * self.zoom / -z];
        ([0, 1].map(|n| (seen[n] * 0.5 + 0.5) * f64::from(size[n])), -z)
    }
}

/// The code of a light that the examples show: on the curve of a film, then on that of sRGB.
fn shown_code(light: f64) -> f64 {
    let film = (light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)).clamp(0.0, 1.0);
    255.0 * if film <= 0.0031308 { 12.92 * film } else { 1.055 * film.powf(1.0 / 2.4) - 0.055 }
}

fn pixels([width, height]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    (0..height).flat_map(move |y| (0..width).map(move |x| [x, y]))
}

/// The shadow of the ball lies on the table where the ball is between the table and the light.
#[test]
fn still_life() {
    let example = Example::new("still_life");
    let outcome = example.check();
    let camera = Camera::new(&example.constants("camera"));
    let light: Vector = example.constants("light")[..3].try_into().unwrap();
    let [x, y, z, radius] = example.constants("of_ball")[..4].try_into().unwrap();
    let ball = [x, y, z];
    let (mut lit, mut dark) = (Vec::new(), Vec::new());
    for (pixel, texel) in pixels(SIZE).zip(bytes(&outcome, "picture").chunks(4)) {
        let way = camera.ray(pixel, SIZE);
        let place = along(camera.eye, way, -camera.eye[1] / way[1]);
        let is_hidden = nearest(camera.eye, way, ball).is_some_and(|distance| distance < 1.15 * radius);
        // Nothing else is over there, and the table ends in the dark.
        let is_near = way[1] < 0.0 && place[0] > 1.0 && place[0] < 4.0 && place[2].abs() < 2.0;
        if is_hidden || !is_near {
            continue;
        }
        let brightness: u32 = texel[..3].iter().map(|code| u32::from(*code)).sum();
        match nearest(place, unit(light), ball) {
            Some(distance) if distance < 0.7 * radius => dark.push(brightness),
            Some(distance) if distance < 1.4 * radius => {}
            _ => lit.push(brightness),
        }
    }
    assert!(dark.len() > 40 && lit.len() > 500, "{} in the shadow, {} in the light", dark.len(), lit.len());
    let half = lit.iter().sum::<u32>() / lit.len() as u32 / 2;
    let too_bright = dark.iter().filter(|brightness| **brightness > half).count();
    assert_eq!(too_bright, 0, "of {} pixels in the shadow; half the light is {half}", dark.len());
}

/// The sky follows its formula, and each seed has its eighteen triangles.
#[test]
fn field() {
    let mut example = Example::new("field");
    let values = json!({"ia_primitives": 18 * 3600, "ia_vertices": 3 * 18 * 3600});
    let expect = json!({"id": "triangles", "query": "seeds", "values": values});
    example.scene["expect"].as_array_mut().unwrap().push(expect);
    let outcome = example.check();
    let camera = Camera::new(&example.constants("camera"));
    let sun: Vector = example.constants("field")[..3].try_into().unwrap();
    let shown = |way: Vector| -> [f64; 3] {
        let (up, toward) = ((1.8 * way[1] + 0.85).clamp(0.0, 1.0), dot(way, sun).clamp(0.0, 1.0));
        let glow = 0.35 * toward.powi(6) + 1.2 * toward.powi(60);
        let [low, high, tint] = [[0.75, 0.36, 0.24], [0.05, 0.10, 0.26], [1.0, 0.55, 0.25]];
        [0, 1, 2].map(|n| shown_code(low[n] + (high[n] - low[n]) * up + tint[n] * glow))
    };
    // Rows at the top, where nothing grows.
    for (pixel, texel) in pixels([SIZE[0], 20]).zip(bytes(&outcome, "picture").chunks(4)) {
        for (found, expected) in texel.iter().zip(shown(camera.ray(pixel, SIZE))) {
            assert!((f64::from(*found) - expected).abs() < 1.5, "{pixel:?}: {texel:?}, {expected}");
        }
    }
}

/// The sky of the island follows its formula, above the mountains.
#[test]
fn island() {
    let example = Example::new("island");
    let outcome = example.check();
    let constant = |step: usize, name: &str| -> Vec<f64> {
        let numbers = example.scene["steps"][step]["vs_constants"][name].as_array().unwrap();
        numbers.iter().map(|number| number.as_f64().unwrap()).collect()
    };
    let [ahead, right, up]: [Vector; 3] = ["ahead", "right", "up"].map(|name| constant(1, name).try_into().unwrap());
    let half_texel = constant(3, "half_texel");
    let sun = unit([-0.55, 0.17, 0.9]);
    let shown = |way: Vector| -> [f64; 3] {
        let (height, toward) = (way[1].clamp(0.0, 1.0), dot(way, sun).clamp(0.0, 1.0));
        let (share, beside) = ((height.sqrt() * 1.35).min(1.0), ((toward - 0.9994) / 0.0003).clamp(0.0, 1.0));
        let glow = 0.35 * toward.powi(6) * (1.0 - height)
            + 0.5 * toward.powi(90)
            + 3.0 * beside * beside * (3.0 - 2.0 * beside);
        let [low, high, tint] = [[0.98, 0.62, 0.38], [0.16, 0.28, 0.55], [1.9, 1.25, 0.75]];
        [0, 1, 2].map(|n| {
            let light: f64 = low[n] + (high[n] - low[n]) * share + tint[n] * glow;
            let film = 1.0 - (-1.15 * light).exp();
            let code = if film <= 0.0031308 { 12.92 * film } else { 1.055 * film.powf(1.0 / 2.4) - 0.055 };
            255.0 * code
        })
    };
    for (pixel, texel) in pixels([SIZE[0], 12]).zip(bytes(&outcome, "picture").chunks(4)) {
        // The position at which the filter reads the larger picture, whose first pixel lies at the edge of clip space.
        let place = [0, 1].map(|axis| {
            let at = f64::from(pixel[axis]) / f64::from(SIZE[axis]) + half_texel[axis];
            2.0 * (at - 0.5 / f64::from(LARGE[axis])) - 1.0
        });
        let way = unit(along(along(ahead, right, place[0]), up, -place[1]));
        for (found, expected) in texel.iter().zip(shown(way)) {
            assert!((f64::from(*found) - expected).abs() < 1.5, "{pixel:?}: {texel:?}, {expected}");
        }
    }
}

/// The pool is seen at its ground, and the clear colour around it.
#[test]
fn pool() {
    let example = Example::new("pool");
    let outcome = example.check();
    let numbers = example.scene["resources"]["view"]["f32"].as_array().unwrap();
    let camera: Vec<f64> = numbers.iter().map(|number| number.as_f64().unwrap()).collect();
    // The results for x, z and 1, with y = 0.
    let row = |n: usize| [camera[4 * n], camera[4 * n + 2], camera[4 * n + 3]];
    let (across, up, depth) = (row(0), row(1), row(3));
    let is_pool = |at: [f64; 2]| {
        let (x, y) = (2.0 * at[0] / f64::from(SIZE[0]) - 1.0, 1.0 - 2.0 * at[1] / f64::from(SIZE[1]));
        let [a, b] = [(across, x), (up, y)].map(|(row, place)| [0, 1, 2].map(|n| row[n] - place * depth[n]));
        let area = a[0] * b[1] - a[1] * b[0];
        let (x, z) = ((a[1] * b[2] - a[2] * b[1]) / area, (a[2] * b[0] - a[0] * b[2]) / area);
        (-9.0..9.0).contains(&x) && (-3.0..24.0).contains(&z) && depth[0] * x + depth[1] * z + depth[2] > 0.0
    };
    let mut count = [0; 2];
    for (pixel, texel) in pixels(SIZE).zip(bytes(&outcome, "picture").chunks(4)) {
        // The centres of pixels are at integers.
        let [x, y] = pixel.map(f64::from);
        let around = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].map(|[dx, dy]| is_pool([x + dx, y + dy]));
        let expected = is_pool([x, y]);
        if around == [expected; 4] {
            assert_eq!(texel != [217, 237, 245, 255], expected, "{pixel:?}: {texel:?}");
            count[usize::from(expected)] += 1;
        }
    }
    assert!(count[0] > 1_000 && count[1] > 10_000, "{count:?}");
}

/// Lamps are visible at their positions, unless a column or the knot is in front of them.
#[test]
fn lamps() {
    let mut example = Example::new("lamps");
    example.look_at("glows", 4);
    let outcome = example.check();
    let glows = bytes(&outcome, "glows");
    let camera = Camera::new(&example.constants("camera"));
    let words = fs::read(root().join("examples/lamps/lamps.bin")).unwrap();
    let floats: Vec<f64> = words.chunks(4).map(|word| f32::from_le_bytes(word.try_into().unwrap()).into()).collect();
    let lamps: Vec<[f64; 8]> = floats.chunks(8).map(|lamp| lamp.try_into().unwrap()).collect();
    let place = |lamp: &[f64; 8]| [lamp[0], lamp[1], lamp[2]];
    let mut seen = 0;
    for (n, lamp) in lamps.iter().enumerate() {
        let ([x, y], away) = camera.project(place(lamp), LARGE);
        let radius = lamp[7] * camera.zoom / away * f64::from(LARGE[1]) / 2.0;
        let is_inside = x >= 0.0 && y >= 0.0 && x < f64::from(LARGE[0]) && y < f64::from(LARGE[1]);
        // The middle of its pixel must be well within the ball, which has flat faces.
        if away < 0.2 || !is_inside || radius < 1.5 {
            continue;
        }
        let pixel = [x as u32, y as u32];
        let way = camera.ray(pixel, LARGE);
        let distance = dot(along(place(lamp), camera.eye, -1.0), way);
        let hides = |other: &[f64; 8]| {
            let before = dot(along(place(other), camera.eye, -1.0), way) < distance;
            before && nearest(camera.eye, way, place(other)).is_some_and(|near| near < 1.1 * other[7])
        };
        let is_hidden = lamps.iter().enumerate().any(|(k, other)| k != n && hides(other))
            || nearest(camera.eye, way, [0.0, 1.25, -1.8]).is_some_and(|near| near < 1.4)
            || (0..16).any(|column| {
                let (row, step) = (f64::from(column / 8), f64::from(column % 8));
                let middle = [-3.2 + 6.4 * row, 2.4, 3.0 - 3.6 * step];
                enters(camera.eye, way, middle, [0.45, 2.45, 0.45]).is_some_and(|at| at < distance)
            });
        if is_hidden {
            continue;
        }
        let at = (pixel[1] * LARGE[0] + pixel[0]) as usize * 4;
        let code = u32::from_le_bytes(glows[at..at + 4].try_into().unwrap());
        let found = Format::R11G11B10_FLOAT.decode(code.into()).map(f32::from_bits);
        for (found, expected) in found.iter().zip(&lamp[4..7]) {
            // Five or six binary digits.
            assert!(
                (f64::from(*found) - 2.5 * expected).abs() <= 2.5 * expected / 32.0,
                "{pixel:?}: {found:?}, {lamp:?}"
            );
        }
        seen += 1;
    }
    assert!(seen >= 8, "only {seen} lamps are seen");
}

/// The positions of eight samples in a pixel, in sixteenths from its middle (functional specification, 19.2.4.1).
const SAMPLES: [[f64; 2]; 8] =
    [[1.0, -3.0], [-1.0, 3.0], [5.0, 1.0], [-3.0, -5.0], [-5.0, 5.0], [-7.0, -1.0], [3.0, 7.0], [7.0, -7.0]];

/// A bar of the bridge: a box of any direction.
struct Bar {
    middle: Vector,
    axes: [Vector; 3],
    half: Vector,
}

impl Bar {
    fn new(numbers: &[f64]) -> Self {
        let [a, b, c, wide, d, e, f, high] = numbers[..8].try_into().unwrap();
        let (start, end) = ([a, b, c], [d, e, f]);
        let length = along(end, start, -1.0);
        let ahead = unit(length);
        let across = unit(cross(if ahead[1].abs() > 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] }, ahead));
        let half = [wide, high, dot(length, ahead) / 2.0];
        Self { middle: along(start, length, 0.5), axes: [across, cross(ahead, across), ahead], half }
    }

    /// `true` if a ray meets it, from the near plane on.
    fn is_met(&self, start: Vector, way: Vector) -> bool {
        let from = along(start, self.middle, -1.0);
        let seen = |v: Vector| self.axes.map(|axis| dot(axis, v));
        enters(seen(from), seen(way), [0.0; 3], self.half).is_some_and(|at| at > 0.1)
    }

    /// The pixels that it may cover: their least and greatest columns, then rows.
    fn bounds(&self, camera: &Camera) -> [[f64; 2]; 2] {
        let corner = |n: usize| {
            let sides = [0, 1, 2].map(|axis| if n >> axis & 1 == 0 { -self.half[axis] } else { self.half[axis] });
            (0..3).fold(self.middle, |place, axis| along(place, self.axes[axis], sides[axis]))
        };
        let seen: Vec<_> = (0..8).map(|n| camera.project(corner(n), SIZE)).collect();
        match seen.iter().all(|(_, away)| *away > 0.1) {
            true => [0, 1].map(|n| {
                let places = seen.iter().map(|(place, _)| place[n]);
                places.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
            }),
            // It goes past the camera.
            false => [[f64::NEG_INFINITY, f64::INFINITY]; 2],
        }
    }
}

/// The bridge is where rays through samples meet its bars, even where it is thinner than a pixel, and elsewhere the air
/// follows its formula.
#[test]
fn bridge() {
    let example = Example::new("bridge");
    let outcome = example.check();
    let camera = Camera::new(&example.constants("camera"));
    let sun: Vector = example.constants("weather")[..3].try_into().unwrap();
    let air = |way: Vector| -> [f64; 3] {
        let toward = dot(way, sun).clamp(0.0, 1.0);
        let (up, down) = ((1.8 * way[1] + 0.1).clamp(0.0, 1.0), (-2.5 * way[1]).clamp(0.0, 1.0));
        let glow = 0.3 * toward.powi(5) + 0.9 * toward.powi(30);
        let [low, high, below, tint] = [[0.44, 0.38, 0.38], [0.07, 0.17, 0.38], [0.10, 0.15, 0.21], [1.0, 0.55, 0.25]];
        [0, 1, 2].map(|n| {
            let light: f64 = low[n] + (high[n] - low[n]) * up;
            shown_code(light + (below[n] - light) * down + tint[n] * glow)
        })
    };
    let words = fs::read(root().join("examples/bridge/bars.bin")).unwrap();
    let floats: Vec<f64> = words.chunks(4).map(|word| f32::from_le_bytes(word.try_into().unwrap()).into()).collect();
    let bars: Vec<Bar> = floats.chunks(12).map(Bar::new).collect();
    let bounds: Vec<_> = bars.iter().map(|bar| bar.bounds(&camera)).collect();
    // None, some and all samples of a pixel.
    let mut seen = [0; 3];
    for (pixel, texel) in pixels(SIZE).zip(bytes(&outcome, "picture").chunks(4)) {
        let is_near = |bounds: &[[f64; 2]; 2]| {
            (0..2).all(|n| f64::from(pixel[n]) + 1.1 > bounds[n][0] && f64::from(pixel[n]) - 0.1 < bounds[n][1])
        };
        let near: Vec<_> = bars.iter().zip(&bounds).filter(|(_, bounds)| is_near(bounds)).map(|(bar, _)| bar).collect();
        let is_covered = |place: [f64; 2]| {
            let way = camera.way_through(place, SIZE);
            near.iter().any(|bar| bar.is_met(camera.eye, way))
        };
        // Vertices are rounded to a 256th of a pixel: what lies closer to an edge may be on either side.
        let around = |sample: [f64; 2], by: [f64; 2]| {
            is_covered([0, 1].map(|n| f64::from(pixel[n]) + 0.5 + sample[n] / 16.0 + by[n]))
        };
        let covered: Vec<[bool; 4]> = SAMPLES
            .iter()
            .map(|sample| [[-0.01, -0.01], [0.01, -0.01], [-0.01, 0.01], [0.01, 0.01]].map(|by| around(*sample, by)))
            .collect();
        if covered.iter().any(|around| *around != [around[0]; 4]) {
            continue;
        }
        let count = covered.iter().filter(|around| around[0]).count();
        let sky = air(camera.ray(pixel, SIZE));
        let difference = texel.iter().zip(sky).map(|(code, sky)| (f64::from(*code) - sky).abs()).fold(0.0, f64::max);
        assert_eq!(difference < 1.5, count == 0, "{pixel:?}: {texel:?}, {sky:?}, {count} samples");
        seen[usize::from(count > 0) + usize::from(count == 8)] += 1;
    }
    assert!(seen[0] > 5_000 && seen[1] > 500 && seen[2] > 1_000, "{seen:?}");
}

/// The parameter at which a ray enters a box, which is given by its middle and half its extents.
fn enters(start: Vector, way: Vector, middle: Vector, half: Vector) -> Option<f64> {
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for n in 0..3 {
        let sides = [-1.0, 1.0].map(|side| (middle[n] + side * half[n] - start[n]) / way[n]);
        (enter, leave) = (enter.max(sides[0].min(sides[1])), leave.min(sides[0].max(sides[1])));
    }
    (enter < leave).then_some(enter)
}

/// Numbers from 0 to 1, as the meadow's vertex shader makes them of a number: a permuted congruential generator.
fn chance(n: u32) -> [f64; 4] {
    [2_891_336_453, 1_171_136_777, 3_739_467_263, 420_101_011_u32].map(|start| {
        let x = n.wrapping_mul(747_796_405).wrapping_add(start);
        let x = (x >> ((x >> 28) + 4) ^ x).wrapping_mul(277_803_737);
        f64::from((x >> 22 ^ x) & 0xffff) / 65535.0
    })
}

/// The places of a blade's nine vertices.
fn blade(number: u32, time: f64, wind: [f64; 2]) -> [Vector; 9] {
    let (one, other) = (chance(2 * number), chance(2 * number + 1));
    let at = [(f64::from(number % 220) + one[0]) / 220.0 - 0.5, (f64::from(number / 220) + one[1]) / 220.0 - 0.5];
    let wave = 0.5 + 0.5 * (9.0 * at[0] + 3.0 * (7.0 * at[1]).sin()).sin();
    let (sin, cos) = (std::f64::consts::TAU * other[0]).sin_cos();
    let root = [18.0 * at[0], 0.25 * wave, 18.0 * at[1]];
    let (height, half) = (0.35 + 0.45 * one[2] * one[2] + 0.35 * wave, 0.012 + 0.014 * one[3]);
    let gust = 0.6 + 0.4 * (1.7 * time + 0.8 * root[0] + 0.5 * root[2]).sin();
    let bend = [gust * wind[0] - 0.22 * sin, gust * wind[1] + 0.22 * cos].map(|along| along * height);
    std::array::from_fn(|n| {
        let along = (n / 2) as f64 / 4.0;
        let side = [-1.0, 1.0][n % 2] * if n == 8 { 0.0 } else { half * (1.0 - 0.6 * along) };
        let over = bend.map(|bend| bend * along * along);
        let up = height * along - 0.5 * (over[0] * over[0] + over[1] * over[1]) / height;
        [root[0] + over[0] + side * cos, root[1] + up, root[2] + over[1] + side * sin]
    })
}

/// The geometry shader makes seven triangles of each point, which are where doubles have them.
#[test]
fn meadow() {
    let mut example = Example::new("meadow");
    let counts = json!({"query": "grass", "values": {"gs_invocations": 48_400, "gs_primitives": 338_800}});
    example.scene["expect"].as_array_mut().unwrap().push(counts);
    let outcome = example.check();
    // Grass below, sky above.
    let texels = bytes(&outcome, "picture");
    let texel = |x: usize, y: usize| &texels[4 * (y * SIZE[0] as usize + x)..][..3];
    assert!((0..160).all(|x| texel(x, 85)[1] > texel(x, 85)[2]) && (0..160).all(|x| texel(x, 5)[2] > 150));

    let path = root().join("examples/meadow/blades.json");
    let mut blades: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let weather: Vec<f64> = blades["resources"]["weather"]["f32"]
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect();
    let strip = (0..7).flat_map(|n| if n % 2 == 0 { [n, n + 1, n + 2] } else { [n, n + 2, n + 1] });
    let strip: Vec<usize> = strip.collect();
    let expected: Vec<Vector> = (0..220)
        .flat_map(|number| {
            let blade = blade(number, weather[3], [weather[4], weather[5]]);
            strip.iter().map(|&n| blade[n]).collect::<Vec<_>>()
        })
        .collect();
    let words: Vec<f64> = expected.concat();
    blades["pipelines"]["grass"]["stream_out"]["entries"].as_array_mut().unwrap().truncate(1);
    blades["resources"]["blades"] = json!({"kind": "structured", "stride": 12, "size": 4 * words.len()});
    blades["save"] = json!([]);
    let places = json!({"resource": "blades", "type": "f32", "f32": words, "tolerance": {"abs": 1e-4}});
    blades["expect"].as_array_mut().unwrap().push(places);
    example.scene = blades;
    example.check();
}

/// The corners of a patch of the moon, as its vertex shader makes them: unit vectors.
fn corners(patch: usize) -> [Vector; 4] {
    const ACROSS: usize = 6;
    let (face, place) = (patch / (ACROSS * ACROSS), patch % (ACROSS * ACROSS));
    std::array::from_fn(|n| {
        let at = [place % ACROSS + n % 2, place / ACROSS + n / 2];
        let at = at.map(|at| ((at as f64 / ACROSS as f64 * 2.0 - 1.0) * std::f64::consts::FRAC_PI_4).tan());
        let p = [[1.0, at[1], at[0]], [at[0], 1.0, at[1]], [at[1], at[0], 1.0]][face / 2];
        let length = dot(p, p).sqrt() * [1.0, -1.0][face % 2];
        p.map(|coordinate| coordinate / length)
    })
}

/// Patches have as many points as their distances, in doubles, give them; far ones, which the hull shader drops, none.
#[test]
fn moon() {
    let mut example = Example::new("moon");
    let (camera, fineness) = (example.constants("camera"), example.constants("light")[3]);
    let eye = [camera[0], camera[1], camera[2]];
    let length = |way: Vector| dot(way, way).sqrt();
    let segments = |a: Vector, b: Vector| {
        let middle: Vector = std::array::from_fn(|n| eye[n] - (a[n] + b[n]) / 2.0);
        (fineness * length(std::array::from_fn(|n| a[n] - b[n])) / length(middle)).clamp(1.0, 64.0) as f32
    };
    let points = |patch: usize| {
        let p = corners(patch);
        if p.iter().all(|corner| dot(*corner, eye) <= 0.2) {
            return 0;
        }
        let edge = [[0, 2], [0, 1], [1, 3], [2, 3]].map(|[a, b]| segments(p[a], p[b]));
        let factors = [edge[0], edge[1], edge[2], edge[3], edge[1].max(edge[3]), edge[0].max(edge[2])];
        let output = OutputPrimitive::TriangleClockwise;
        tessellate(Domain::Quad, Partitioning::FractionalOdd, output, factors).points.len()
    };
    let points: usize = (0..216).map(points).sum();
    let counts = json!({"query": "ground", "values": {"hs_invocations": 216, "ds_invocations": points}});
    example.scene["expect"].as_array_mut().unwrap().push(counts);
    let outcome = example.check();
    // The ground covers what lies between edges.
    let texels = bytes(&outcome, "picture");
    let light = |x: usize, y: usize| u32::from(texels[4 * (y * SIZE[0] as usize + x)]);
    assert!((40..78).all(|x| light(x, 60) > 60) && (90..110).any(|x| light(x, 60) < 60));
}
