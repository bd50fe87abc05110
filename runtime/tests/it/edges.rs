//! Tests views at the very ends of their buffers, empty views, and buffers that several registers share: the engines
//! agree, and with guard pages right beside the views nothing outside is read or written.

use brolga_runtime::{
    BindingRules, Bindings, CompileOptions, Component, Counter, Declared, Device, Dimension, Dispatch, Format,
    GuardPages, ResourceClass, ResourceKind, Shader, TextureShape, View,
};

use crate::support::ENGINES;
use crate::support::case::{compute_shaders, data};
use crate::support::random::{Random, contents};

/// Loop iterations for a group.
const FUEL: u64 = 2_000;

/// Words of a buffer that views cover a part of. A whole number of pages, so that both ends may lie beside a guard.
const WORDS: u64 = 1024;

/// Sizes of views in words. Shaders that read four words at once go beyond the end of the smallest.
const SIZES: [u64; 6] = [0, 1, 2, 3, 5, 1000];

/// Extents of textures: rows that packets fill, rows that they do not, and single texels.
const EXTENTS: [[u32; 3]; 3] = [[32, 16, 2], [7, 5, 3], [1, 1, 1]];

/// A view of a texture's first level or its last, which is next to the guard, if code accesses such texels directly.
fn texture_view(
    device: &Device,
    declared: &Declared,
    [width, height, depth]: [u32; 3],
    at_end: bool,
    random: &mut Random,
) -> Option<View> {
    let ResourceKind::Typed { dimension, component } = declared.kind else { return None };
    let shape = TextureShape::new(dimension, words_of(component), width);
    let shape = match dimension {
        Dimension::Texture1d => shape,
        Dimension::Texture1dArray => shape.layers(depth),
        Dimension::Texture2d => shape.height(height),
        Dimension::Texture2dArray => shape.height(height).layers(depth),
        Dimension::Texture3d => shape.height(height).depth(depth),
        _ => return None,
    };
    // The last level of the last layer is the end of the buffer.
    let mips = if width > 1 { 2 } else { 1 };
    let shape = shape.mips(mips);
    let words: Vec<u32> = (0..shape.size_bytes().unwrap() / 4).map(|_| random.word()).collect();
    let view = View::texture(device.texture_from(shape, &words).unwrap());
    let first = if at_end { mips - 1 } else { 0 };
    Some(view.with_mips(first, 1).unwrap())
}

/// A view of `size` words at the buffer's end, or at its start.
fn view(device: &Device, declared: &Declared, size: u64, at_end: bool, random: &mut Random) -> Option<View> {
    let words: Vec<u32> = (0..WORDS).map(|_| random.word()).collect();
    let buffer = device.buffer_from(&words).unwrap();
    let view = match declared.kind {
        ResourceKind::Constant { .. } => View::constant(buffer),
        ResourceKind::Raw => View::raw(buffer),
        ResourceKind::Structured { stride_bytes } => View::structured(buffer, stride_bytes),
        ResourceKind::Typed { dimension: Dimension::Buffer, component } => View::typed(buffer, words_of(component)),
        // A texture is a whole buffer: there is nothing beside the view.
        ResourceKind::Typed { .. } | ResourceKind::Sampler { .. } => return None,
    };
    let offset = if at_end { WORDS - size } else { 0 };
    let view = view.unwrap().with_range(offset * 4, size * 4).unwrap();
    Some(if declared.uses_counter { view.with_counter(Counter::new(40)).unwrap() } else { view })
}

/// A format of one word, which code accesses directly.
fn words_of(component: Component) -> Format {
    match component {
        Component::Unorm => Format::R8G8B8A8_UNORM,
        Component::Snorm => Format::R8G8B8A8_SNORM,
        Component::Sint => Format::R32_SINT,
        Component::Uint => Format::R32_UINT,
        Component::Float | Component::Mixed | Component::Double => Format::R32_FLOAT,
    }
}

/// Outcome of a run, and the contents of the views' whole buffers.
fn run(device: &Device, shader: &Shader, bindings: &Bindings) -> (String, Vec<Vec<u8>>) {
    let dispatch = Dispatch::new([2, 1, 1]).fuel(FUEL);
    let end =
        device.dispatch(shader, bindings, &dispatch).map_or_else(|error| error.to_string(), |_| "done".to_owned());
    (end, bindings.iter().map(|(_, view)| view.to_vec().unwrap()).collect())
}

