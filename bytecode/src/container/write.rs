//! Writes chunks into a container.

use super::{FourCc, checksum};

/// The bytes of a container with these chunks, one after the other. Without a given checksum it gets that of its
/// content.
///
/// ```
/// use brolga_bytecode::Limits;
/// use brolga_bytecode::container::{Container, FourCc, write_container};
///
/// let bytes = write_container(&[(FourCc(*b"PRIV"), &[1, 2, 3, 4])], None);
/// let container = Container::parse(&bytes, &Limits::default()).unwrap();
/// assert_eq!(container.chunk(b"PRIV").unwrap().data, [1, 2, 3, 4]);
/// assert!(container.checksum_matches());
/// ```
pub fn write_container(chunks: &[(FourCc, &[u8])], stored_checksum: Option<[u8; 16]>) -> Vec<u8> {
    const HEADER_BYTES: usize = 32;
    const CHUNK_HEADER_BYTES: usize = 8;
    let table_end = HEADER_BYTES + 4 * chunks.len();
    let size = table_end + chunks.iter().map(|(_, data)| CHUNK_HEADER_BYTES + data.len()).sum::<usize>();
    // The checksum covers everything from the version on.
    let mut covered = Vec::with_capacity(size);
    for word in [1, size as u32, chunks.len() as u32] {
        covered.extend(word.to_le_bytes());
    }
    let mut at = table_end;
    for (_, data) in chunks {
        covered.extend((at as u32).to_le_bytes());
        at += CHUNK_HEADER_BYTES + data.len();
    }
    for (name, data) in chunks {
        covered.extend(name.0);
        covered.extend((data.len() as u32).to_le_bytes());
        covered.extend(*data);
    }
    let mut bytes = Vec::with_capacity(size);
    bytes.extend(b"DXBC");
    bytes.extend(stored_checksum.unwrap_or_else(|| checksum(&covered)));
    bytes.extend(covered);
    bytes
}
