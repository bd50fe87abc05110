//! Tells where samples lie in a pixel, for tests: what the figures of the functional specification (19.2.4) say, apart from
//! the tables of the library.

/// The standard patterns of 1, 2, 4, 8 and 16 samples, in sixteenths of a pixel from its center.
pub const STANDARD_PATTERNS: [&[[i8; 2]]; 5] = [
    &[[0, 0]],
    &[[4, 4], [-4, -4]],
    &[[-2, -6], [6, -2], [-6, 2], [2, 6]],
    &[[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]],
    &[
        [1, 1],
        [-1, -3],
        [-3, 2],
        [4, -1],
        [-5, -2],
        [2, 5],
        [5, 3],
        [3, -5],
        [-2, 6],
        [0, -7],
        [-4, -6],
        [-6, 4],
        [-8, 0],
        [7, -4],
        [6, 7],
        [-7, -8],
    ],
];
