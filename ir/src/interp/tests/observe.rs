//! Tests the observation of control flow, barriers, and accesses to views.

use super::*;
use crate::function::{Input, InstKind, Origin, Sync};
use crate::interp::{At, Observer, Packet};
use crate::span::Span;

/// A line for each event, except for those of origin 0.
struct Log<'a> {
    func: &'a Function,
    lines: Vec<String>,
}

impl Log<'_> {
    fn note(&mut self, what: String, at: At) {
        if at.origin != Origin::default() {
            self.lines.push(format!("{} {what}", at.origin.0));
        }
    }
}

fn who(packet: Option<&Packet<'_>>) -> String {
    packet.map_or("all".into(), |packet| format!("{}:{:b}", packet.number, packet.lanes))
}

impl Observer for Log<'_> {
    fn ran(&mut self, at: At, packet: &Packet<'_>) {
        let what = match self.func.inst(at.inst).kind {
            InstKind::Yield(_) => "end",
            InstKind::Break { .. } => "break",
            InstKind::Return => "return",
            InstKind::Barrier(_) => "fence",
            _ => "ran",
        };
        self.note(format!("{what} {}", who(Some(packet))), at);
        for access in packet.accesses(self.func, at.inst) {
            let words = [&access.read, &access.written].map(|words| words.to_vec());
            self.note(format!("lane {} at {}: {words:?}, {}", access.lane, access.offset_bytes, access.inside), at);
        }
    }

    fn entered(&mut self, at: At, region: usize, packet: Option<&Packet<'_>>) {
        self.note(format!("into {region} {}", who(packet)), at);
    }

    fn left(&mut self, at: At, region: usize, packet: Option<&Packet<'_>>) {
        self.note(format!("out of {region} {}", who(packet)), at);
    }

    fn waited(&mut self, at: At) {
        self.note("wait".into(), at);
    }
}

/// The events of one group, whose `u0` has 64 bytes.
fn log(func: Function) -> Vec<String> {
    let func = verify(func).unwrap();
    let (interpreter, host) = (Interpreter::new(&func), TestHost::new(16));
    let mut log = Log { func: &func, lines: Vec::new() };
    let (span, mut fuel) = (Span::one([0; 3]), 10);
    interpreter.run_observed(&host, &span, &mut [], &mut Arena::new(), &mut fuel, &mut log).unwrap();
    log.lines
}

#[test]
fn lanes_enter_regions_and_leave_them() {
    let mut func = function([3, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one) = (b.i32(0), b.i32(1));
    b.set_origin(Origin(4));
    let (inst, body) = b.loop_(&[zero]);
    let outer = b.switch_to(body);
    let round = b.func.region(body).params[0];
    b.set_origin(Origin(8));
    let last = b.op(Op::UGe, &[round, tid]);
    b.set_origin(Origin(12));
    b.when(last, |b| {
        b.set_origin(Origin(16));
        b.break_(inst, &[round]);
    });
    b.set_origin(Origin(20));
    b.barrier(Sync { shared: true, ..Sync::default() });
    b.set_origin(Origin::default());
    let next = b.op(Op::IAdd, &[round, one]);
    b.yield_(&[next]);
    b.switch_to(outer);
    b.set_origin(Origin(24));
    b.return_();
    let round = |before: &str, breaks: &str, stays: &str| -> Vec<String> {
        let mut lines = vec![format!("4 into 0 0:{before}"), format!("8 ran 0:{before}")];
        lines.extend([format!("12 into 0 0:{breaks}"), format!("16 break 0:{breaks}"), "12 out of 0 0:0".into()]);
        if stays != "0" {
            lines.extend([format!("12 into 1 0:{stays}"), format!("16 end 0:{stays}")]);
            lines.extend([format!("12 out of 1 0:{stays}"), format!("20 fence 0:{stays}")]);
        }
        lines.push(format!("4 out of 0 0:{stays}"));
        lines
    };
    let rounds = [round("111", "1", "110"), round("110", "10", "100"), round("100", "100", "0")];
    assert_eq!(log(func), [&rounds.concat()[..], &["24 return 0:111".into()]].concat());
}

#[test]
fn groups_enter_regions_with_barriers_and_wait() {
    let mut func = function([10, 1, 1]);
    let mut b = Builder::new(&mut func);
    let yes = b.bool(true);
    b.set_origin(Origin(4));
    b.when(yes, |b| {
        b.set_origin(Origin(8));
        b.barrier(Sync { threads: true, ..Sync::default() });
        b.set_origin(Origin::default());
    });
    b.return_();
    assert_eq!(log(func), ["4 into 0 all", "8 wait", "4 out of 0 all"]);
}

#[test]
fn accesses_to_views_say_how_much_of_them_there_is() {
    let mut func = function([2, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (two, five, place) = (b.i32(2), b.i32(5), b.i32(57));
    let bytes = b.op(Op::Shl, &[tid, two]);
    let offset = b.op(Op::IAdd, &[bytes, place]);
    let (all, one) = (b.bool(true), b.i32(1));
    let second = b.op(Op::IEq, &[tid, one]);
    b.set_origin(Origin(4));
    b.store(raw(OUTPUT, offset), &[five, tid], all);
    b.set_origin(Origin(8));
    b.atomic(AtomicOp::Add, raw(OUTPUT, offset), five, None, second);
    b.set_origin(Origin::default());
    b.return_();
    let expected = [
        "4 ran 0:11",
        "4 lane 0 at 56: [[], [5, 0]], 2",
        "4 lane 1 at 60: [[], [5, 1]], 1",
        "8 ran 0:11",
        "8 lane 1 at 60: [[5], [10]], 1",
    ];
    assert_eq!(log(func), expected);
}
