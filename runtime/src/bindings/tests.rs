//! Tests the check of bindings: accepted and refused ones.

use brolga_ir::interface::{Component, Dimension, ResourceClass, ResourceKind};
use brolga_ir::pipeline::SPACE;
use brolga_resource::format::Format;
use brolga_resource::{Buffer, Counter, GuardPages, Texture, TextureShape};

use super::*;
use crate::error::Error;
use crate::limits::Limits;

fn declare(register: &str, kind: ResourceKind) -> Declared {
    Declared::one(register.parse().unwrap(), kind)
}

fn typed(dimension: Dimension, component: Component) -> ResourceKind {
    ResourceKind::Typed { dimension, component }
}

fn bytes() -> Buffer {
    Buffer::zeroed(256, GuardPages::default()).unwrap()
}

fn check(declared: &[Declared], bound: &[(&str, View)]) -> Result<(), BindingError> {
    check_by(BindingRules::COMPLETE, declared, bound)
}

fn check_by(rules: BindingRules, declared: &[Declared], bound: &[(&str, View)]) -> Result<(), BindingError> {
    let mut bindings = Bindings::with_rules(rules);
    for (register, view) in bound {
        bindings.set(register.parse().unwrap(), view.clone());
    }
    match check::resolve(declared, (&bindings).into(), &Limits::default(), |_, _, _| ()) {
        Ok(_) => Ok(()),
        Err(Error::Binding(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn registers_that_nothing_is_bound_to() {
    let declared = [declare("u1", ResourceKind::Raw)];
    let error = check(&declared, &[]).unwrap_err();
    assert_eq!(error.to_string(), "u1 is declared as raw buffer but nothing is bound to it");
    check_by(BindingRules::PARTIAL, &declared, &[]).unwrap();
}

#[test]
fn registers_that_are_not_declared() {
    let declared = [
        declare("b0", ResourceKind::Constant { vectors: 1 }),
        Declared { count: Some(4), ..declare("t3,space1", ResourceKind::Raw) },
        Declared { count: None, ..declare("u7,space2", ResourceKind::Raw) },
    ];
    let view = View::raw(bytes()).unwrap();
    let error = check_by(BindingRules::PARTIAL, &declared, &[("u0", view.clone())]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "u0 is bound to a raw view of 256 bytes, the shader declares only b0, t3..t6,space1, u7..,space2"
    );
    for register in ["t2,space1", "t7,space1", "t3", "u6,space2", "t8,space2"] {
        assert!(check_by(BindingRules::PARTIAL, &declared, &[(register, view.clone())]).is_err(), "{register}");
    }
    for register in ["t3,space1", "t6,space1", "u7,space2", "u99,space2"] {
        check_by(BindingRules::PARTIAL, &declared, &[(register, view.clone())]).unwrap();
    }
}

#[test]
fn ranges_without_an_end_are_bounded_by_a_limit() {
    let declared = [Declared { count: None, ..declare("u0", ResourceKind::Raw) }];
    let mut bindings = Bindings::new();
    bindings.set("u4294967295".parse().unwrap(), View::raw(bytes()).unwrap());
    let result = check::resolve(&declared, (&bindings).into(), &Limits::default(), |_, _, _| ());
    assert!(matches!(result, Err(Error::OverLimit { .. })));
}

#[test]
fn every_register_of_a_range_must_be_bound() {
    let declared = [Declared { count: Some(2), table_len: 2, ..declare("u4", ResourceKind::Raw) }];
    let view = View::raw(bytes()).unwrap();
    let error = check(&declared, &[("u4", view.clone())]).unwrap_err();
    assert!(matches!(error, BindingError::Unbound { register: Register { index: 5, .. }, .. }));
    check(&declared, &[("u4", view.clone()), ("u5", view)]).unwrap();
}

#[test]
fn kinds_must_agree() {
    let texture = |dimension| {
        let shape = TextureShape::new(dimension, Format::R32_FLOAT, 64);
        View::texture(Texture::new(bytes(), shape).unwrap())
    };
    let views = [
        (ResourceKind::Constant { vectors: 1 }, View::constant(bytes()).unwrap()),
        (ResourceKind::Raw, View::raw(bytes()).unwrap()),
        (ResourceKind::Structured { stride_bytes: 16 }, View::structured(bytes(), 16).unwrap()),
        (ResourceKind::Structured { stride_bytes: 8 }, View::structured(bytes(), 8).unwrap()),
        (typed(Dimension::Buffer, Component::Float), View::typed(bytes(), Format::R32_FLOAT).unwrap()),
        (typed(Dimension::Texture1d, Component::Float), texture(Dimension::Texture1d)),
        (typed(Dimension::Texture2d, Component::Float), texture(Dimension::Texture2d)),
    ];
    for (n, (kind, _)) in views.iter().enumerate() {
        for (m, (_, view)) in views.iter().enumerate() {
            let result = check(&[declare("t0", *kind)], &[("t0", view.clone())]);
            assert_eq!(result.is_ok(), n == m, "{kind} {view}");
        }
    }
    let strides = check(&[declare("t0", views[2].0)], &[("t0", views[3].1.clone())]).unwrap_err();
    assert_eq!(strides.to_string(), "t0 is declared with a stride of 16 bytes but bound to a view with one of 8");
}

fn texture(shape: TextureShape) -> View {
    let buffer = Buffer::zeroed(shape.size_bytes().unwrap(), GuardPages::default()).unwrap();
    View::texture(Texture::new(buffer, shape).unwrap())
}

/// Every kind of texture, with whether a shader can write it.
fn textures() -> Vec<(View, bool)> {
    let new = |dimension| TextureShape::new(dimension, Format::R32_FLOAT, 4);
    let flat = TextureShape::texture_2d(Format::R32_FLOAT, 4, 4);
    let shapes = [
        (new(Dimension::Texture1d), true),
        (new(Dimension::Texture1dArray).layers(3), true),
        (flat, true),
        (flat.array(3), true),
        (flat.samples(4), false),
        (flat.samples(2).array(3), false),
        (new(Dimension::Texture3d).height(4).depth(4), true),
        (new(Dimension::TextureCube).height(4), false),
        (new(Dimension::TextureCubeArray).height(4).layers(12), false),
    ];
    shapes.into_iter().map(|(shape, is_writable)| (texture(shape), is_writable)).collect()
}

#[test]
fn kinds_of_textures_must_agree() {
    let textures = textures();
    for (declared, is_writable) in &textures {
        let kind = typed(declared.dimension().unwrap(), Component::Float);
        for (bound, _) in &textures {
            for (register, may) in [("t0", true), ("u0", *is_writable)] {
                let result = check(&[declare(register, kind)], &[(register, bound.clone())]);
                let agrees = declared.dimension() == bound.dimension();
                assert_eq!(result.is_ok(), agrees && may, "{register} {kind} {bound}");
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_texture_is_said() {
    let flat = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 8, 8);
    let cube = texture(flat.array(6)).with_dimension(Dimension::TextureCube).unwrap();
    let volume = texture(TextureShape::new(Dimension::Texture3d, Format::R8_UNORM, 8).height(8).depth(8));
    let view = |shape| texture(shape);
    let cases = [
        (
            "t0",
            Dimension::Texture2d,
            view(flat.array(3)),
            "t0 is declared as a texture2d but bound to a texture2darray",
        ),
        ("t0", Dimension::Texture2d, view(flat.samples(4)), "t0 is declared as a texture2d but bound to a texture2dms"),
        ("t0", Dimension::Buffer, view(flat), "t0 is declared as a typed buffer but bound to a texture2d"),
        (
            "t0",
            Dimension::Texture2d,
            view(flat).with_format(Format::R8G8B8A8_UINT).unwrap(),
            "t0 is declared with components float but bound to a view of format R8G8B8A8_UINT",
        ),
        (
            "t0",
            Dimension::Texture2d,
            View::raw(bytes()).unwrap(),
            "t0 is declared as texture2d of float but bound to a raw view of 256 bytes",
        ),
        (
            "u0",
            Dimension::Texture2dArray,
            cube.clone(),
            "u0 is declared as a texture2darray but bound to a texturecube",
        ),
        (
            "u0",
            Dimension::TextureCube,
            cube,
            "u0 can be written but is bound to a texturecube: faces are written as layers of a texture2darray",
        ),
        (
            "u0",
            Dimension::Texture2dMs,
            view(flat.samples(4)),
            "u0 can be written but is bound to a texture2dms: samples can only be read",
        ),
        (
            "t0",
            Dimension::Texture3d,
            volume.with_layers(2, 3).unwrap(),
            "t0 is bound to a texture3d of format R8_UNORM, slices 2 to 4: only a u# can see some slices of a 3D texture, a \
             t# sees all of them",
        ),
    ];
    for (register, dimension, view, message) in cases {
        let error = check(&[declare(register, typed(dimension, Component::Float))], &[(register, view)]).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let raw = check(&[declare("t0", ResourceKind::Raw)], &[("t0", texture(flat))]).unwrap_err();
    assert_eq!(raw.to_string(), "t0 is declared as raw buffer but bound to a texture2d of format R8G8B8A8_UNORM");
}

#[test]
fn formats_are_written_and_seen_as_the_specification_allows() {
    let view = |format| texture(TextureShape::texture_2d(format, 4, 4));
    let kind = typed(Dimension::Texture2d, Component::Mixed);
    let [read, written] = ["t0", "u0"].map(|register| {
        move |view: View| check(&[declare(register, kind)], &[(register, view)]).map_err(|error| error.to_string())
    });
    for format in [Format::BC1_UNORM, Format::R8G8B8A8_UNORM_SRGB, Format::R9G9B9E5_SHAREDEXP, Format::D32_FLOAT] {
        read(view(format)).unwrap();
        let is_written = format == Format::D32_FLOAT;
        assert_eq!(written(view(format)).is_ok(), is_written, "{format}");
    }
    assert_eq!(
        written(view(Format::BC1_UNORM)).unwrap_err(),
        "u0 can be written but is bound to a view of format BC1_UNORM, which cannot be written"
    );
    // Functional specification 5.3.9.5.
    let words = view(Format::R8G8B8A8_UNORM).with_format(Format::R32_UINT).unwrap();
    written(words.clone()).unwrap();
    assert_eq!(
        read(words).unwrap_err(),
        "t0 views a texture of format R8G8B8A8_UNORM as R32_UINT, which can only be written, by a u#"
    );
    assert!(view(Format::R32_UINT).with_format(Format::R8G8B8A8_UNORM).is_err());
    let buffer = |format| View::typed(bytes(), format).unwrap();
    let declared = [declare("u0", typed(Dimension::Buffer, Component::Float))];
    assert!(check(&declared, &[("u0", buffer(Format::R32G32B32_FLOAT))]).is_err());
}

#[test]
fn the_pipeline_writes_targets_and_sees_codes_of_depths() {
    let bound = |format: Format, seen: Format, space| {
        let view = texture(TextureShape::texture_2d(format, 4, 4));
        let component = if seen.encoding().is_integer() { Component::Mixed } else { Component::Float };
        let declared = declare(&format!("u0,space{space}"), typed(Dimension::Texture2d, component));
        check(&[declared], &[(&format!("u0,space{space}"), view.with_format(seen).unwrap())])
    };
    let targets =
        [Format::R8G8B8A8_UNORM_SRGB, Format::B8G8R8A8_UNORM_SRGB, Format::B8G8R8X8_UNORM, Format::R32G32B32_FLOAT];
    let depths = (Format::D24_UNORM_S8_UINT, Format::R32_UINT);
    for (format, seen) in targets.map(|format| (format, format)).into_iter().chain([depths]) {
        bound(format, seen, SPACE).unwrap();
        let error = bound(format, seen, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("u0 can be written but is bound to a view of format {format}, which cannot be written")
        );
    }
    bound(Format::D16_UNORM, Format::R16_UINT, SPACE).unwrap();
    bound(Format::D32_FLOAT, Format::R32_UINT, SPACE).unwrap();
    bound(Format::R9G9B9E5_SHAREDEXP, Format::R9G9B9E5_SHAREDEXP, SPACE).unwrap_err();
    bound(Format::BC1_UNORM, Format::BC1_UNORM, SPACE).unwrap_err();
}

/// A level of a texture can be made from another one, and layers from others.
#[test]
fn levels_and_layers_of_a_texture_are_apart() {
    let all = texture(TextureShape::texture_2d(Format::R32_FLOAT, 8, 8).mips(4).array(4));
    let declared = ["t0", "u0"].map(|register| declare(register, typed(Dimension::Texture2dArray, Component::Float)));
    let bound = |read: &View, written: &View| check(&declared, &[("t0", read.clone()), ("u0", written.clone())]);
    let mips = |first, count| all.clone().with_mips(first, count).unwrap();
    let layers = |first, count| all.clone().with_layers(first, count).unwrap();
    bound(&mips(0, 1), &mips(1, 1)).unwrap();
    bound(&mips(1, 3), &mips(0, 1)).unwrap();
    // Of several levels the first is written.
    bound(&mips(2, 2), &mips(1, 3)).unwrap();
    bound(&layers(1, 2), &layers(3, 1)).unwrap();
    bound(&mips(1, 2).with_layers(0, 2).unwrap(), &mips(1, 1).with_layers(2, 2).unwrap()).unwrap();
    let error = bound(&mips(0, 2), &mips(1, 1)).unwrap_err();
    assert_eq!(error.to_string(), "t0 and u0 are bound to the same memory, which one reads and the other can write");
    assert!(bound(&all, &all).is_err() && bound(&layers(1, 2), &layers(2, 1)).is_err());
}

#[test]
fn components_must_agree() {
    let formats = [Format::R8_UNORM, Format::R8_SNORM, Format::R8_UINT, Format::R8_SINT, Format::R16_FLOAT];
    let rows = [
        (Component::Float, [true, true, false, false, true]),
        (Component::Unorm, [true, false, false, false, false]),
        (Component::Snorm, [false, true, false, false, false]),
        (Component::Uint, [false, false, true, false, false]),
        (Component::Sint, [false, false, false, true, false]),
        (Component::Mixed, [true; 5]),
    ];
    for (component, fits) in rows {
        for (format, fits) in formats.into_iter().zip(fits) {
            let view = View::typed(bytes(), format).unwrap();
            let result = check(&[declare("t0", typed(Dimension::Buffer, component))], &[("t0", view)]);
            assert_eq!(result.is_ok(), fits, "{component} {format}");
        }
    }
}

#[test]
fn atomics_need_words_and_counters_must_be_there() {
    let declared = Declared { uses_texel_atomics: true, ..declare("u0", typed(Dimension::Buffer, Component::Uint)) };
    let view = |format| View::typed(bytes(), format).unwrap();
    check(std::slice::from_ref(&declared), &[("u0", view(Format::R32_UINT))]).unwrap();
    let error = check(&[declared], &[("u0", view(Format::R16_UINT))]).unwrap_err();
    assert!(matches!(error, BindingError::AtomicFormat { bound: Format::R16_UINT, .. }));

    let float = declare("u0", typed(Dimension::Buffer, Component::Float));
    let exchanged = Declared { uses_texel_exchange: true, ..float.clone() };
    check(&[exchanged], &[("u0", view(Format::R32_FLOAT))]).unwrap();
    let added = Declared { uses_texel_atomics: true, ..float };
    let error = check(&[added], &[("u0", view(Format::R32_FLOAT))]).unwrap_err();
    assert!(matches!(error, BindingError::AtomicFormat { .. }));

    let kind = ResourceKind::Structured { stride_bytes: 4 };
    let declared = [Declared { uses_counter: true, ..declare("u0", kind) }];
    let view = View::structured(bytes(), 4).unwrap();
    assert!(matches!(check(&declared, &[("u0", view.clone())]), Err(BindingError::NoCounter { .. })));
    check(&declared, &[("u0", view.with_counter(Counter::new(0)).unwrap())]).unwrap();
}

#[test]
fn memory_is_not_read_and_written_through_different_registers() {
    let raw = |register| declare(register, ResourceKind::Raw);
    let view = View::raw(bytes()).unwrap();
    let part = |offset, size| view.clone().with_range(offset, size).unwrap();
    let declared = [raw("t0"), raw("u0")];
    let error = check(&declared, &[("t0", part(0, 68)), ("u0", part(64, 64))]).unwrap_err();
    assert!(matches!(error, BindingError::Aliased { read, written } if read.class != written.class));
    check(&declared, &[("t0", part(0, 64)), ("u0", part(64, 64))]).unwrap();
    check(&[raw("u0"), raw("u1")], &[("u0", view.clone()), ("u1", view.clone())]).unwrap();
    check(&[raw("t0"), raw("t1")], &[("t0", view.clone()), ("t1", view)]).unwrap();
}

#[test]
fn read_only_files_are_not_written() {
    let path = std::env::temp_dir().join(format!("brolga-bindings-{}", std::process::id()));
    std::fs::write(&path, [0; 64]).unwrap();
    let view = View::raw(Buffer::map(&path, crate::Access::Read).unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    check(&[declare("t0", ResourceKind::Raw)], &[("t0", view.clone())]).unwrap();
    let error = check(&[declare("u0", ResourceKind::Raw)], &[("u0", view)]).unwrap_err();
    assert!(matches!(error, BindingError::ReadOnly { .. }));
}

#[test]
fn registers_are_listed_in_order() {
    let mut bindings = Bindings::new();
    for name in ["u10", "u2", "t1,space1", "t5", "b0"] {
        bindings.set(name.parse().unwrap(), View::raw(bytes()).unwrap());
    }
    let names: Vec<_> = bindings.iter().map(|(register, _)| register.to_string()).collect();
    assert_eq!(names, ["b0", "t5", "t1,space1", "u2", "u10"]);
    let register = Register::new(ResourceClass::ShaderResource, 1).in_space(1);
    assert!(bindings.get(register).is_some() && bindings.remove(register).is_some());
    assert!(bindings.get(register).is_none());
}
