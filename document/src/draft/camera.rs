//! Matrices and places by which what is drawn is seen, chosen by the names of variables.
//!
//! A rectangle is seen as it is: its matrices are the identity. A mesh is seen from in front and above, whole.

use brolga_files::Mesh;

/// By rows, for columns: a point is multiplied from the right.
pub(super) type Matrix = [[f32; 4]; 4];

pub(super) const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// How far the camera is, in radii of what it sees.
const DISTANCE: f32 = 3.0;
/// Where it is, seen from the middle.
const FROM: [f32; 3] = [-0.4, 0.5, -1.0];
/// Where a lamp is, seen from the middle: beside the camera.
const LAMP: [f32; 3] = [-0.8, 0.9, -1.0];

/// Which of the usual matrices one is a product of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Product {
    pub world: bool,
    pub view: bool,
    pub projection: bool,
    is_inverse: bool,
}

impl Product {
    pub const ALL: Self = Self { world: true, view: true, projection: true, is_inverse: false };

    /// The meaning of a name: `g_mWorldViewProj`, `viewMatrix`, `mvp`, `InvView`.
    pub fn named(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let is_inverse = has(&["inv"]);
        let plain: String = name.chars().filter(char::is_ascii_alphabetic).collect();
        let short = ["mat", "matrix", "m", "g"].iter().fold(plain.as_str(), |name, part| match name {
            _ if name.len() <= 3 && ["mvp", "wvp", "vp", "mv", "wv", "m", "w", "v", "p"].contains(&name) => name,
            _ => name.strip_suffix(part).or(name.strip_prefix(part)).unwrap_or(name),
        });
        let (world, view, projection) = match short {
            "mvp" | "wvp" => (true, true, true),
            "vp" => (false, true, true),
            "mv" | "wv" => (true, true, false),
            _ => (has(&["world", "model", "object"]), has(&["view", "camera"]), has(&["proj"])),
        };
        Self { world, view, projection, is_inverse }
    }
}

/// From where a scene is seen.
pub(super) struct Camera {
    view: Matrix,
    projection: Matrix,
    centre: [f32; 3],
    eye: [f32; 3],
    lamp: [f32; 3],
}

impl Camera {
    /// That of a rectangle between -1 and 1, which is on the screen already.
    pub const FLAT: Self =
        Self { view: IDENTITY, projection: IDENTITY, centre: [0.0; 3], eye: [0.0, 0.0, -2.0], lamp: [-1.0, 1.0, -2.0] };

    /// One that sees a whole mesh.
    pub fn of(mesh: &Mesh) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for vertex in &mesh.vertices {
            for axis in 0..3 {
                low[axis] = low[axis].min(vertex[axis]);
                high[axis] = high[axis].max(vertex[axis]);
            }
        }
        let centre = [0, 1, 2].map(|axis| low[axis] / 2.0 + high[axis] / 2.0);
        let radius = length([0, 1, 2].map(|axis| high[axis] / 2.0 - low[axis] / 2.0));
        // A point, or what no float can measure.
        if !(radius.is_normal() && centre.iter().all(|number| number.is_finite())) {
            return Self::FLAT;
        }
        let back = unit(FROM);
        let beside = |place: [f32; 3], far: f32| [0, 1, 2].map(|axis| centre[axis] + place[axis] * far);
        let eye = beside(back, DISTANCE * radius);
        let forward = back.map(|number| -number);
        let right = unit(cross([0.0, 1.0, 0.0], forward));
        let up = cross(forward, right);
        let row = |axis: [f32; 3]| [axis[0], axis[1], axis[2], -dot(axis, eye)];
        let (near, far) = ((DISTANCE - 1.1) * radius, (DISTANCE + 1.1) * radius);
        let (scale, depth) = (DISTANCE * 0.9, far / (far - near));
        let projection =
            [[scale, 0.0, 0.0, 0.0], [0.0, scale, 0.0, 0.0], [0.0, 0.0, depth, -near * depth], [0.0, 0.0, 1.0, 0.0]];
        let view = [row(right), row(up), row(forward), IDENTITY[3]];
        Self { view, projection, centre, eye, lamp: beside(unit(LAMP), DISTANCE * radius) }
    }

    /// A matrix; worlds are where they are.
    pub fn matrix(&self, product: Product) -> Matrix {
        let found = match (product.view, product.projection) {
            (true, true) => multiplied(&self.projection, &self.view),
            (true, false) => self.view,
            (false, true) => self.projection,
            (false, false) => IDENTITY,
        };
        match product.is_inverse {
            true => inverse(found).unwrap_or(IDENTITY),
            false => found,
        }
    }

    /// A place or a direction by its name, if that tells.
    pub fn vector(&self, name: &str) -> Option<[f32; 3]> {
        let name = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let is_of_light = has(&["light", "sun", "lamp"]);
        match () {
            () if has(&["col", "ambient", "diffuse", "specular", "intens", "power", "atten"]) => None,
            () if is_of_light && has(&["pos"]) => Some(self.lamp),
            // Away from the lamp, unless it says otherwise.
            () if is_of_light && has(&["dir"]) => Some(unit(LAMP).map(|number| -number)),
            () if is_of_light => Some(unit(LAMP)),
            () if has(&["target", "lookat", "centre", "center"]) => Some(self.centre),
            () if has(&["offset", "translat", "place"]) => Some([0.0; 3]),
            () if has(&["eye", "camera", "viewpos", "viewer"]) => Some(self.eye),
            () => None,
        }
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: [f32; 3]) -> f32 {
    dot(a, a).sqrt()
}

