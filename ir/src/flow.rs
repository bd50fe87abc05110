//! Collects data flow and control flow of a function: the uses of each value, the nesting of constructs, and the edges
//! along which values merge. For analyses that propagate facts.

use smallvec::SmallVec;

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind};

/// Uses, nesting and edges of one function.
pub struct Flow {
    /// All instructions in program order, an owner before its regions' instructions.
    pub order: Vec<Inst>,
    owners: Vec<Option<Inst>>,
    regions: Vec<Region>,
    depths: Vec<u32>,
    loop_depths: Vec<u32>,
    uses: Vec<SmallVec<[(Inst, u32); 2]>>,
    result_edges: Vec<Vec<Inst>>,
    param_edges: Vec<Vec<Inst>>,
}

impl Flow {
    /// Analyses a function without slots.
    pub fn new(func: &Function) -> Self {
        let mut flow = Self {
            order: Vec::with_capacity(func.inst_count()),
            owners: vec![None; func.region_count()],
            regions: vec![func.body(); func.inst_count()],
            depths: vec![0; func.inst_count()],
            loop_depths: vec![0; func.value_count()],
            uses: vec![SmallVec::new(); func.value_count()],
            result_edges: vec![Vec::new(); func.inst_count()],
            param_edges: vec![Vec::new(); func.inst_count()],
        };
        flow.walk(func, func.body(), 0, 0);
        flow
    }

    fn walk(&mut self, func: &Function, region: Region, depth: u32, loop_depth: u32) {
        for &param in &func.region(region).params {
            self.loop_depths[param.index()] = loop_depth;
        }
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            self.order.push(inst);
            self.regions[inst.index()] = region;
            self.depths[inst.index()] = depth;
            for &result in &data.results {
                self.loop_depths[result.index()] = loop_depth;
            }
            for (position, value) in data.kind.args().into_iter().enumerate() {
                self.uses[value.index()].push((inst, position as u32));
            }
            match data.kind {
                InstKind::Break { target, .. } => self.result_edges[target.index()].push(inst),
                InstKind::Continue { target, .. } => self.param_edges[target.index()].push(inst),
                InstKind::Yield(_) => {
                    if let Some(owner) = self.owner(region) {
                        let is_loop = matches!(func.inst(owner).kind, InstKind::Loop { .. });
                        let edges = if is_loop { &mut self.param_edges } else { &mut self.result_edges };
                        edges[owner.index()].push(inst);
                    }
                }
                _ => {}
            }
            let inner_loop_depth = loop_depth + u32::from(matches!(data.kind, InstKind::Loop { .. }));
            for inner in data.kind.regions() {
                self.owners[inner.index()] = Some(inst);
                self.walk(func, inner, depth + 1, inner_loop_depth);
            }
        }
    }

    /// The instruction that owns a region; `None` for the body.
    pub(crate) fn owner(&self, region: Region) -> Option<Inst> {
        self.owners[region.index()]
    }

    /// `true` if an instruction existed when the function was analysed.
    pub(crate) fn knows(&self, inst: Inst) -> bool {
        inst.index() < self.regions.len()
    }

    /// The region of an instruction.
    pub(crate) fn region_of(&self, inst: Inst) -> Region {
        self.regions[inst.index()]
    }

    /// Number of constructs around an instruction.
    pub(crate) fn depth(&self, inst: Inst) -> u32 {
        self.depths[inst.index()]
    }

    /// Number of loops around a value's definition; a loop's parameters count as inside it.
    pub(crate) fn loop_depth(&self, value: Value) -> u32 {
        self.loop_depths[value.index()]
    }

    /// The uses of a value: instruction and operand position.
    pub fn uses(&self, value: Value) -> &[(Inst, u32)] {
        &self.uses[value.index()]
    }

    /// The terminators that pass results to an `if`, `switch` or `loop`.
    pub fn result_edges(&self, inst: Inst) -> &[Inst] {
        &self.result_edges[inst.index()]
    }

    /// The terminators that pass the next iteration's parameters to a loop.
    pub(crate) fn param_edges(&self, loop_inst: Inst) -> &[Inst] {
        &self.param_edges[loop_inst.index()]
    }

    /// The parameters of a loop; none for anything else.
    pub(crate) fn params<'f>(&self, func: &'f Function, loop_inst: Inst) -> &'f [Value] {
        match func.inst(loop_inst).kind {
            InstKind::Loop { body, .. } => &func.region(body).params,
            _ => &[],
        }
    }

    /// The values that an instruction passes on, and those that they become: see [`Function::edge`].
    pub fn edge<'f>(&self, func: &'f Function, inst: Inst) -> Option<(&'f [Value], &'f [Value])> {
        func.edge(inst, self.owner(self.region_of(inst)))
    }

    /// `true` if all these terminators pass the same value as their `n`-th operand, whichever lane takes which and
    /// when: equal constants, or one value defined in no deeper loop, so that all lanes refer to one evaluation of it.
    pub(crate) fn same_evaluation(&self, func: &Function, edges: &[Inst], n: usize, loop_depth: u32) -> bool {
        let mut args = edges.iter().map(|&edge| func.inst(edge).kind.passed().expect("edges pass values on")[n]);
        let Some(first) = args.next() else { return true };
        match func.as_const(first) {
            Some(constant) => args.all(|arg| func.as_const(arg) == Some(constant)),
            None => self.loop_depth(first) <= loop_depth && args.all(|arg| arg == first),
        }
    }
}
