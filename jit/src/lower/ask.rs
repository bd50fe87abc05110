//! What helpers do: texels, samples, queries, hidden counters. Operands and results travel in rows of the context.

use brolga_ir::Const;
use brolga_ir::entity::{Inst, Value};
use brolga_ir::function::{Element, InstKind, ResourceRef};
use brolga_ir::sampling::Sampling;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, Signature, types};

use super::mask::Mask;
use super::notes::Note;
use super::{Lowering, constant_flags, own_flags};
use crate::abi::{self, HelperId, SampleForm, SampleLanes, offsets};
use crate::packet::Operand;

/// A question to a helper.
struct Question<'a> {
    helper: HelperId,
    resource: ResourceRef,
    /// Operation, as the helper numbers it.
    code: u32,
    coords: &'a [Value],
    level: Option<Value>,
    values: &'a [Value],
    compare: Option<Value>,
    /// Threads that take part; `None` for questions that change nothing.
    effect: Option<Value>,
}

impl Lowering<'_, '_> {
    /// Writes an instruction that a helper carries out.
    pub fn ask(&mut self, inst: Inst) {
        let func = self.func;
        let data = func.inst(inst);
        let empty = Question {
            helper: HelperId::Query,
            resource: ResourceRef { id: brolga_ir::entity::ResourceId::new(0), element: Element::Fixed(0) },
            code: 0,
            coords: &[],
            level: None,
            values: &[],
            compare: None,
            effect: None,
        };
        let question = match &data.kind {
            InstKind::TexelLoad { resource, coords, level } => {
                Question { helper: HelperId::TexelLoad, resource: *resource, coords, level: *level, ..empty }
            }
            InstKind::TexelStore { resource, coords, values, effect } => Question {
                helper: HelperId::TexelStore,
                resource: *resource,
                coords,
                values,
                effect: Some(*effect),
                ..empty
            },
            InstKind::TexelAtomic { op, resource, coords, value, compare, effect } => Question {
                helper: HelperId::TexelAtomic,
                resource: *resource,
                code: abi::atomic_number(*op),
                coords,
                values: std::slice::from_ref(value),
                compare: *compare,
                effect: Some(*effect),
                ..empty
            },
            InstKind::Counter { op, resource, effect } => Question {
                helper: HelperId::Counter,
                resource: *resource,
                code: abi::counter_number(*op),
                effect: Some(*effect),
                ..empty
            },
            InstKind::Query { query, resource, level } => {
                Question { resource: *resource, code: abi::query_number(*query), level: *level, ..empty }
            }
            _ => unreachable!("only called for what helpers do"),
        };
        self.put_question(&question, &data.results);
    }

    fn put_question(&mut self, question: &Question<'_>, results: &[Value]) {
        let mask = match question.effect {
            None => Some(self.active()),
            Some(effect) => self.effect_mask(effect),
        };
        let Some(mask) = mask else {
            // Nobody takes part.
            for &result in results {
                let ty = self.func.ty(result);
                let zero = self.emit().constant_packet(Const::zero(ty));
                self.define(result, zero.into());
            }
            return;
        };
        let once = question.effect.is_none() && results.iter().all(|&result| self.facts.is_uniform(result));
        self.note(if once { Note::HelperOnce } else { Note::Helper });
        self.note_lanes(&mask);
        if once {
            self.mask_first_lane();
        } else {
            let lanes = self.mask_packet(&mask);
            self.store_context(&lanes, offsets::CALL_MASK);
        }
        self.pass_element(question.resource, offsets::CALL_ELEMENT, once);
        for n in 0..3 {
            let coord = match question.coords.get(n) {
                Some(&coord) => self.operand(coord),
                None if question.coords.is_empty() => break,
                None => self.constant(0),
            };
            self.pass(&coord, offsets::call_coord(n), once);
        }
        let level = match question.level {
            Some(level) => self.operand(level),
            None => self.constant(0),
        };
        self.pass(&level, offsets::CALL_LEVEL, once);
        for (n, &value) in question.values.iter().enumerate() {
            let value = self.operand(value);
            self.pass(&value, offsets::call_value(n), once);
        }
        if let Some(compare) = question.compare {
            let compare = self.operand(compare);
            self.pass(&compare, offsets::CALL_COMPARE, once);
        }
        self.call(question.helper, question.resource.id.index() as u32, question.code);
        self.take_results(results, once);
    }

