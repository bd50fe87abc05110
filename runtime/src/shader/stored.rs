//! Stores the code of shaders in the disk cache, and loads it.
//!
//! The unsafe code here turns bytes from the cache into machine code; the comments there say why they can be trusted.

#![allow(unsafe_code)]

use brolga_jit::Compiled;

use super::module::Program;
use super::options::CompileOptions;
use super::outline::Outline;
use crate::cache::{Cache, Key, KeyBuilder};
use crate::engine::{Code, CodeTarget, Engine, Variant};
use crate::limits::Limits;

/// The cache entries of one shader, one for each of its variants.
#[derive(Debug)]
pub(super) struct Stored {
    cache: Cache,
    keys: KeyBuilder,
    target: CodeTarget,
    /// The shader's name, if it has one.
    name: Option<String>,
    profile: String,
}

impl Stored {
    /// The entries of a shader, if its program has an identity. Only machine code is stored.
    pub fn new(
        cache: &Cache,
        program: &dyn Program,
        options: &CompileOptions,
        limits: &Limits,
        target: CodeTarget,
    ) -> Option<Self> {
        // A new option must be considered here: does it affect the code?
        let CompileOptions {
            engine,
            oversize: _,
            level,
            width,
            codegen: _,
            state,
            float_rules,
            fused_mad,
            stage_textures,
            compared,
            divisors,
            instances,
            name,
        } = options;
        if *engine != Engine::Jit {
            return None;
        }
        let what = program.identity()?;
        let profile = program.profile().unwrap_or("function".to_owned());
        let rules = (float_rules, fused_mad, stage_textures, compared, divisors);
        let processor = (target.features, target.vector_bytes);
        let keys = KeyBuilder::new((what, level, width, state, rules, instances, limits, processor));
        Some(Self { cache: cache.clone(), keys, target, name: name.clone(), profile })
    }

    /// The code of a variant, under this name for profilers, and the outline of the shader.
    pub fn load(&self, variant: &Variant, name: &str) -> Option<(Outline, Code)> {
        let options = self.target.options(variant.packing).ok()?;
        self.cache.load(&self.key(variant), |bytes| {
            let (outline, code) = parts(bytes)?;
            if code.is_empty() {
                return Some(None);
            }
            // SAFETY: the cache returns the bytes that this user stored for the key, unchanged. Only `store` stores
            // under such keys, and it stores the result of `to_bytes`; other options, and builds of other sources, have
            // other keys.
            let compiled = unsafe { Compiled::from_bytes(code, &options, name) }.ok()?;
            Some(Some((outline, Code::Jit(Box::new(compiled)))))
        })
    }

    /// The outline of the shader, which is stored with its usual code, or alone if other code was stored.
    pub fn outline(&self) -> Option<Outline> {
        self.cache.look(&self.key(&Variant::usual()), |bytes| parts(bytes).map(|(outline, _)| outline))
    }

    /// Stores the code of a variant, and ensures that the outline is stored under the key by which it will be looked
    /// up.
    pub fn store(&self, variant: &Variant, outline: &Outline, code: &Code) {
        let Code::Jit(compiled) = code else { return };
        let named = |what: &str| {
            let name = self.name.as_ref();
            name.map_or_else(String::new, |name| format!("{name}:{} {}{what}", outline.name, self.profile))
        };
        let content =
            |code: &[u8]| postcard::to_allocvec(&(outline, code)).expect("lists and numbers always have a form");
        self.cache.store(&self.key(variant), &named(variant.difference()), &content(&compiled.to_bytes()));
        if !variant.is_usual() && self.outline().is_none() {
            self.cache.put(&self.key(&Variant::usual()), &named(", declarations"), &content(&[]));
        }
    }

    /// The key of a requested variant, whose packing the shader may or may not turn out to have.
    fn key(&self, variant: &Variant) -> Key {
        self.keys.key(variant)
    }
}

