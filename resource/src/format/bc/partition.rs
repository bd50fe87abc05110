//! Lists the partitions, which assign the texels of a block to pairs of endpoints: functional specification 19.5.14.5
//! and 19.5.14.6.

/// A division of a block into at most three subsets.
#[derive(Clone, Copy)]
pub(super) struct Partition {
    /// 2 bits for each texel.
    pub subsets: u32,
    /// The texels whose index is one bit shorter, a bit each.
    pub anchors: u16,
}

impl Partition {
    pub const WHOLE: Self = Self { subsets: 0, anchors: 1 };

    /// Makes a partition from the subset of each texel, row by row, and the anchors of the subsets but the first, whose
    /// anchor is texel 0.
    const fn new(texels: &str, anchors: &[u8]) -> Self {
        let mut partition = Self::WHOLE;
        let (mut at, mut texel) = (0, 0);
        while at < texels.len() {
            let digit = texels.as_bytes()[at];
            if digit != b' ' {
                partition.subsets |= ((digit - b'0') as u32) << (2 * texel);
                texel += 1;
            }
            at += 1;
        }
        assert!(texel == 16, "a digit for each texel");
        let mut subset = 0;
        while subset < anchors.len() {
            partition.anchors |= 1 << anchors[subset];
            subset += 1;
        }
        partition
    }
}

/// Two subsets. BC6H has the first 32 of them.
#[rustfmt::skip]
pub(super) const TWO: [Partition; 64] = [
    Partition::new("0011 0011 0011 0011", &[15]),
    Partition::new("0001 0001 0001 0001", &[15]),
    Partition::new("0111 0111 0111 0111", &[15]),
    Partition::new("0001 0011 0011 0111", &[15]),
    Partition::new("0000 0001 0001 0011", &[15]),
    Partition::new("0011 0111 0111 1111", &[15]),
    Partition::new("0001 0011 0111 1111", &[15]),
    Partition::new("0000 0001 0011 0111", &[15]),
    Partition::new("0000 0000 0001 0011", &[15]),
    Partition::new("0011 0111 1111 1111", &[15]),
    Partition::new("0000 0001 0111 1111", &[15]),
    Partition::new("0000 0000 0001 0111", &[15]),
    Partition::new("0001 0111 1111 1111", &[15]),
    Partition::new("0000 0000 1111 1111", &[15]),
    Partition::new("0000 1111 1111 1111", &[15]),
    Partition::new("0000 0000 0000 1111", &[15]),
    Partition::new("0000 1000 1110 1111", &[15]),
    Partition::new("0111 0001 0000 0000", &[2]),
    Partition::new("0000 0000 1000 1110", &[8]),
    Partition::new("0111 0011 0001 0000", &[2]),
    Partition::new("0011 0001 0000 0000", &[2]),
    Partition::new("0000 1000 1100 1110", &[8]),
    Partition::new("0000 0000 1000 1100", &[8]),
    Partition::new("0111 0011 0011 0001", &[15]),
    Partition::new("0011 0001 0001 0000", &[2]),
    Partition::new("0000 1000 1000 1100", &[8]),
    Partition::new("0110 0110 0110 0110", &[2]),
    Partition::new("0011 0110 0110 1100", &[2]),
    Partition::new("0001 0111 1110 1000", &[8]),
    Partition::new("0000 1111 1111 0000", &[8]),
    Partition::new("0111 0001 1000 1110", &[2]),
    Partition::new("0011 1001 1001 1100", &[2]),
    Partition::new("0101 0101 0101 0101", &[15]),
    Partition::new("0000 1111 0000 1111", &[15]),
    Partition::new("0101 1010 0101 1010", &[6]),
    Partition::new("0011 0011 1100 1100", &[8]),
    Partition::new("0011 1100 0011 1100", &[2]),
    Partition::new("0101 0101 1010 1010", &[8]),
    Partition::new("0110 1001 0110 1001", &[15]),
    Partition::new("0101 1010 1010 0101", &[15]),
    Partition::new("0111 0011 1100 1110", &[2]),
    Partition::new("0001 0011 1100 1000", &[8]),
    Partition::new("0011 0010 0100 1100", &[2]),
    Partition::new("0011 1011 1101 1100", &[2]),
    Partition::new("0110 1001 1001 0110", &[2]),
    Partition::new("0011 1100 1100 0011", &[15]),
    Partition::new("0110 0110 1001 1001", &[15]),
    Partition::new("0000 0110 0110 0000", &[6]),
    Partition::new("0100 1110 0100 0000", &[6]),
    Partition::new("0010 0111 0010 0000", &[2]),
    Partition::new("0000 0010 0111 0010", &[6]),
    Partition::new("0000 0100 1110 0100", &[8]),
    Partition::new("0110 1100 1001 0011", &[15]),
    Partition::new("0011 0110 1100 1001", &[15]),
    Partition::new("0110 0011 1001 1100", &[2]),
    Partition::new("0011 1001 1100 0110", &[2]),
    Partition::new("0110 1100 1100 1001", &[15]),
    Partition::new("0110 0011 0011 1001", &[15]),
    Partition::new("0111 1110 1000 0001", &[15]),
    Partition::new("0001 1000 1110 0111", &[15]),
    Partition::new("0000 1111 0011 0011", &[15]),
    Partition::new("0011 0011 1111 0000", &[2]),
    Partition::new("0010 0010 1110 1110", &[2]),
    Partition::new("0100 0100 0111 0111", &[15]),
];

