//! Whole draws, from vertices to targets.
mod canvas;
mod coverage;
mod depth;
mod effects;
mod interpolation;
mod model;
mod shaders;
mod targets;
mod vertices;