    /// Defines what a helper gave back, in all lanes or in lane 0.
    fn take_results(&mut self, results: &[Value], once: bool) {
        for (n, &result) in results.iter().enumerate() {
            let at = offsets::call_result(n);
            let operand = if once {
                let value = self.builder.ins().load(types::I32, own_flags(), self.base, at);
                self.scalar(value)
            } else {
                self.load_context(at).into()
            };
            self.define(result, operand);
        }
    }

    /// Writes a sample: one call for the packet.
    pub fn sample(
        &mut self,
        sampling: Sampling,
        texture: ResourceRef,
        sampler: ResourceRef,
        args: &[Value],
        results: &[Value],
    ) {
        let once = results.iter().all(|&result| self.facts.is_uniform(result));
        self.note(if once { Note::HelperOnce } else { Note::Helper });
        let mask = self.active();
        self.note_lanes(&mask);
        let lanes = match &mask {
            _ if once => SampleLanes::First,
            Mask::Full => SampleLanes::All,
            Mask::Lanes(lanes) => {
                self.store_context(lanes, offsets::CALL_MASK);
                SampleLanes::Masked
            }
        };
        let same_texture = self.pass_element(texture, offsets::CALL_ELEMENT, true);
        let same_sampler = self.pass_element(sampler, offsets::CALL_SAMPLER, true);
        let range = self.builder.ins().iconst(types::I32, sampler.id.index() as i64);
        self.builder.ins().store(own_flags(), range, self.base, offsets::CALL_SAMPLER_RANGE);
        for (n, &arg) in args.iter().enumerate() {
            let arg = self.operand(arg);
            self.pass(&arg, offsets::call_arg(n), once);
        }
        let form = SampleForm { sampling, args: args.len(), lanes, same_texture, same_sampler };
        self.call(HelperId::Sample, texture.id.index() as u32, form.encode());
        self.take_results(results, once);
    }

    /// Writes which register of a range is meant, of one that is the same for all lanes in lane 0 only if `once`; gives
    /// whether it is.
    fn pass_element(&mut self, resource: ResourceRef, at: i32, once: bool) -> bool {
        let element = match resource.element {
            Element::Fixed(n) => self.constant(n),
            Element::Computed(value) => self.operand(value),
        };
        self.pass(&element, at, once);
        element.is_uniform()
    }

    /// Lets lane 0 alone take part.
    fn mask_first_lane(&mut self) {
        let none = self.emit().mask_constant(false);
        self.store_context(&none, offsets::CALL_MASK);
        let all_ones = self.builder.ins().iconst(types::I32, -1);
        self.builder.ins().store(own_flags(), all_ones, self.base, offsets::CALL_MASK);
    }

    /// Writes an operand to a row, or to lane 0 of it.
    fn pass(&mut self, operand: &Operand, at: i32, once: bool) {
        match operand {
            Operand::Uniform(uniform) if once => {
                self.builder.ins().store(own_flags(), uniform.value, self.base, at);
            }
            _ => {
                let packet = self.emit().packet(operand);
                self.store_context(&packet, at);
            }
        }
    }

    /// Calls a helper; the group ends if it set a fault.
    fn call(&mut self, helper: HelperId, resource: u32, code: u32) {
        let fault = self.call_helper(helper, resource, code);
        self.branch_away(fault, self.exit);
    }

    /// Calls a helper; gives whether it set a fault.
    pub fn call_helper(&mut self, helper: HelperId, resource: u32, code: u32) -> ir::Value {
        let table = self.builder.ins().load(types::I64, constant_flags(), self.base, offsets::HELPERS);
        let address = self.builder.ins().load(types::I64, constant_flags(), table, helper.offset());
        let mut signature = Signature::new(self.call_conv);
        signature.params.push(AbiParam::new(types::I64));
        signature.params.extend([AbiParam::new(types::I32); 3]);
        signature.returns.push(AbiParam::new(types::I32));
        let signature = *self.helper_signature.get_or_insert_with(|| self.builder.import_signature(signature));
        let numbers = [resource, code, self.origin.0];
        let [resource, code, origin] =
            numbers.map(|number| self.builder.ins().iconst(types::I32, i64::from(number as i32)));
        let arguments: [ir::Value; 4] = [self.base, resource, code, origin];
        let call = self.builder.ins().call_indirect(signature, address, &arguments);
        self.builder.inst_results(call)[0]
    }
}