/// An outline and the bytes of code, empty if there is only an outline.
fn parts(bytes: &[u8]) -> Option<(Outline, &[u8])> {
    match postcard::take_from_bytes(bytes) {
        Ok((parts, [])) => Some(parts),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use brolga_ir::Width;
    use brolga_ir::function::Function;
    use brolga_ir::interface::Interface;
    use brolga_ir::passes::Level;
    use brolga_ir::span::Packing;
    use brolga_jit::CpuFeatures;

    use super::*;
    use crate::error::Error;
    use crate::{ClassInstance, Format};

    /// A program of these bytes.
    #[derive(Debug)]
    struct Bytes(Vec<u8>);

    impl Program for Bytes {
        fn interface(&self) -> Result<Interface, Error> {
            Ok(Interface::default())
        }

        fn translate(&self, _: &CompileOptions) -> Result<Function, Error> {
            Ok(Function::new("main", Interface::default()))
        }

        fn identity(&self) -> Option<Cow<'_, [u8]>> {
            Some(Cow::Borrowed(&self.0))
        }
    }

    /// Two packings, and two formats of a texture.
    fn variants() -> [Variant; 4] {
        let float = Format::R32_FLOAT.texel_format();
        let texels = |texels: &[_]| Variant { texels: texels.into(), ..Variant::usual() };
        let grid = Variant { packing: Packing::Grid, ..Variant::usual() };
        [texels(&[]), grid, texels(&[float]), texels(&[None, float])]
    }

    fn keys(container: &[u8], options: &CompileOptions, limits: &Limits) -> Vec<Key> {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let target = target(options.engine, brolga_jit::CpuFeatures::detect());
        let stored = Stored::new(&cache, &Bytes(container.to_vec()), options, limits, target);
        stored.map_or(Vec::new(), |stored| variants().iter().map(|variant| stored.key(variant)).collect())
    }

    fn target(engine: Engine, features: Option<CpuFeatures>) -> CodeTarget {
        let (vector_bytes, oversize) = Default::default();
        CodeTarget { engine, features, vector_bytes, most_instructions: 1000, oversize }
    }

    #[test]
    fn whatever_decides_about_the_code_is_in_the_key() {
        if brolga_jit::Options::host().is_none() {
            return;
        }
        let container = b"DXBC and so on";
        let plain = CompileOptions::new(Engine::Jit);
        let instance = |to: ClassInstance| plain.clone().instance("light", to);
        let placed = || ClassInstance::of_class("Sun");
        let all = [
            plain.clone(),
            plain.clone().level(Level::None),
            plain.clone().width(Width::Eight),
            plain.clone().width(Width::Sixteen),
            instance("sun".into()),
            instance("suns[1]".into()),
            plain.clone().instance("lights", "sun"),
            instance("sun".into()).instance("lamp", "sun"),
            instance(placed().into()),
            instance(placed().constants(0, 1).into()),
            instance(placed().constants(1, 0).into()),
            instance(placed().texture(1).into()),
            instance(placed().sampler(1).into()),
        ];
        let limits = Limits::default();
        let mut found: Vec<Key> = all.iter().flat_map(|options| keys(container, options, &limits)).collect();
        for change in [
            |limits: &mut Limits| limits.group_threads -= 1,
            |limits: &mut Limits| limits.shared_bytes -= 1,
            |limits: &mut Limits| limits.range_registers -= 1,
            |limits: &mut Limits| limits.constant_vectors -= 1,
            |limits: &mut Limits| limits.arena_bytes -= 1,
            |limits: &mut Limits| limits.code_instructions -= 1,
            |limits: &mut Limits| limits.file.flow_depth -= 1,
        ] {
            let mut limits = Limits::default();
            change(&mut limits);
            found.extend(keys(container, &plain, &limits));
        }
        for at in 0..container.len() {
            let mut container = *container;
            container[at] ^= 1;
            found.extend(keys(&container, &plain, &limits));
            found.extend(keys(&container[..at], &plain, &limits));
        }
        let differ = found.iter().enumerate().all(|(n, key)| !found[..n].contains(key));
        assert!(differ && found.len() == 4 * (all.len() + 7 + 2 * container.len()));

        // Names are for profilers only, and the interpreter has no code.
        assert_eq!(keys(container, &plain.clone().named("add.cso"), &limits), found[..4]);
        assert!(keys(container, &CompileOptions::new(Engine::Interpreter), &limits).is_empty());
    }

    #[test]
    fn processors_differ_in_their_keys() {
        let all = [
            CpuFeatures::default(),
            CpuFeatures { avx: true, ..CpuFeatures::default() },
            CpuFeatures { avx2: true, ..CpuFeatures::default() },
            CpuFeatures { fma: true, ..CpuFeatures::default() },
            CpuFeatures { avx512: true, ..CpuFeatures::default() },
            CpuFeatures { gathers: true, ..CpuFeatures::default() },
        ];
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let (options, limits) = (CompileOptions::new(Engine::Jit), Limits::default());
        let targets = all.map(|features| target(Engine::Jit, Some(features)));
        let narrow = [Some(brolga_jit::VectorBytes::Sixteen), Some(brolga_jit::VectorBytes::ThirtyTwo)]
            .map(|vector_bytes| CodeTarget { vector_bytes, ..targets[2] });
        let found = targets.into_iter().chain(narrow).map(|target| {
            let stored = Stored::new(&cache, &Bytes(b"DXBC".to_vec()), &options, &limits, target);
            stored.unwrap().key(&Variant::usual())
        });
        let found: Vec<Key> = found.collect();
        assert!(found.iter().enumerate().all(|(n, key)| !found[..n].contains(key)));
    }
}
