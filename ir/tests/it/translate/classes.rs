//! Tests the translation of interface calls, in shaders that the real compiler wrote.

use std::path::Path;

use brolga_bytecode::Shader;

use super::corpus::options;
use brolga_ir::entity::Inst;
use brolga_ir::flow::Flow;
use brolga_ir::function::{Function, InstKind, Object};
use brolga_ir::interface::{Resource, ResourceClass, ResourceKind};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::span::Packing;
use brolga_ir::translate::TranslateError;
use brolga_ir::translate::sm5::{BoundClass, TranslateOptions, translate};
use brolga_ir::uniformity::Uniformity;

fn shader(name: &str) -> Shader {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    Shader::load(&std::fs::read(path).expect("part of the corpus"), &Default::default()).expect("a valid shader")
}

fn optimised(shader: &Shader, options: &TranslateOptions) -> Function {
    let mut func = translate(&shader.program, options).expect("each slot has a class");
    optimise(&mut func, Level::Full);
    func
}

/// Addresses of reads from constant buffers, and the number of computed ones.
fn constant_reads(func: &Function) -> (usize, usize) {
    let indices = Flow::new(func).order.into_iter().filter_map(|inst| match &func.inst(inst).kind {
        InstKind::Load { place } => match place.object {
            Object::Resource(resource) if func.interface.resource(resource.id).class == ResourceClass::Constant => {
                place.index
            }
            _ => None,
        },
        _ => None,
    });
    let computed: Vec<bool> = indices.map(|index| func.as_const(index).is_none()).collect();
    (computed.len(), computed.iter().filter(|is_computed| **is_computed).count())
}

#[test]
fn where_the_data_of_an_instance_lie_is_known_in_its_arm() {
    for name in ["compute/interfaces.cs.cs_5_0.cso", "interfaces/waves.main.cso", "interfaces/effects.5.cso"] {
        let shader = shader(name);
        let func = optimised(&shader, &options(&shader));
        let (reads, computed) = constant_reads(&func);
        assert!(reads > 0 && computed == 0, "{name}: {computed} of {reads} at computed addresses\n{func}");
    }
    // Forty slots share three arms, in which the location must be looked up.
    let shader = shader("interfaces/effects.40.cso");
    let func = optimised(&shader, &options(&shader));
    assert!(constant_reads(&func).1 > 0);
    let arms = |inst: &Inst| match &func.inst(*inst).kind {
        InstKind::Switch { cases, .. } => Some(cases.len()),
        _ => None,
    };
    assert!(Flow::new(&func).order.iter().filter_map(arms).any(|arms| arms == 3));
}

#[test]
fn an_index_that_is_uniform_stays_so_behind_the_call() {
    // The loop over `waves` counts with the index: though methods return early in some lanes, all lanes count alike.
    let shader = shader("interfaces/waves.main.cso");
    let func = optimised(&shader, &options(&shader));
    let flow = Flow::new(&func);
    let uniformity = Uniformity::compute(&func, &flow, Packing::Group);
    let mut switches = 0;
    for &inst in &flow.order {
        if let InstKind::Switch { selector, cases, .. } = &func.inst(inst).kind
            && !cases.is_empty()
        {
            assert!(uniformity.is_group_uniform(*selector), "{func}");
            switches += 1;
        }
    }
    assert!(switches > 0);
}

#[test]
fn each_slot_needs_a_class_of_its_own_tables() {
    let shader = shader("compute/interfaces.cs.cs_5_0.cso");
    let classes = |n: u32, table: u32| {
        let mut options = options(&shader);
        options.classes[n as usize] = Some(BoundClass { table, this: [0; 4] });
        translate(&shader.program, &options).map(|_| ())
    };
    assert_eq!(classes(2, 3), Ok(()));
    assert_eq!(classes(2, 0), Err(TranslateError::Table { slot: 2, table: 0 }));
    assert_eq!(classes(0, 9), Err(TranslateError::Table { slot: 0, table: 9 }));
    let mut few = options(&shader);
    few.classes.truncate(2);
    let error = translate(&shader.program, &few).map(|_| ()).expect_err("slot 2 has none");
    assert_eq!(error, TranslateError::Unbound { slot: 2 });
}

#[test]
fn registers_of_instances_are_declared_where_the_shader_does_not() {
    let shader = shader("interfaces/sources.main.cso");
    // `Image` is the second class that each slot takes.
    let image = |interface: usize, constants, texture| {
        let table = shader.program.declarations().interfaces[interface].tables[1];
        Some(BoundClass { table, this: [constants, 0, texture, u32::MAX] })
    };
    let classes = vec![image(0, 7, 9), image(1, 2, 0), image(1, 2, 1)];
    let mut options = TranslateOptions::default();
    options.classes = classes;
    let func = translate(&shader.program, &options).expect("each slot has a class");
    let declared: Vec<String> = func.interface.resources.iter().map(Resource::register).collect();
    assert!(declared.contains(&"b7".to_owned()) && declared.contains(&"t9".to_owned()), "{declared:?}");
    let b7 = func.interface.resources.iter().find(|resource| resource.register() == "b7").expect("just found");
    assert_eq!(b7.kind, ResourceKind::Constant { vectors: 0 });
}
