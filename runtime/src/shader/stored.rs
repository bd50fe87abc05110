//! A shader's place in the disk cache.
//!
//! The unsafe code here makes machine code of bytes from the cache; what vouches for them is said there.

#![allow(unsafe_code)]

use brolga_jit::Compiled;

use super::{CompileOptions, Engine, Outline, Variant};
use crate::cache::{Cache, Key, KeyBuilder};
use crate::engine::{Code, Target};
use crate::limits::Limits;

/// Where a cache has the code of one shader, in each of its variants.
#[derive(Debug)]
pub(super) struct Stored {
    cache: Cache,
    keys: KeyBuilder,
    target: Target,
    /// What the shader is called, if it has a name.
    name: Option<String>,
    profile: String,
}

impl Stored {
    /// The place of a shader. Only machine code is stored.
    pub fn new(
        cache: &Cache,
        container: &[u8],
        options: &CompileOptions,
        limits: &Limits,
        target: Target,
        profile: String,
    ) -> Option<Self> {
        // A new option must be looked at here: does it decide about the code?
        let CompileOptions { engine, oversize: _, level, width, instances, name } = options;
        match engine {
            Engine::Jit => {
                let keys = KeyBuilder::new((container, level, width, instances, limits));
                Some(Self { cache: cache.clone(), keys, target, name: name.clone(), profile })
            }
            Engine::Interpreter => None,
        }
    }

    /// The code of a variant, which profilers are to know by a name, and the outline of the shader.
    pub fn load(&self, variant: &Variant, name: &str) -> Option<(Outline, Code)> {
        let options = self.target.jit_options(variant.packing).ok()?;
        self.cache.load(&self.key(variant)?, |bytes| {
            let (outline, code) = match postcard::take_from_bytes::<(Outline, &[u8])>(bytes) {
                Ok((parts, [])) => parts,
                _ => return None,
            };
            // SAFETY: the cache gives the bytes that this user stored for the key, unchanged. `store` is all that stores
            // under such keys, and what it stores is from `to_bytes`; keys of other options, and of builds of other
            // sources, are others.
            let compiled = unsafe { Compiled::from_bytes(code, &options, name) }.ok()?;
            Some((outline, Code::Jit(Box::new(compiled))))
        })
    }

    /// Stores the code of a variant.
    pub fn store(&self, variant: &Variant, outline: &Outline, code: &Code) {
        if let (Code::Jit(compiled), Some(key)) = (code, self.key(variant)) {
            let bytes = postcard::to_allocvec(&(outline, compiled.to_bytes().as_slice()));
            let named = |name: &String| format!("{name}:{} {}{}", outline.name, self.profile, variant.difference());
            let name = self.name.as_ref().map_or_else(String::new, named);
            self.cache.store(&key, &name, &bytes.expect("lists and numbers always have a form"));
        }
    }

    /// The key of a variant that is asked for, whose packing the shader then may or may not have.
    fn key(&self, variant: &Variant) -> Option<Key> {
        Some(self.keys.key((self.target.jit_options(variant.packing).ok()?, &variant.texels)))
    }
}

#[cfg(test)]
mod tests {
    use brolga_ir::Width;
    use brolga_ir::passes::Level;
    use brolga_ir::span::Packing;

    use super::*;
    use crate::shader::{Oversize, Texels};
    use crate::{ClassInstance, Format};

    /// Two packings, and two formats of a texture.
    fn variants() -> [Variant; 4] {
        let float = Format::R32_FLOAT.texel_format();
        let texels = |texels: &[_]| Variant { packing: Packing::Row, texels: texels.into() };
        let grid = Variant { packing: Packing::Grid, texels: Texels::default() };
        [texels(&[]), grid, texels(&[float]), texels(&[None, float])]
    }

    fn keys(container: &[u8], options: &CompileOptions, limits: &Limits) -> Vec<Key> {
        let folder = tempfile::tempdir().unwrap();
        let (engine, features) = (options.engine, brolga_jit::CpuFeatures::detect());
        let target = Target { engine, features, most_instructions: 1000, oversize: Oversize::default() };
        let stored =
            Stored::new(&Cache::open(folder.path()).unwrap(), container, options, limits, target, String::new());
        stored.map_or(Vec::new(), |stored| variants().iter().filter_map(|variant| stored.key(variant)).collect())
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

        // A name is for profilers, and the interpreter has no code.
        assert_eq!(keys(container, &plain.clone().named("add.cso"), &limits), found[..4]);
        assert!(keys(container, &CompileOptions::new(Engine::Interpreter), &limits).is_empty());
    }

    #[test]
    fn processors_differ_in_their_keys() {
        use brolga_jit::{CpuFeatures, Options};

        let keys = KeyBuilder::new("shader");
        let all = [
            CpuFeatures::default(),
            CpuFeatures { avx: true, ..CpuFeatures::default() },
            CpuFeatures { avx2: true, ..CpuFeatures::default() },
            CpuFeatures { fma: true, ..CpuFeatures::default() },
        ];
        let key = |features| keys.key(Options { features, packing: Packing::Row, most_instructions: 1000 });
        let found = all.map(key);
        assert!(found.iter().enumerate().all(|(n, key)| !found[..n].contains(key)));
    }
}