/// Three subsets.
#[rustfmt::skip]
pub(super) const THREE: [Partition; 64] = [
    Partition::new("0011 0011 0221 2222", &[3, 15]),
    Partition::new("0001 0011 2211 2221", &[3, 8]),
    Partition::new("0000 2001 2211 2211", &[15, 8]),
    Partition::new("0222 0022 0011 0111", &[15, 3]),
    Partition::new("0000 0000 1122 1122", &[8, 15]),
    Partition::new("0011 0011 0022 0022", &[3, 15]),
    Partition::new("0022 0022 1111 1111", &[15, 3]),
    Partition::new("0011 0011 2211 2211", &[15, 8]),
    Partition::new("0000 0000 1111 2222", &[8, 15]),
    Partition::new("0000 1111 1111 2222", &[8, 15]),
    Partition::new("0000 1111 2222 2222", &[6, 15]),
    Partition::new("0012 0012 0012 0012", &[6, 15]),
    Partition::new("0112 0112 0112 0112", &[6, 15]),
    Partition::new("0122 0122 0122 0122", &[5, 15]),
    Partition::new("0011 0112 1122 1222", &[3, 15]),
    Partition::new("0011 2001 2200 2220", &[3, 8]),
    Partition::new("0001 0011 0112 1122", &[3, 15]),
    Partition::new("0111 0011 2001 2200", &[3, 8]),
    Partition::new("0000 1122 1122 1122", &[8, 15]),
    Partition::new("0022 0022 0022 1111", &[15, 3]),
    Partition::new("0111 0111 0222 0222", &[3, 15]),
    Partition::new("0001 0001 2221 2221", &[3, 8]),
    Partition::new("0000 0011 0122 0122", &[6, 15]),
    Partition::new("0000 1100 2210 2210", &[10, 8]),
    Partition::new("0122 0122 0011 0000", &[5, 3]),
    Partition::new("0012 0012 1122 2222", &[8, 15]),
    Partition::new("0110 1221 1221 0110", &[8, 6]),
    Partition::new("0000 0110 1221 1221", &[6, 10]),
    Partition::new("0022 1102 1102 0022", &[8, 15]),
    Partition::new("0110 0110 2002 2222", &[5, 15]),
    Partition::new("0011 0122 0122 0011", &[15, 10]),
    Partition::new("0000 2000 2211 2221", &[15, 8]),
    Partition::new("0000 0002 1122 1222", &[8, 15]),
    Partition::new("0222 0022 0012 0011", &[15, 3]),
    Partition::new("0011 0012 0022 0222", &[3, 15]),
    Partition::new("0120 0120 0120 0120", &[5, 10]),
    Partition::new("0000 1111 2222 0000", &[6, 10]),
    Partition::new("0120 1201 2012 0120", &[10, 8]),
    Partition::new("0120 2012 1201 0120", &[8, 9]),
    Partition::new("0011 2200 1122 0011", &[15, 10]),
    Partition::new("0011 1122 2200 0011", &[15, 6]),
    Partition::new("0101 0101 2222 2222", &[3, 15]),
    Partition::new("0000 0000 2121 2121", &[15, 8]),
    Partition::new("0022 1122 0022 1122", &[5, 15]),
    Partition::new("0022 0011 0022 0011", &[15, 3]),
    Partition::new("0220 1221 0220 1221", &[15, 6]),
    Partition::new("0101 2222 2222 0101", &[15, 6]),
    Partition::new("0000 2121 2121 2121", &[15, 8]),
    Partition::new("0101 0101 0101 2222", &[3, 15]),
    Partition::new("0222 0111 0222 0111", &[15, 3]),
    Partition::new("0002 1112 0002 1112", &[5, 15]),
    Partition::new("0000 2112 2112 2112", &[5, 15]),
    Partition::new("0222 0111 0111 0222", &[5, 15]),
    Partition::new("0002 1112 1112 0002", &[8, 15]),
    Partition::new("0110 0110 0110 2222", &[5, 15]),
    Partition::new("0000 0000 2112 2112", &[10, 15]),
    Partition::new("0110 0110 2222 2222", &[5, 15]),
    Partition::new("0022 0011 0011 0022", &[10, 15]),
    Partition::new("0022 1122 1122 0022", &[8, 15]),
    Partition::new("0000 0000 0000 2112", &[13, 15]),
    Partition::new("0002 0001 0002 0001", &[15, 3]),
    Partition::new("0222 1222 0222 1222", &[12, 15]),
    Partition::new("0101 2222 2222 2222", &[3, 15]),
    Partition::new("0111 2011 2201 2220", &[3, 8]),
];
