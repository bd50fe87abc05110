//! Frames: a scene or a drawing of the suite on one engine and one device, again and again.

use std::time::Duration;

use brolga_runtime::{CancelToken, Device, Engine};

use super::clock::{Sample, Stopwatch};
use super::samples::Samples;
use super::suite::Drawing;
use super::{Measured, repeat};
use crate::job::RunOptions;
use crate::raster::Statistics;
use crate::scene::{ReadyScene, Scene, SceneError};

/// Samples at most, which bounds the memory for them.
const MOST_SAMPLES: usize = 1 << 20;

/// What a frame is of.
#[derive(Debug)]
enum Subject<'a> {
    Scene(Box<ReadyScene<'a>>),
    Drawing(Box<Drawing>),
}

/// Frames of one thing on one engine and one device.
#[derive(Debug)]
pub struct Frames<'a> {
    subject: Subject<'a>,
    device: &'a Device,
    engine: Engine,
    cancel: CancelToken,
    /// From the shaders' bytes to the end of the first frame.
    first: Sample,
    statistics: Statistics,
    frames: Samples,
    failure: Option<SceneError>,
}

impl<'a> Frames<'a> {
    /// Compiles a scene and does all its steps once, unmeasured. Later frames find in memory what the one before left there.
    ///
    /// # Errors
    /// As [`Scene::run`].
    pub fn of_scene(scene: &'a Scene, device: &'a Device, options: &RunOptions) -> Result<Self, SceneError> {
        let watch = Stopwatch::start();
        let scene = scene.prepare(device, options)?;
        Self::begin(Subject::Scene(Box::new(scene)), watch.stop(), device, options)
    }

    /// The same of a drawing of the suite; none if there is none of this name.
    ///
    /// # Errors
    /// If the device's limits are too low for it.
    pub fn of_drawing(name: &str, device: &'a Device, options: &RunOptions) -> Option<Result<Self, SceneError>> {
        let begin = |drawing: Drawing| {
            let compiling = drawing.compiling();
            Self::begin(Subject::Drawing(Box::new(drawing)), compiling, device, options)
        };
        Some(Drawing::new(name, device, options.engine)?.map_err(SceneError::of_draw).and_then(begin))
    }

    fn begin(
        subject: Subject<'a>,
        compiling: Sample,
        device: &'a Device,
        options: &RunOptions,
    ) -> Result<Self, SceneError> {
        let watch = Stopwatch::start();
        let statistics = subject.frame()?;
        let first = watch.stop().after(compiling);
        let (engine, cancel) = (options.engine, options.cancel.clone());
        Ok(Self { subject, device, engine, cancel, first, statistics, frames: Samples::default(), failure: None })
    }

    /// What runs the shaders.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// What it runs on.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// From the shaders' bytes to the end of the first frame.
    pub fn first(&self) -> Sample {
        self.first
    }

    /// The part of it that went into compiling.
    pub fn compile_time(&self) -> Duration {
        match &self.subject {
            Subject::Scene(scene) => scene.compile_time(),
            Subject::Drawing(drawing) => drawing.compiling().wall,
        }
    }

    /// The part of it in which a scene's steps became actions.
    pub fn plan_time(&self) -> Duration {
        match &self.subject {
            Subject::Scene(scene) => scene.plan_time(),
            Subject::Drawing(_) => Duration::ZERO,
        }
    }

    /// What the draws of a frame did together.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Times of frames.
    pub fn frames(&self) -> &Samples {
        &self.frames
    }

    /// Takes out why it is not measured further.
    pub fn take_failure(&mut self) -> Option<SceneError> {
        self.failure.take()
    }

    /// Draws for a time, or once; keeps the times if they are wanted.
    pub(super) fn turn(&mut self, time: Option<Duration>, keep: bool) {
        let result = repeat(time, || {
            let watch = Stopwatch::start();
            self.subject.frame()?;
            let sample = watch.stop();
            if keep && self.frames.len() < MOST_SAMPLES {
                self.frames.push(sample);
            }
            Ok(sample.wall)
        });
        self.failure = result.err();
    }
}

impl Subject<'_> {
    fn frame(&self) -> Result<Statistics, SceneError> {
        match self {
            Subject::Scene(scene) => scene.frame(),
            Subject::Drawing(drawing) => drawing.draw().map_err(SceneError::of_draw),
        }
    }
}

impl Measured for Frames<'_> {
    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}
