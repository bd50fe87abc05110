//! Computes the checksum of a container: MD5's rounds, with a last block of its own.
//!
//! It covers everything from the version field on. It proves nothing about who wrote a file: some real shaders carry
//! another hash, so a mismatch is reported, and the caller decides whether it is an error.

/// Computes the checksum of a container's bytes from offset 20 to its end.
pub fn checksum(covered: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let (blocks, tail) = covered.as_chunks::<64>();
    for block in blocks {
        round(&mut state, block);
    }

    // MD5 ends with 64 bits of length; this begins the block with the length in bits and ends it with twice the length
    // plus one.
    let bits = (covered.len() as u32).wrapping_mul(8);
    let last_word = (bits >> 2) | 1;
    let mut last = [0_u8; 64];
    last[60..].copy_from_slice(&last_word.to_le_bytes());
    if tail.len() < 56 {
        last[..4].copy_from_slice(&bits.to_le_bytes());
        last[4..4 + tail.len()].copy_from_slice(tail);
        last[4 + tail.len()] = 0x80;
    } else {
        let mut filled = [0_u8; 64];
        filled[..tail.len()].copy_from_slice(tail);
        filled[tail.len()] = 0x80;
        round(&mut state, &filled);
        last[..4].copy_from_slice(&bits.to_le_bytes());
    }
    round(&mut state, &last);

    let mut digest = [0; 16];
    for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    digest
}

/// The integer parts of 2^32 |sin(n)| for n from 1 to 64, as RFC 1321 has them.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// Rotation of each step of a round; a round repeats its four.
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

fn round(state: &mut [u32; 4], block: &[u8; 64]) {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for step in 0..64 {
        let (mixed, word) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        let sum = a.wrapping_add(mixed).wrapping_add(SINES[step]).wrapping_add(words[word % 16]);
        let next = b.wrapping_add(sum.rotate_left(SHIFTS[step / 16][step % 4]));
        (a, b, c, d) = (d, next, b, c);
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A container of version 1 with one PRIV chunk of the bytes 0, 1, 2 and so on, or with no chunk.
    fn covered(private: Option<u8>) -> Vec<u8> {
        let mut words = vec![1_u32];
        match private {
            None => words.extend([32, 0]),
            Some(size) => words.extend([44 + u32::from(size), 1, 36, u32::from_le_bytes(*b"PRIV"), u32::from(size)]),
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(0..private.unwrap_or(0));
        bytes
    }

    fn hex(digest: [u8; 16]) -> String {
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn reference_values_for_every_length_of_tail() {
        assert_eq!(hex(checksum(&covered(None))), "fe86074c402fc2e90e0f4fa3bf065bc0");
        for (private, expected) in [
            (28, "a9d9fa04667743db8c5357084b157c5f"),
            (32, "7934ac19105f814e71841e8dbb7deee2"),
            (36, "99b02fbbf26f39fa7b858e318bcf35cd"),
            (44, "a773a64aeb5f25024f1d1e01822d1fbc"),
        ] {
            assert_eq!(hex(checksum(&covered(Some(private)))), expected, "{private} private bytes");
        }
    }
}
