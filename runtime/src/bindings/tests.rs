//! What the check of bindings lets pass and what it refuses.

use brolga_ir::interface::{Component, Dimension, ResourceClass, ResourceKind};

use super::*;
use crate::error::Error;
use crate::format::Format;
use crate::limits::Limits;
use crate::resource::{Buffer, Counter, GuardPages, Texture, TextureShape};
use crate::shader::Declared;

fn declare(register: &str, kind: ResourceKind) -> Declared {
    Declared {
        register: register.parse().unwrap(),
        count: Some(1),
        kind,
        uses_counter: false,
        uses_texel_atomics: false,
        table_len: 1,
    }
}

fn typed(dimension: Dimension, component: Component) -> ResourceKind {
    ResourceKind::Typed { dimension, component }
}

fn bytes() -> Buffer {
    Buffer::zeroed(256, GuardPages::default()).unwrap()
}

fn check(declared: &[Declared], bound: &[(&str, View)]) -> Result<(), BindingError> {
    check_by(BindingRules::Complete, declared, bound)
}

fn check_by(rules: BindingRules, declared: &[Declared], bound: &[(&str, View)]) -> Result<(), BindingError> {
    let mut bindings = Bindings::new();
    for (register, view) in bound {
        bindings.set(register.parse().unwrap(), view.clone());
    }
    match check::resolve(declared, &bindings, rules, &Limits::default(), |_, _| Ok(())) {
        Ok(_) => Ok(()),
        Err(Error::Binding(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn registers_that_nothing_is_bound_to() {
    let declared = [declare("u1", ResourceKind::Raw)];
    let error = check(&declared, &[]).unwrap_err();
    assert_eq!(error.to_string(), "u1 is declared as raw buffer and nothing is bound to it");
    check_by(BindingRules::Partial, &declared, &[]).unwrap();
}

#[test]
fn registers_that_are_not_declared() {
    let declared = [
        declare("b0", ResourceKind::Constant { vectors: 1 }),
        Declared { count: Some(4), ..declare("t3,space1", ResourceKind::Raw) },
        Declared { count: None, ..declare("u7,space2", ResourceKind::Raw) },
    ];
    let view = View::raw(bytes()).unwrap();
    let error = check_by(BindingRules::Partial, &declared, &[("u0", view.clone())]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "u0 is bound to a raw view of 256 bytes, the shader declares only b0, t3..t6,space1, u7..,space2"
    );
    for register in ["t2,space1", "t7,space1", "t3", "u6,space2", "t8,space2"] {
        assert!(check_by(BindingRules::Partial, &declared, &[(register, view.clone())]).is_err(), "{register}");
    }
    for register in ["t3,space1", "t6,space1", "u7,space2", "u99,space2"] {
        check_by(BindingRules::Partial, &declared, &[(register, view.clone())]).unwrap();
    }
}

#[test]
fn ranges_without_an_end_are_bounded_by_a_limit() {
    let declared = [Declared { count: None, ..declare("u0", ResourceKind::Raw) }];
    let mut bindings = Bindings::new();
    bindings.set("u4294967295".parse().unwrap(), View::raw(bytes()).unwrap());
    let result = check::resolve(&declared, &bindings, BindingRules::Complete, &Limits::default(), |_, _| Ok(()));
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
    assert_eq!(strides.to_string(), "t0 is declared with a stride of 16 bytes and bound to a view with one of 8");
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
