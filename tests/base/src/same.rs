//! Compares two functions up to the numbers of their values, instructions and regions.

use std::collections::HashMap;

use brolga_ir::Function;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::InstKind;

/// Panics with the first difference.
pub fn assert_same(a: &Function, b: &Function) {
    assert_eq!(a.name, b.name);
    assert_eq!(a.interface, b.interface);
    assert_eq!(a.slot_count(), b.slot_count());
    let mut pairs = Pairs { a, b, values: HashMap::new(), insts: HashMap::new() };
    pairs.region(a.body(), b.body());
}

struct Pairs<'a> {
    a: &'a Function,
    b: &'a Function,
    /// The values of `b` that correspond to those of `a`.
    values: HashMap<Value, Value>,
    insts: HashMap<Inst, Inst>,
}

impl Pairs<'_> {
    fn define(&mut self, a: &[Value], b: &[Value]) {
        assert_eq!(a.len(), b.len());
        for (&a, &b) in a.iter().zip(b) {
            assert_eq!(self.a.ty(a), self.b.ty(b), "{a} and {b}");
            self.values.insert(a, b);
        }
    }

    fn region(&mut self, a: Region, b: Region) {
        let (func_a, func_b) = (self.a, self.b);
        self.define(&func_a.region(a).params, &func_b.region(b).params);
        let (insts_a, insts_b) = (&func_a.region(a).insts, &func_b.region(b).insts);
        assert_eq!(insts_a.len(), insts_b.len(), "{a} and {b}");
        for (&inst_a, &inst_b) in insts_a.iter().zip(insts_b) {
            self.insts.insert(inst_a, inst_b);
            let (data_a, data_b) = (func_a.inst(inst_a), func_b.inst(inst_b));
            assert_eq!((data_a.origin, data_a.precise), (data_b.origin, data_b.precise), "{inst_a} and {inst_b}");
            let mut renamed = data_a.kind.clone();
            renamed.for_each_arg(|value| *value = self.values[&*value]);
            match &mut renamed {
                InstKind::Break { target, .. } | InstKind::Continue { target, .. } => *target = self.insts[&*target],
                _ => {}
            }
            let (regions_a, regions_b) = (data_a.kind.regions(), data_b.kind.regions());
            let mut regions = regions_b.iter();
            renamed.for_each_region(|region| *region = *regions.next().unwrap_or(region));
            assert_eq!(renamed, data_b.kind);
            for (&region_a, &region_b) in regions_a.iter().zip(&regions_b) {
                self.region(region_a, region_b);
            }
            self.define(&data_a.results, &data_b.results);
        }
    }
}
