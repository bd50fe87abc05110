//! Samples textures for the lanes of a packet, from pairs of a texture and a sampler that are prepared in advance.

#![allow(unsafe_code)]

use std::sync::Arc;

use brolga_ir::entity::ResourceId;
use brolga_ir::interface::Sampled;
use brolga_ir::sampling::{Elements, SampleCall, SampleEntry, Sampling};
use brolga_resource::{ExpandedCopy, Expansion, Sampler};
use brolga_sample::{Prepared, Site};
use smallvec::{SmallVec, smallvec};

use super::bound::Bound;
use super::texel::Texels;
use crate::bindings::table::Table;

/// The most pairs to prepare ahead; further ones, as where a shader indexes long ranges, are prepared when sampled.
const MOST_READY: usize = 64;

type Views = Table<Option<Bound>>;

/// The prepared pairs.
#[derive(Debug, Default)]
pub(super) struct Samples {
    groups: SmallVec<[PairGroup; 4]>,
    /// Prepared pairs; `None` if no texture is bound.
    ready: Vec<Option<Prepared>>,
    /// For each kind of sample, the site with which compiled code samples the first registers of its ranges. They point
    /// into `ready`.
    sites: Vec<Option<Site>>,
    /// Entry points for compiled code. They point into `sites`.
    entries: Vec<SampleEntry>,
    /// The pairs whose texture may have copies.
    expanded: SmallVec<[usize; 2]>,
    /// Number of times that pairs were prepared again.
    state: u64,
}

// SAFETY: the entries and sites point to the fields beside them, and are only used while those exist.
unsafe impl Send for Samples {}
// SAFETY: as above; prepared pairs are only read.
unsafe impl Sync for Samples {}

/// The pairs of a texture range and a sampler range.
#[derive(Debug)]
struct PairGroup {
    texture: ResourceId,
    sampler: ResourceId,
    /// Index of its first pair; pairs are ordered by texture, then by sampler.
    first: usize,
    /// Registers of the two ranges.
    textures: usize,
    samplers: usize,
    /// The kinds of samples, each with its position among all.
    kinds: SmallVec<[(usize, Sampling); 1]>,
}

impl Samples {
    /// Prepares the pairs of the ranges that these samples use.
    pub fn new(sampled: &[Sampled], views: &Views) -> Self {
        let mut samples = Self {
            sites: vec![None; sampled.len()],
            entries: vec![SampleEntry::NONE; sampled.len()],
            ..Self::default()
        };
        for (n, &Sampled { texture, sampler, sampling }) in sampled.iter().enumerate() {
            let kind = (n, Sampling::decode(sampling));
            if let Some(group) = samples.groups.iter_mut().find(|group| group.is_of(texture, sampler)) {
                group.kinds.push(kind);
                continue;
            }
            let [textures, samplers] = [texture, sampler].map(|id| views.range(id.index()).len());
            let first = samples.ready.len();
            if textures.saturating_mul(samplers) > MOST_READY - first {
                continue;
            }
            let group = PairGroup { texture, sampler, first, textures, samplers, kinds: smallvec![kind] };
            samples.ready.extend(group.prepare(views));
            samples.groups.push(group);
        }
        // Their addresses are final from now on.
        for group in &samples.groups {
            group.set_entries(&samples.ready, &[], &mut samples.sites, &mut samples.entries);
        }
        samples.find_expansions();
        samples
    }

    fn find_expansions(&mut self) {
        let has_one = |pair: &Option<Prepared>| pair.as_ref().is_some_and(|pair| pair.expansion().is_some());
        self.expanded = (0..).zip(&self.ready).filter(|(_, pair)| has_one(pair)).map(|(n, _)| n).collect();
    }

    /// The prepared pairs.
    pub fn ready(&self) -> &[Option<Prepared>] {
        &self.ready
    }

    /// A number that is different after each change.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// `true` if a texture of a pair may have copies.
    #[inline]
    pub fn has_expansions(&self) -> bool {
        !self.expanded.is_empty()
    }

    /// The pairs whose texture may have copies, with their indices.
    pub fn expansions(&self) -> impl Iterator<Item = (usize, &Expansion)> {
        self.expanded.iter().filter_map(|&n| Some((n, self.ready[n].as_ref()?.expansion()?)))
    }

    /// The sites and the entries of samples without copies.
    pub fn without_copies(&self) -> (Vec<Option<Site>>, Vec<SampleEntry>) {
        (self.sites.clone(), self.entries.clone())
    }

    /// Sets the entries of samples that have copies, given by pair.
    pub fn set_entries(
        &self,
        copies: &[Option<Arc<ExpandedCopy>>],
        sites: &mut [Option<Site>],
        entries: &mut [SampleEntry],
    ) {
        for group in self.groups.iter().filter(|group| self.expanded.contains(&group.first)) {
            group.set_entries(&self.ready, copies, sites, entries);
        }
    }

    /// Entry points that compiled code calls, for each kind of sample.
    pub fn entries(&self) -> &[SampleEntry] {
        &self.entries
    }

    /// Prepares the pairs of a range again, after its bindings changed.
    pub fn renew(&mut self, range: usize, views: &Views) {
        for group in
            self.groups.iter().filter(|group| [group.texture, group.sampler].iter().any(|id| id.index() == range))
        {
            for (ready, pair) in self.ready[group.first..].iter_mut().zip(group.prepare(views)) {
                *ready = pair;
            }
            group.set_entries(&self.ready, &[], &mut self.sites, &mut self.entries);
        }
        self.find_expansions();
        self.state += 1;
    }