/// Compiles some of the corpus for every engine and lets `check` bind and run.
fn each_shader(step: usize, check: impl Fn(&str, u64, &[Shader])) {
    let device = Device::builder().threads(1).build().unwrap();
    let mut ran = 0;
    for (seed, path) in (1..).zip(compute_shaders()).step_by(step) {
        let bytes = std::fs::read(&path).unwrap();
        let shaders = ENGINES.iter().map_while(|&engine| device.compile(&bytes, &CompileOptions::new(engine)).ok());
        let shaders: Vec<Shader> = shaders.collect();
        if shaders.len() == ENGINES.len() {
            check(&path.strip_prefix(data()).unwrap_or(&path).display().to_string(), seed, &shaders);
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran} shaders ran");
}

#[test]
fn views_at_the_ends_of_buffers_are_all_that_is_touched() {
    for (guards, at_end) in [(GuardPages::After, true), (GuardPages::Before, false)] {
        let device = Device::builder().threads(1).guard_pages(guards).build().unwrap();
        each_shader(5, |name, seed, shaders| {
            for size in SIZES {
                let ends = shaders.iter().map(|shader| {
                    let (mut random, mut bindings) = (Random::tame(seed), Bindings::with_rules(BindingRules::PARTIAL));
                    for declared in shader.bindings() {
                        if let Some(view) = view(&device, declared, size, at_end, &mut random) {
                            bindings.set(declared.register, view);
                        }
                    }
                    run(&device, shader, &bindings)
                });
                let ends: Vec<_> = ends.collect();
                assert!(ends.iter().all(|end| *end == ends[0]), "{name}: views of {size} words, {guards:?}");
            }
        });
    }
}

#[test]
fn textures_beside_guards_are_all_that_is_touched() {
    for (guards, at_end) in [(GuardPages::After, true), (GuardPages::Before, false)] {
        let device = Device::builder().threads(1).guard_pages(guards).build().unwrap();
        each_shader(1, |name, seed, shaders| {
            let is_texture = |declared: &Declared| matches!(declared.kind, ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer);
            if !shaders[0].bindings().iter().any(is_texture) {
                return;
            }
            for extents in EXTENTS {
                let ends = shaders.iter().map(|shader| {
                    let (mut random, mut bindings) = (Random::tame(seed), Bindings::with_rules(BindingRules::PARTIAL));
                    for declared in shader.bindings() {
                        let bound = match is_texture(declared) {
                            true => texture_view(&device, declared, extents, at_end, &mut random),
                            false => view(&device, declared, 1000, at_end, &mut random),
                        };
                        if let Some(view) = bound {
                            bindings.set(declared.register, view);
                        }
                    }
                    run(&device, shader, &bindings)
                });
                let ends: Vec<_> = ends.collect();
                assert!(ends.iter().all(|end| *end == ends[0]), "{name}: textures of {extents:?}, {guards:?}");
            }
        });
    }
}

#[test]
fn written_registers_may_share_a_buffer() {
    let device = Device::builder().threads(1).build().unwrap();
    let is_word_view = |declared: &&Declared| {
        declared.is_writable() && matches!(declared.kind, ResourceKind::Raw | ResourceKind::Structured { .. })
    };
    each_shader(3, |name, seed, shaders| {
        if shaders[0].bindings().iter().filter(is_word_view).count() < 2 {
            return;
        }
        let ends = shaders.iter().map(|shader| {
            let mut random = Random::tame(seed);
            let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
            for (register, content) in contents(shader, &mut random) {
                bindings.set(register, content.view(&device));
            }
            let shared = device.buffer_from(&[1u8; 4096]).unwrap();
            for declared in shader.bindings().iter().filter(is_word_view) {
                let view = match declared.kind {
                    ResourceKind::Structured { stride_bytes } => View::structured(shared.clone(), stride_bytes),
                    _ => View::raw(shared.clone()),
                };
                let view = view.unwrap();
                let view = if declared.uses_counter { view.with_counter(Counter::new(1)).unwrap() } else { view };
                bindings.set(declared.register, view);
            }
            run(&device, shader, &bindings)
        });
        let ends: Vec<_> = ends.collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{name}: {:?}, {:?}", ends[0].0, ends[1].0);
    });
}

#[test]
fn what_is_read_and_written_must_not_be_one_buffer() {
    let device = Device::builder().threads(1).build().unwrap();
    let copy = compute_shaders().into_iter().find_map(|path| {
        let shader = device.compile(&std::fs::read(path).unwrap(), &CompileOptions::default()).ok()?;
        let has = |class: ResourceClass| {
            let of_class =
                |declared: &&Declared| declared.register.class == class && declared.kind == ResourceKind::Raw;
            shader.bindings().iter().find(of_class).map(|declared| declared.register)
        };
        let (read, written) = (has(ResourceClass::ShaderResource)?, has(ResourceClass::UnorderedAccess)?);
        Some((shader, read, written))
    });
    let (shader, read, written) = copy.expect("the corpus has a shader that copies raw buffers");
    let buffer = device.buffer(256).unwrap();
    let ends = |source: (u64, u64), target: (u64, u64)| {
        let part = |(offset, size): (u64, u64)| View::raw(buffer.clone()).unwrap().with_range(offset, size).unwrap();
        let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
        bindings.set(read, part(source)).set(written, part(target));
        run(&device, &shader, &bindings).0
    };
    // Neighbours are two pieces of memory.
    assert_eq!(ends((0, 128), (128, 128)), "done");
    assert_eq!(ends((128, 128), (0, 128)), "done");
    assert_ne!(ends((0, 132), (128, 128)), "done");
    assert_ne!(ends((0, 256), (0, 256)), "done");
    // Empty views share nothing.
    assert_eq!(ends((256, 0), (0, 256)), "done");
}

#[test]
fn buffers_of_no_bytes_are_views_of_nothing() {
    for guards in [GuardPages::Off, GuardPages::After, GuardPages::Before] {
        let device = Device::builder().threads(1).guard_pages(guards).build().unwrap();
        let buffer = device.buffer(0).unwrap();
        assert_eq!((buffer.size_bytes(), buffer.to_vec::<u8>().unwrap()), (0, Vec::new()));
        let views = [
            View::constant(buffer.clone()),
            View::raw(buffer.clone()),
            View::structured(buffer.clone(), 4),
            View::typed(buffer.clone(), Format::R32_UINT),
        ];
        for view in views {
            let view = view.unwrap();
            assert!(
                view.to_vec::<u8>().unwrap().is_empty()
                    && view.clone().with_range(0, 0).is_ok()
                    && view.with_range(0, 4).is_err()
            );
        }
    }
}
