//! Describes, for listings, how samples of the bound textures are taken: by packets or lane by lane, and from what.

use std::collections::BTreeMap;

use brolga_ir::entity::{Inst, ResourceId};
use brolga_ir::function::{Element, Function, InstKind, ResourceRef};
use brolga_ir::sampling::{SampleKind, Sampling};
use brolga_resource::Surface;
use brolga_sample::Prepared;

use super::bound::Bound;
use super::samples::prepare;
use super::texel::Texels;
use super::views::BoundViews;
use crate::bindings::Declared;

/// Most pairs of a texture and a sampler that are examined for one instruction.
const MOST_PAIRS: usize = 64;

impl BoundViews {
    /// Remarks on each sample of a function with these views bound, where copies of compressed textures may take
    /// `copy_bytes`.
    pub fn sample_remarks(
        &self,
        function: &Function,
        declared: &[Declared],
        copy_bytes: u64,
    ) -> BTreeMap<Inst, String> {
        let of = |texture: &ResourceRef, sampler: &ResourceRef, sampling| {
            let registers = format!("{} with {}", registers(declared, texture), registers(declared, sampler));
            format!("{registers}: {}", self.how(texture, sampler, sampling, copy_bytes))
        };
        each_sample(function, of)
    }

    /// The ways in which the pairs that an instruction may refer to are sampled, each once.
    fn how(&self, texture: &ResourceRef, sampler: &ResourceRef, sampling: Sampling, copy_bytes: u64) -> String {
        let elements = |resource: &ResourceRef| match resource.element {
            Element::Fixed(element) => element..element.saturating_add(1),
            Element::Computed(_) => 0..self.views.range(resource.id.index()).len() as u32,
        };
        let pairs = elements(texture).flat_map(|t| elements(sampler).map(move |s| (t, s)));
        let mut ways = Vec::new();
        for (t, s) in pairs.take(MOST_PAIRS) {
            let way = match (prepare(&self.views, (texture.id, t), (sampler.id, s)), self.surface(texture.id, t)) {
                (Some(pair), Some(surface)) => self.how_of_pair(&pair, surface, sampling, copy_bytes),
                _ => "zeros, since no texture is bound".to_owned(),
            };
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        ways.join(", or ")
    }

    fn how_of_pair(&self, pair: &Prepared, surface: &Surface, sampling: Sampling, copy_bytes: u64) -> String {
        if let Some(why) = slow(pair, sampling) {
            return format!("lane by lane: {why}");
        }
        // Queries of the level read no texels.
        if surface.format.expander().is_none() || sampling.kind == SampleKind::Level {
            return "by packets".to_owned();
        }
        let why_not = match &surface.expansion {
            _ if surface.memory.has_other_writers() => "its memory may be written from outside",
            None => "a copy would have 2 GiB or more",
            Some(expansion) if self.written().iter().any(|memory| expansion.is_in(memory)) => {
                "the shader may write its memory"
            }
            _ if copy_bytes == 0 => "copies may have no bytes",
            Some(expansion) if expansion.size_bytes > copy_bytes => {
                let size_bytes = expansion.size_bytes;
                return format!(
                    "by packets, from a copy with room for {copy_bytes} of {size_bytes} bytes, else from blocks"
                );
            }
            Some(_) => return "by packets, from a copy".to_owned(),
        };
        format!("by packets, from blocks: {why_not}")
    }

    /// The texture that a register is bound to.
    fn surface(&self, range: ResourceId, element: u32) -> Option<&Surface> {
        match self.views.get(range.index(), element as usize)? {
            Some(Bound::Texels(Texels::Texture(surface))) => Some(surface),
            _ => None,
        }
    }
}

/// The same if nothing is known of the bindings.
pub(crate) fn unbound_remarks(function: &Function, declared: &[Declared]) -> BTreeMap<Inst, String> {
    each_sample(function, |texture, sampler, _| {
        let [texture, sampler] = [texture, sampler].map(|resource| registers(declared, resource));
        format!("{texture} with {sampler}: by packets, if what is bound allows it")
    })
}

/// A remark on each sample of a function.
fn each_sample(
    function: &Function,
    of: impl Fn(&ResourceRef, &ResourceRef, Sampling) -> String,
) -> BTreeMap<Inst, String> {
    let remark = |inst| match &function.inst(inst).kind {
        InstKind::Sample { sampling, texture, sampler, .. } => Some((inst, of(texture, sampler, *sampling))),
        _ => None,
    };
    function.each_inst().filter_map(remark).collect()
}

/// The registers that an operand may refer to.
fn registers(declared: &[Declared], resource: &ResourceRef) -> String {
    let Declared { register: first, count, .. } = declared[resource.id.index()];
    let at = |position: u32| crate::Register { index: first.index.saturating_add(position), ..first };
    match (resource.element, count) {
        (Element::Fixed(position), _) => at(position).to_string(),
        (Element::Computed(_), Some(count)) if count <= 1 => first.to_string(),
        (Element::Computed(_), Some(count)) => format!("{first} to {}", at(count - 1)),
        (Element::Computed(_), None) => format!("{first} and those after it"),
    }
}

/// Reason why a pair is sampled lane by lane, if it is.
#[cfg(target_arch = "x86_64")]
fn slow(pair: &Prepared, sampling: Sampling) -> Option<brolga_sample::Slow> {
    pair.slow(sampling)
}

/// On other processors every pair is.
#[cfg(not(target_arch = "x86_64"))]
fn slow(_: &Prepared, _: Sampling) -> Option<&'static str> {
    Some("only x86-64 has another way")
}
