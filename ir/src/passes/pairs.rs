//! Joins the halves of doubles: those that cross region borders together become one 64-bit value.
//!
//! Registers have 32 bits, so a double that lives across a branch or a loop is carried as two values, taken apart at
//! every end and joined again at every use. Where the two are joined inside (or after) the construct, this pass carries
//! the joined value beside them; the halves are then taken from it, and become dead where nothing else needs them.

use std::collections::HashMap;

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind, Origin, ValueDef, Values};
use crate::ops::Op;
use crate::replacements::Replacements;
use crate::types::Type;

/// Runs the pass; returns `true` if anything was joined.
pub(super) fn join(func: &mut Function) -> bool {
    let mut pairs = Pairs { of: HashMap::new(), owner: vec![None; func.region_count()] };
    pairs.find(func, func.body());
    if pairs.of.is_empty() {
        return false;
    }
    let mut halves = Replacements::new(func);
    pairs.rewrite(func, func.body(), None, &mut halves);
    halves.apply_to_all(func);
    true
}

struct Pairs {
    /// Positions of low and high halves among the values of constructs. Only looked up, never iterated.
    of: HashMap<Inst, Vec<[usize; 2]>>,
    /// The construct of each region.
    owner: Vec<Option<Inst>>,
}

impl Pairs {
    /// Finds the pairs to join among the values that constructs carry.
    fn find(&mut self, func: &Function, region: Region) {
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            if let InstKind::Op { op: Op::Pack64, args } = kind
                && let (Some((of, low)), Some((also, high))) =
                    (self.carried(func, args[0]), self.carried(func, args[1]))
                && of == also
                && low != high
            {
                let pairs = self.of.entry(of).or_default();
                let taken = |n: usize| pairs.iter().any(|pair| pair.contains(&n));
                if !taken(low) && !taken(high) {
                    pairs.push([low, high]);
                }
            }
            for inner in kind.regions() {
                self.owner[inner.index()] = Some(inst);
                self.find(func, inner);
            }
        }
    }

    /// The construct that a value is a result or a parameter of, and its position there.
    fn carried(&self, func: &Function, value: Value) -> Option<(Inst, usize)> {
        match func.value(value).def {
            ValueDef::Result(inst, n) => (!func.inst(inst).kind.regions().is_empty()).then_some((inst, n as usize)),
            ValueDef::Param(region, n) => Some((self.owner[region.index()]?, n as usize)),
        }
    }

    /// Adds the joined values to constructs, and to the edges into and out of them.
    fn rewrite(&self, func: &mut Function, region: Region, owner: Option<Inst>, halves: &mut Replacements) {
        let mut kept = Vec::new();
        for inst in std::mem::take(&mut func.region_mut(region).insts) {
            let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
            let origin = func.inst(inst).origin;
            if let Some(to) = kind.receiver(inst, owner)
                && let Some(args) = kind.passed_mut()
            {
                self.extend(func, to, args, origin, &mut kept);
            }
            let body = match &kind {
                InstKind::Loop { body, .. } => Some(*body),
                _ => None,
            };
            let regions = kind.regions();
            func.inst_mut(inst).kind = kind;
            let pairs = self.of.get(&inst).cloned().unwrap_or_default();
            let mut first = Vec::new();
            if let Some(body) = body {
                for &pair in &pairs {
                    let params = pair.map(|n| func.region(body).params[n]);
                    let whole = func.add_param(body, Type::I64);
                    self.take_halves(func, whole, params, origin, &mut first, halves);
                }
            }
            for inner in regions {
                self.rewrite(func, inner, Some(inst), halves);
            }
            if let Some(body) = body {
                func.region_mut(body).insts.splice(0..0, first);
            }
            kept.push(inst);
            for pair in pairs {
                let results = pair.map(|n| func.inst(inst).results[n]);
                let whole = func.add_result(inst, Type::I64);
                self.take_halves(func, whole, results, origin, &mut kept, halves);
            }
        }
        func.region_mut(region).insts = kept;
    }

    /// Appends the joined values to the operands that are passed to a construct.
    fn extend(&self, func: &mut Function, to: Inst, args: &mut Values, origin: Origin, kept: &mut Vec<Inst>) {
        for [low, high] in self.of.get(&to).into_iter().flatten().copied() {
            let halves = Values::from_slice(&[args[low], args[high]]);
            args.push(emit(func, kept, origin, Op::Pack64, halves, Type::I64));
        }
    }

    /// Redefines the halves as those of the joined value.
    fn take_halves(
        &self,
        func: &mut Function,
        whole: Value,
        replaced: [Value; 2],
        origin: Origin,
        kept: &mut Vec<Inst>,
        halves: &mut Replacements,
    ) {
        for (op, old) in [Op::Low64, Op::High64].into_iter().zip(replaced) {
            let half = emit(func, kept, origin, op, Values::from_slice(&[whole]), Type::I32);
            halves.replace(old, half);
        }
    }
}

fn emit(func: &mut Function, kept: &mut Vec<Inst>, origin: Origin, op: Op, args: Values, ty: Type) -> Value {
    let inst = func.add_inst(InstKind::Op { op, args }, &[ty], origin);
    kept.push(inst);
    func.inst(inst).results[0]
}

#[cfg(test)]
mod tests {
    use crate::passes::{Level, optimise};
    use crate::text::{Names, parse, print};
    use crate::verify::verify;

    /// A sum of doubles over two nested loops, carried as registers: halves that are joined and taken apart in each
    /// round.
    const NESTED: &str = r#"function "nested" {
  group 1 1 1
  res0 = b0 constant 1
  res1 = u0 raw
  body {
    v0: i32 = const 0
    v1, v2: i32 = load res0[v0 + v0]
    v3: i32 = const 1
    v4: i32 = const 9
    loop l0 (v5: i32 = v1, v6: i32 = v2, v7: i32 = v0) -> v8, v9, v10: i32 {
      v11: bool = uge v7, v4
      if v11 {
        break l0 v5, v6, v7
      }
      else {
        yield
      }
      loop l1 (v12: i32 = v5, v13: i32 = v6, v14: i32 = v0) -> v15, v16, v17: i32 {
        v18: bool = uge v14, v7
        if v18 {
          break l1 v12, v13, v14
        }
        else {
          yield
        }
        v19: i64 = pack64 v12, v13
        v20: f64 = as.f64 v19
        v21: f64 = dadd v20, v20
        v22: i64 = bits.f64 v21
        v23: i32 = low64 v22
        v24: i32 = high64 v22
        v25: i32 = iadd v14, v3
        yield v23, v24, v25
      }
      v26: i32 = iadd v7, v3
      yield v15, v16, v26
    }
    v27: bool = const true
    store res1[v0], v8, v9 where v27
    return
  }
}
"#;

    #[test]
    fn doubles_cross_loops_whole() {
        let mut func = parse(NESTED).unwrap();
        optimise(&mut func, Level::Full);
        let text = print(&func, Names::Dense);
        verify(func).unwrap();
        // Once for the value from memory, and nowhere else.
        assert_eq!(text.matches("pack64").count(), 1, "{text}");
        let loops: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("loop")).collect();
        assert!(loops.len() == 2 && loops.iter().all(|line| line.contains("64 =")), "{text}");
    }
}