fn unit(a: [f32; 3]) -> [f32; 3] {
    a.map(|number| number / length(a))
}

fn multiplied(a: &Matrix, b: &Matrix) -> Matrix {
    a.map(|row| [0, 1, 2, 3].map(|column| (0..4).map(|n| row[n] * b[n][column]).sum()))
}

/// The inverse by elimination; `None` if there is none.
fn inverse(mut of: Matrix) -> Option<Matrix> {
    let mut out = IDENTITY;
    for n in 0..4 {
        let pivot = (n..4).max_by(|a, b| of[*a][n].abs().total_cmp(&of[*b][n].abs()))?;
        of.swap(n, pivot);
        out.swap(n, pivot);
        let by = 1.0 / of[n][n];
        if !by.is_finite() {
            return None;
        }
        (of[n], out[n]) = (of[n].map(|number| number * by), out[n].map(|number| number * by));
        for row in (0..4).filter(|row| *row != n) {
            let factor = of[row][n];
            for column in 0..4 {
                of[row][column] -= factor * of[n][column];
                out[row][column] -= factor * out[n][column];
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_matrices_are() {
        let (world, view, projection) = ([true, false, false], [false, true, false], [false, false, true]);
        for (name, expected) in [
            ("g_mWorldViewProj", [true; 3]),
            ("mvp", [true; 3]),
            ("MVPMatrix", [true; 3]),
            ("matWVP", [true; 3]),
            ("ViewProjection", [false, true, true]),
            ("vp", [false, true, true]),
            ("modelView", [true, true, false]),
            ("World", world),
            ("objectToWorld", world),
            ("viewMatrix", view),
            ("gCamera", view),
            ("proj", projection),
            ("transform", [false; 3]),
            ("palette", [false; 3]),
        ] {
            let found = Product::named(name);
            assert_eq!([found.world, found.view, found.projection], expected, "{name}");
        }
        assert!(Product::named("InvView").is_inverse);
    }

    /// The corners of a box, far from where the identity would show it.
    #[test]
    fn a_whole_mesh_is_in_view() {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|n: u32| [0, 1, 2].map(|axis| n >> axis & 1));
        let corner = |bits: [u32; 3]| {
            let [x, y, z] = [0, 1, 2].map(|axis| 300.0 + bits[axis] as f32 * [40.0, 10.0, 90.0][axis]);
            [x, y, z, 0.0, 0.0, 1.0, 0.0, 0.0]
        };
        let mut mesh = Mesh::default();
        mesh.vertices = corners.map(corner).to_vec();
        let camera = Camera::of(&mesh);
        let shown = camera.matrix(Product::ALL);
        let back = camera.matrix(Product { is_inverse: true, ..Product::ALL });
        for &[x, y, z, ..] in &mesh.vertices {
            let place = |matrix: &Matrix, of: [f32; 4]| matrix.map(|row| (0..4).map(|n| row[n] * of[n]).sum::<f32>());
            let seen = place(&shown, [x, y, z, 1.0]);
            assert!(seen[3] > 0.0 && seen[0].abs() < seen[3] && seen[1].abs() < seen[3], "{seen:?}");
            assert!(seen[2] > 0.0 && seen[2] < seen[3], "{seen:?}");
            let found = place(&back, seen);
            assert!((found[0] / found[3] - x).abs() < 0.5, "{found:?}");
        }
        mesh.vertices = vec![[5.0; 8]; 3];
        assert_eq!(Camera::of(&mesh).matrix(Product::ALL), IDENTITY);
    }
}
