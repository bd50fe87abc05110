//! A scene file, read: each item of its sections on its own. Names are looked up elsewhere.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;

use super::direct3d9;
use super::document::{Expect, Pipeline, Resource, Sampler, Save, Shader, item};
use super::error::{Problem, SceneError};
use super::names::Named;
use super::step::Step;

/// A scene file.
#[derive(Debug)]
pub(super) struct Document {
    pub name: Option<String>,
    /// Whether its draws are those of Direct3D 9.
    pub is_direct3d9: bool,
    pub shaders: BTreeMap<String, Shader>,
    pub resources: BTreeMap<String, Resource>,
    pub samplers: BTreeMap<String, Sampler>,
    pub pipelines: BTreeMap<String, Pipeline>,
    pub steps: Vec<Step>,
    pub save: Vec<Save>,
    pub expect: Vec<Expect>,
}

/// Items of a section, each of which is read on its own, so that complaints can say where.
type Items<'a> = BTreeMap<String, &'a RawValue>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "comments are allowed, and not read")]
struct Sections<'a> {
    name: Option<String>,
    api: Option<String>,
    #[serde(borrow, default)]
    shaders: Items<'a>,
    #[serde(borrow, default)]
    resources: Items<'a>,
    #[serde(borrow, default)]
    samplers: Items<'a>,
    #[serde(borrow, default)]
    pipelines: Items<'a>,
    #[serde(borrow)]
    steps: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    save: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    expect: Vec<&'a RawValue>,
    exercises: Option<IgnoredAny>,
    note: Option<IgnoredAny>,
    disagreements: Option<IgnoredAny>,
    references: Option<IgnoredAny>,
}

impl Document {
    /// Reads the text of a scene.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let sections: Sections<'_> =
            serde_json::from_str(text).map_err(|error| SceneError::document("", error.to_string()))?;
        let is_direct3d9 = match sections.api.as_deref() {
            None | Some("d3d11") => false,
            Some("d3d9") => true,
            Some(other) => return Err(SceneError::value("api", format!("the API is d3d11 or d3d9, not {other:?}"))),
        };
        let Draws { samplers, pipelines, steps } = match is_direct3d9 {
            true => Draws::of_direct3d9(&sections)?,
            // Where nothing says which API it is, a mistake in one may be right in the other.
            false => Draws::of_direct3d11(&sections).map_err(|mut error| {
                if let Problem::Document { is_direct3d9, .. } = &mut *error.problem {
                    *is_direct3d9 = sections.api.is_none() && Draws::of_direct3d9(&sections).is_ok();
                }
                error
            })?,
        };
        let resources: BTreeMap<String, Resource> = items("resources", &sections.resources)?;
        for (name, resource) in resources.iter().filter(|_| !is_direct3d9) {
            if resource.format.is_some_and(|Named(format)| format.is_direct3d9) {
                let message = "a format of Direct3D 9, in a scene without `\"api\": \"d3d9\"`";
                return Err(SceneError::value(format!("resources.{name}.format"), message));
            }
        }
        let save = sections.save.iter().enumerate().map(|(n, save)| item(&format!("save[{n}]"), save));
        let expect = sections.expect.iter().enumerate().map(|(n, expect)| item(&format!("expect[{n}]"), expect));
        Ok(Self {
            name: sections.name,
            is_direct3d9,
            shaders: items("shaders", &sections.shaders)?,
            resources,
            samplers,
            pipelines,
            steps,
            save: save.collect::<Result<_, _>>()?,
            expect: expect.collect::<Result<_, _>>()?,
        })
    }
}

/// What APIs say in different ways.
struct Draws {
    samplers: BTreeMap<String, Sampler>,
    pipelines: BTreeMap<String, Pipeline>,
    steps: Vec<Step>,
}

impl Draws {
    fn of_direct3d11(sections: &Sections<'_>) -> Result<Self, SceneError> {
        Ok(Self {
            steps: sections.read_steps(Step::parse)?,
            samplers: items("samplers", &sections.samplers)?,
            pipelines: items("pipelines", &sections.pipelines)?,
        })
    }

    fn of_direct3d9(sections: &Sections<'_>) -> Result<Self, SceneError> {
        let samplers = items::<direct3d9::Sampler>("samplers", &sections.samplers)?;
        let mut pipelines = direct3d9::Pipelines::new(items("pipelines", &sections.pipelines)?, &samplers);
        let samplers = samplers.into_iter().map(|(name, sampler)| (name, sampler.into())).collect();
        let steps = sections.read_steps(|place, step| pipelines.step(place, step))?;
        Ok(Self { samplers, pipelines: pipelines.made, steps })
    }
}

impl Sections<'_> {
    fn read_steps(
        &self,
        mut read: impl FnMut(&str, &RawValue) -> Result<Step, SceneError>,
    ) -> Result<Vec<Step>, SceneError> {
        let steps = self.steps.iter().enumerate();
        steps.map(|(n, step)| read(&format!("steps[{n}]"), step)).collect()
    }
}

fn items<T: DeserializeOwned>(section: &str, items: &Items<'_>) -> Result<BTreeMap<String, T>, SceneError> {
    items.iter().map(|(name, raw)| Ok((name.clone(), item(&format!("{section}.{name}"), raw)?))).collect()
}
