//! Generates more live values than machine code keeps in registers, beside addresses that are computed late: work done
//! ahead for an access must not take the slot of a value still to be computed.

use brolga_bytecode::sm5::Op;

use super::Generator;
use crate::program::{Block, Instr, Node, Operand, Parts, Register};

impl Generator {
    /// Fills the general registers, lets some go, makes addresses, fills those registers again, and reads at the
    /// addresses in the end. The last register holds them; all else is gathered.
    pub(super) fn crowd(&mut self, block: &mut Block) {
        let last = self.program.temps - 1;
        // Those that stay are live for longer than the addresses, which then are not kept in memory first.
        let gone = last - 1 - self.random.pick(&[0, 0, 1, 3]);
        self.fill(1..last, block);
        self.gather_all(1..1 + gone, block);
        for component in 0..4 {
            let lane = Operand::new(Register::IndexInGroup, Parts::None);
            let step = Operand::word(self.random.pick(&[4, 4, 16]));
            let base = Operand::word(4 * self.random.below(40) as u32);
            let to = Operand::to(Register::Temp(last), 1 << component);
            block.push(Node::Plain(Instr::new(Op::IMad, vec![to, lane, step, base])));
        }
        self.fill(1..1 + gone, block);
        self.gather_all(1..last, block);
        for component in 0..4 {
            let to = Operand::to(Register::Temp(1), 1 + self.random.below(15) as u8);
            let from = Operand::one(Register::Temp(last), component);
            let words = Operand::whole(Register::Resource(0));
            block.push(Node::Plain(Instr::new(Op::LdRaw, vec![to.clone(), from, words])));
            self.gather(Register::Temp(1), to.parts, block);
        }
    }

    fn fill(&mut self, registers: std::ops::Range<u32>, block: &mut Block) {
        for n in registers {
            let load = self.read_input_to(Operand::to(Register::Temp(n), 0xf));
            block.push(Node::Group(load));
        }
    }

    fn gather_all(&mut self, registers: std::ops::Range<u32>, block: &mut Block) {
        for n in registers {
            self.gather(Register::Temp(n), Parts::Mask(0xf), block);
        }
    }
}
