//! Describes how the numbers of threads and groups vary across lanes.

use super::affine::{Affine, MAX_ALIGN};
use crate::function::Input;
use crate::span::Packing;

/// The affine form of an input, if it has one; `lanes` are those of a packet.
pub(super) fn input_affine(input: Input, size: [u32; 3], lanes: u32, packing: Packing) -> Option<Affine> {
    let packet = lanes.trailing_zeros();
    if packing != Packing::Group {
        return affine_in_span(input, size, packing);
    }
    match input {
        Input::GroupId(_) | Input::GroupCount(_) => Some(Affine::uniform(0)),
        Input::ThreadIndex => Some(Affine { stride: 1, align: packet }),
        Input::ThreadId(n) | Input::ThreadIdInGroup(n) => {
            let n = usize::from(n);
            // The component grows with the flattened index if those before it do not, and if it restarts only between
            // packets or never.
            let counts = size[..n].iter().all(|&s| s == 1);
            let whole = size[n].is_multiple_of(lanes) || size[n + 1..].iter().all(|&s| s == 1);
            let group_align = if matches!(input, Input::ThreadId(_)) { size[n].trailing_zeros() } else { MAX_ALIGN };
            let changes_between_packets = size[..n].iter().product::<u32>().is_multiple_of(lanes);
            if size[n] == 1 || changes_between_packets {
                Some(Affine::uniform(0))
            } else {
                (counts && whole).then(|| Affine { stride: 1, align: packet.min(group_align) })
            }
        }
    }
}

/// The same where packets hold threads of several groups.
fn affine_in_span(input: Input, size: [u32; 3], packing: Packing) -> Option<Affine> {
    match input {
        // Threads of groups that lie in a row along x are such a row themselves. It may begin anywhere in the dispatch.
        Input::ThreadId(0) if packing == Packing::Row && size[1] == 1 && size[2] == 1 => {
            Some(Affine { stride: 1, align: size[0].trailing_zeros() })
        }
        Input::GroupId(0) if packing == Packing::Row && size == [1; 3] => Some(Affine { stride: 1, align: 0 }),
        Input::GroupId(n) => (!packing.varies(n.into())).then(|| Affine::uniform(0)),
        Input::ThreadId(n) => (!packing.varies(n.into()) && size[usize::from(n)] == 1).then(|| Affine::uniform(0)),
        Input::ThreadIdInGroup(n) => (size[usize::from(n)] == 1).then(|| Affine::uniform(0)),
        Input::ThreadIndex => (size == [1; 3]).then(|| Affine::uniform(0)),
        Input::GroupCount(_) => Some(Affine::uniform(0)),
    }
}
