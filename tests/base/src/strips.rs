//! A plain model of primitive topologies with their adjacent vertices: whole sequences of indices at once, each strip as
//! the figures and the table of the functional specification (8.10, 8.12) have it.

/// The index that ends a strip.
pub const CUT: u32 = u32::MAX;

/// Names of the topologies that geometry shaders take, as documents have them.
pub const TOPOLOGIES: [&str; 9] = [
    "POINTLIST",
    "LINELIST",
    "LINESTRIP",
    "TRIANGLELIST",
    "TRIANGLESTRIP",
    "LINELIST_ADJ",
    "LINESTRIP_ADJ",
    "TRIANGLELIST_ADJ",
    "TRIANGLESTRIP_ADJ",
];

/// The primitives of a sequence of indices, in which [`CUT`] ends strips, as geometry shaders see them.
pub fn primitives(topology: &str, indices: &[u32]) -> Vec<Vec<u32>> {
    indices.split(|&index| index == CUT).flat_map(|strip| of_strip(topology, strip)).collect()
}

fn of_strip(topology: &str, strip: &[u32]) -> Vec<Vec<u32>> {
    let windows = |count: usize| strip.windows(count).map(<[u32]>::to_vec).collect();
    let list = |count: usize| strip.chunks_exact(count).map(<[u32]>::to_vec).collect();
    match topology {
        "POINTLIST" => list(1),
        "LINELIST" => list(2),
        "LINESTRIP" => windows(2),
        "TRIANGLELIST" => list(3),
        "TRIANGLESTRIP" => {
            let turned =
                |(n, [a, b, c]): (usize, &[u32; 3])| if n % 2 == 0 { vec![*a, *b, *c] } else { vec![*a, *c, *b] };
            strip.array_windows().enumerate().map(turned).collect()
        }
        "LINELIST_ADJ" => list(4),
        "LINESTRIP_ADJ" => windows(4),
        "TRIANGLELIST_ADJ" => list(6),
        "TRIANGLESTRIP_ADJ" => {
            let count = (strip.len() / 2).saturating_sub(2);
            let triangle = |n: usize| {
                let at = |vertex: usize| strip[vertex];
                let before = if n == 0 { at(1) } else { at(2 * n - 2) };
                let after = if n + 1 == count { at(2 * n + 5) } else { at(2 * n + 6) };
                match n % 2 {
                    0 => vec![at(2 * n), before, at(2 * n + 2), after, at(2 * n + 4), at(2 * n + 3)],
                    _ => vec![at(2 * n), at(2 * n + 3), at(2 * n + 4), after, at(2 * n + 2), before],
                }
            };
            (0..count).map(triangle).collect()
        }
        patches => list(patches.split('_').next().and_then(|count| count.parse().ok()).expect("a topology's name")),
    }
}

/// The vertices of a primitive without the adjacent ones.
pub fn own_vertices(topology: &str, primitive: &[u32]) -> Vec<u32> {
    match topology {
        "LINELIST_ADJ" | "LINESTRIP_ADJ" => primitive[1..3].to_vec(),
        "TRIANGLELIST_ADJ" | "TRIANGLESTRIP_ADJ" => primitive.iter().copied().step_by(2).collect(),
        _ => primitive.to_vec(),
    }
}