    /// Index of a pair, if it is among those prepared.
    #[inline(always)]
    fn find(&self, texture: (ResourceId, u32), sampler: (ResourceId, u32)) -> Option<usize> {
        let group = self.groups.iter().find(|group| group.is_of(texture.0, sampler.0))?;
        let (texture, sampler) = (texture.1 as usize, sampler.1 as usize);
        let is_in = texture < group.textures && sampler < group.samplers;
        is_in.then(|| group.first + texture * group.samplers + sampler)
    }

    /// Samples for the lanes of a packet, together for lanes with the same texture and sampler. The copies are by pair.
    #[inline(always)]
    pub fn sample(&self, views: &Views, copies: &[Option<Arc<ExpandedCopy>>], call: SampleCall<'_>) {
        if let ((texture, Elements::Same(t)), (sampler, Elements::Same(s))) = (call.texture, call.sampler)
            && let Some(n) = self.find((texture, t), (sampler, s))
            && let Some(ready) = &self.ready[n]
        {
            let SampleCall { sampling, lanes, args, results, .. } = call;
            ready.sample(sampling, copy_of(copies, n), lanes, args, results);
        } else {
            self.sample_each(views, copies, call);
        }
    }

    /// The same if lanes may refer to different pairs, or nothing is prepared.
    #[cold]
    fn sample_each(&self, views: &Views, copies: &[Option<Arc<ExpandedCopy>>], call: SampleCall<'_>) {
        let SampleCall { texture: (texture, textures), sampler: (sampler, samplers), args, results, .. } = call;
        let mut left = call.lanes;
        while left != 0 {
            let first = left.trailing_zeros() as usize;
            let pair = (textures.of(first), samplers.of(first));
            let lanes = same_lanes(left, textures, samplers, pair);
            left &= !lanes;
            let (texture, sampler) = ((texture, pair.0), (sampler, pair.1));
            let made;
            let (ready, copy) = match self.find(texture, sampler) {
                Some(n) => (&self.ready[n], copy_of(copies, n)),
                None => {
                    made = prepare(views, texture, sampler);
                    (&made, None)
                }
            };
            match ready {
                Some(ready) => ready.sample(call.sampling, copy, lanes, args, results),
                None => unbound(lanes, results),
            }
        }
    }
}

impl PairGroup {
    fn is_of(&self, texture: ResourceId, sampler: ResourceId) -> bool {
        (self.texture, self.sampler) == (texture, sampler)
    }

    /// Sets the entries for samples of its first registers.
    fn set_entries(
        &self,
        ready: &[Option<Prepared>],
        copies: &[Option<Arc<ExpandedCopy>>],
        sites: &mut [Option<Site>],
        entries: &mut [SampleEntry],
    ) {
        let pair = if self.textures > 0 && self.samplers > 0 { ready[self.first].as_ref() } else { None };
        for &(n, sampling) in &self.kinds {
            sites[n] = pair.and_then(|pair| pair.site(sampling, copy_of(copies, self.first)));
            entries[n] = sites[n].as_ref().map_or(SampleEntry::NONE, Site::entry);
        }
    }

    /// Its pairs in order.
    fn prepare(&self, views: &Views) -> impl Iterator<Item = Option<Prepared>> {
        let pairs = (0..self.textures).flat_map(|t| (0..self.samplers).map(move |s| (t as u32, s as u32)));
        pairs.map(|(t, s)| prepare(views, (self.texture, t), (self.sampler, s)))
    }
}

/// The copy of a pair's texture, if the run has one.
#[inline(always)]
fn copy_of(copies: &[Option<Arc<ExpandedCopy>>], pair: usize) -> Option<&ExpandedCopy> {
    copies.get(pair)?.as_deref()
}

/// The lanes of a set that refer to the same pair.
fn same_lanes(set: u64, textures: Elements<'_>, samplers: Elements<'_>, pair: (u32, u32)) -> u64 {
    if let (Elements::Same(_), Elements::Same(_)) = (textures, samplers) {
        return set;
    }
    let is_same = |lane: usize| (textures.of(lane), samplers.of(lane)) == pair;
    let lanes = (0..u64::BITS as usize).filter(|&lane| set >> lane & 1 == 1 && is_same(lane));
    lanes.fold(0, |lanes, lane| lanes | 1 << lane)
}

/// Writes the zeros that are sampled if nothing is bound.
fn unbound(lanes: u64, results: &mut [u32]) {
    for row in results.chunks_exact_mut(results.len() / 4) {
        for (lane, word) in row.iter_mut().enumerate() {
            *word = if lanes >> lane & 1 == 1 { 0 } else { *word };
        }
    }
}

/// Prepares a pair; `None` if no texture is bound. If no sampler is bound, Direct3D's default one is used.
pub(super) fn prepare(views: &Views, texture: (ResourceId, u32), sampler: (ResourceId, u32)) -> Option<Prepared> {
    let bound = |(id, element): (ResourceId, u32)| views.get(id.index(), element as usize)?.as_ref();
    let Bound::Texels(Texels::Texture(surface)) = bound(texture)? else { return None };
    let default = Sampler::default();
    let sampler = match bound(sampler) {
        Some(Bound::Sampler(sampler)) => sampler,
        _ => &default,
    };
    Some(Prepared::new(surface, sampler))
}
