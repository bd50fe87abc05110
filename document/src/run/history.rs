//! Records the effect of each step of a document on one pixel.

use brolga_files::short;
use brolga_raster::pass::history::{PixelHistory, texel};
use brolga_runtime::{Format, Texture, View};

use super::plan::DrawAction;
use super::world::World;
use crate::error::{Fault, Problem};
use crate::model::step::{self, DocumentStep, What};

/// The pixel to watch during a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedPixel {
    /// Column and row.
    pub at: [u32; 2],
    /// The texture that it is in; by default all textures that have such a pixel.
    pub resource: Option<String>,
}

/// The effect of a step on the pixel.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PixelStep {
    /// The step's index in the document.
    pub step: usize,
    /// The action: `draw`, `clear`, `dispatch`, `copy`, `generate_mips`.
    pub kind: &'static str,
    /// The draw's or the dispatch's pipeline.
    pub pipeline: Option<String>,
    /// The textures concerned: the targets of a draw, or those changed by another step.
    pub textures: Vec<(String, Format)>,
    /// The effect of a draw's primitives.
    pub history: Option<PixelHistory>,
    /// The pixel of each texture before and after another step, as codes of its format.
    pub texels: Vec<[u128; 2]>,
}

/// The watched pixel of a run, and its history so far.
pub(super) struct Watch<'a> {
    at: [u32; 2],
    resource: Option<&'a str>,
    /// The textures that have it, by name.
    textures: Vec<(&'a str, Texture)>,
    pub steps: Vec<PixelStep>,
}

impl<'a> Watch<'a> {
    /// Finds the textures that have the pixel.
    pub fn new(watched: &'a WatchedPixel, world: &World<'a>) -> Result<Self, Fault> {
        let (at, resource) = (watched.at, watched.resource.as_deref());
        if let Some(name) = resource {
            world.texture(name, &(0..0))?;
        }
        let is_watched = |name: &str, texture: &Texture| resource.is_none_or(|one| one == name) && has(texture, at);
        let found = world.textures().filter(|(name, texture)| is_watched(name, texture));
        let textures: Vec<_> = found.map(|(name, texture)| (name, texture.clone())).collect();
        if textures.is_empty() {
            let what = resource.map_or("no texture has a".to_owned(), |name| format!("`{}` has no", short(name)));
            return Err((Problem::value(format!("{what} pixel ({}, {})", at[0], at[1])), 0..0));
        }
        Ok(Self { at, resource, textures, steps: Vec::new() })
    }

    /// The pixel, if the draw is to be recorded: it draws to a watched texture, and all of its targets have the pixel.
    pub fn of_draw(&self, draw: &DrawAction<'_>) -> Option<[u32; 2]> {
        let is_watched = drawn_to(draw.said).any(|name| self.resource.is_none_or(|resource| resource == name));
        let depth = draw.targets.depth.iter().map(|depth| &depth.view);
        let mut views = draw.targets.colors.iter().chain(depth);
        (is_watched && views.all(|view| shows(view, self.at))).then_some(self.at)
    }

    /// Records the effect of a draw.
    pub fn drew(&mut self, step: usize, draw: &DrawAction<'_>, history: PixelHistory) {
        let formats = draw.targets.colors.iter().filter_map(View::format);
        let names = draw.said.targets.iter().map(|target| target.resource.clone());
        self.steps.push(PixelStep {
            step,
            kind: "draw",
            pipeline: Some(draw.said.pipeline.value.clone()),
            textures: names.zip(formats).collect(),
            history: Some(history),
            texels: Vec::new(),
        });
    }

    /// The codes of the pixel in all textures.
    pub fn texels(&self) -> Result<Vec<u128>, Fault> {
        let codes = self.textures.iter().map(|(_, texture)| texel(texture, self.at));
        codes.collect::<Result<_, _>>().map_err(|error| (error.into(), 0..0))
    }

    /// Records the effect of another step, if it changed the pixel.
    pub fn did(&mut self, n: usize, step: &DocumentStep, before: &[u128]) -> Result<(), Fault> {
        let (mut textures, mut texels) = (Vec::new(), Vec::new());
        for (((name, texture), &before), after) in self.textures.iter().zip(before).zip(self.texels()?) {
            if before != after {
                textures.push(((*name).to_owned(), texture.shape().format));
                texels.push([before, after]);
            }
        }
        let pipeline = match &step.what {
            What::Dispatch(dispatch) => Some(dispatch.pipeline.value.clone()),
            _ => None,
        };
        if !textures.is_empty() {
            self.steps.push(PixelStep { step: n, kind: step.name(), pipeline, textures, history: None, texels });
        }
        Ok(())
    }
}

/// `true` if a texture has a pixel.
fn has(texture: &Texture, [x, y]: [u32; 2]) -> bool {
    x < texture.shape().width && y < texture.shape().height
}

/// `true` if a view's first level has a pixel.
fn shows(view: &View, [x, y]: [u32; 2]) -> bool {
    let level = view.subresources().and_then(|part| part.texture.level(part.mips.start, part.layers.start).ok());
    level.is_some_and(|level| x < level.extents[0] && y < level.extents[1])
}

/// The resources that a draw draws to.
fn drawn_to(draw: &step::Draw) -> impl Iterator<Item = &str> {
    draw.targets.iter().chain(&draw.depth).map(|target| target.resource.as_str())
}
