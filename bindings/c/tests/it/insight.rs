//! Checks what is told about runs: messages of shaders and findings of checks. Expectations are worked out by hand.

use std::ffi::{CStr, c_char};
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{null, null_mut};

use brolga_c::bindings::*;
use brolga_c::buffer::*;
use brolga_c::check::*;
use brolga_c::device::*;
use brolga_c::dispatch::*;
use brolga_c::draw::*;
use brolga_c::error::Code;
use brolga_c::merger::TargetState;
use brolga_c::messages::*;
use brolga_c::pipeline::*;
use brolga_c::shader::*;
use brolga_c::state::Topology;
use brolga_c::texture::*;
use brolga_c::view::*;

use crate::caller::{Told, assembled, device};

/// Each thread prints its number, odd ones as errors. The one whose number is in the buffer aborts.
const PRINTS: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 2, 1, 1
and r0.x, vThreadID.x, l(1)
if_nz r0.x
  errorf \"%u is odd\", vThreadID.x
else
  printf \"%u is even\", vThreadID.x
endif
ld_raw r0.x, l(0), u0.xxxx
ieq r0.x, r0.x, vThreadID.x
if_nz r0.x
  abort
endif
ret
";

/// Each thread reads what its neighbour wrote to shared memory, without a barrier; all write it to one word.
pub const RACES: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_tgsm_structured g0, 4, 4
dcl_thread_group 4, 1, 1
store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), vThreadIDInGroupFlattened.x
iadd r0.x, vThreadIDInGroupFlattened.x, l(1)
and r0.x, r0.x, l(3)
ld_structured r0.x, r0.x, l(0), g0.xxxx
store_raw u0.x, l(8), r0.x
ret
";

/// One of four threads goes to a barrier. Others write past the end of a buffer of 16 bytes.
const DIVERGES: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(3)
store_raw u0.x, r0.x, l(7)
if_z vThreadIDInGroupFlattened.x
  sync_g_t
endif
ret
";

/// All threads write the same value to one word.
const AGREES: &CStr = c"
cs_5_0
dcl_uav_raw u0
dcl_thread_group 4, 1, 1
store_raw u0.x, l(0), l(7)
ret
";

fn text(from: *const c_char) -> &'static str {
    // SAFETY: the object under test lives until the text is compared.
    if from.is_null() { "" } else { unsafe { CStr::from_ptr(from) }.to_str().expect("UTF-8") }
}

/// A value of a result.
fn known<T: Copy>(raw: MaybeUninit<T>) -> T {
    // SAFETY: the library wrote it, or a test its default.
    unsafe { raw.assume_init() }
}

/// A shader bound to a buffer of these words.
pub struct Run {
    device: *mut Device,
    pub buffer: *mut Buffer,
    pub bound: *mut Bound,
}

impl Run {
    pub fn new(listing: &CStr, words: [u32; 4]) -> Self {
        let device = device();
        let shader = assembled(device, listing);
        let buffer = made!(brolga_buffer_create(device, 16, words.as_ptr().cast()));
        let (view, bindings) = (made!(brolga_view_of_buffer(buffer, null())), made!(brolga_bindings_create(0)));
        works!(brolga_bindings_set(bindings, null(), c"u0".as_ptr(), view));
        let bound = made!(brolga_bound_create(device, shader, bindings));
        destroy! { brolga_view_destroy(view); brolga_bindings_destroy(bindings); brolga_shader_destroy(shader) }
        Self { device, buffer, bound }
    }

    fn check(&self, groups: u32, options: CheckOptions) -> *mut Findings {
        let dispatch = DispatchOptions { groups: [groups, 1, 1], ..DispatchOptions::default() };
        made!(brolga_bound_check(self.bound, &dispatch, &options))
    }

    pub fn destroy(self) {
        destroy! {
            brolga_bound_destroy(self.bound); brolga_buffer_destroy(self.buffer); brolga_device_destroy(self.device)
        }
    }
}

fn take(messages: *const Messages) -> Vec<Message> {
    let count = given!(usize: brolga_messages_take(messages));
    (0..count)
        .map(|number| {
            let mut message = Message::default();
            works!(brolga_messages_get(messages, number, &mut message));
            message
        })
        .collect()
}

fn all(findings: *const Findings) -> Vec<Finding> {
    (0..given!(usize: brolga_findings_count(findings)))
        .map(|number| {
            let mut finding = Finding::default();
            works!(brolga_findings_get(findings, number, &mut finding));
            finding
        })
        .collect()
}

#[test]
pub fn threads_print_in_order_and_abort() {
    let (run, messages) = (Run::new(PRINTS, [u32::MAX; 4]), made!(brolga_messages_create(0)));
    let dispatch = DispatchOptions { groups: [2, 1, 1], messages, ..DispatchOptions::default() };
    works!(brolga_bound_dispatch(run.bound, &dispatch, null_mut()));
    let taken = take(messages);
    let texts: Vec<_> = taken.iter().map(|message| text(message.text)).collect();
    assert_eq!(texts, ["0 is even", "1 is odd", "2 is even", "3 is odd"]);
    let last = taken[3];
    assert_eq!((known(last.sender), last.group, last.thread), (SenderKind::Thread, [1, 0, 0], [1, 0, 0]));
    assert_eq!(text(last.sender_text), "thread (1, 0, 0) of group (1, 0, 0)");
    assert_eq!((last.instruction.index, text(last.instruction.text)), (2, "errorf \"%u is odd\", vThreadID.x"));
    assert!(last.instruction.byte < taken[2].instruction.byte && last.instruction.byte > 0);
    assert_eq!(taken.iter().map(|message| known(message.is_error)).collect::<Vec<_>>(), [false, true, false, true]);
    // They are taken once.
    assert!(take(messages).is_empty());

    works!(brolga_buffer_write(run.buffer, 0, [2_u32].as_ptr().cast(), 4));
    let mut told = Told::new();
    // SAFETY: all of them are objects.
    let code = unsafe { brolga_bound_dispatch(run.bound, &dispatch, null_mut(), &mut told.0) };
    assert_eq!(code, Code::Aborted, "{}", told.text());
    assert!(told.text().contains("aborted in thread (0, 0, 0) of group (1, 0, 0)"), "{}", told.text());
    let texts: Vec<_> = take(messages).iter().map(|message| text(message.text)).collect();
    assert_eq!(texts[..3], ["0 is even", "1 is odd", "2 is even"]);
    destroy!(brolga_messages_destroy(messages));
    run.destroy();
}

#[test]
fn as_many_messages_are_kept_as_asked_for() {
    let (run, messages) = (Run::new(PRINTS, [u32::MAX; 4]), made!(brolga_messages_create(3)));
    let dispatch = DispatchOptions { groups: [2, 1, 1], messages, ..DispatchOptions::default() };
    works!(brolga_bound_dispatch(run.bound, &dispatch, null_mut()));
    assert_eq!(given!(u64: brolga_messages_lost(messages)), 1);
    assert_eq!(take(messages).len(), 3);
    // Programs that know nothing of messages have shorter structs.
    let old = DispatchOptions { size: offset_of!(DispatchOptions, messages), ..dispatch };
    works!(brolga_bound_dispatch(run.bound, &old, null_mut()));
    assert!(take(messages).is_empty());
    destroy!(brolga_messages_destroy(messages));
    run.destroy();
}

#[test]
pub fn stages_of_a_draw_print_in_order() {
    let shader = |stage: &str| {
        let path = format!("{}/../../tests/data/messages/{stage}.cso", env!("CARGO_MANIFEST_DIR"));
        std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let (device, messages) = (device(), made!(brolga_messages_create(0)));
    let [vertex, hull, domain, geometry, pixel] = ["vs", "hs", "ds", "gs", "ps"].map(shader);
    // R8G8B8A8_UNORM.
    let target = TargetState { format: 28, ..TargetState::default() };
    let pipeline = made!(brolga_pipeline_create(
        device,
        &PipelineOptions {
            vertex_shader: vertex.as_ptr().cast(),
            vertex_shader_bytes: vertex.len(),
            hull_shader: hull.as_ptr().cast(),
            hull_shader_bytes: hull.len(),
            domain_shader: domain.as_ptr().cast(),
            domain_shader_bytes: domain.len(),
            geometry_shader: geometry.as_ptr().cast(),
            geometry_shader_bytes: geometry.len(),
            pixel_shader: pixel.as_ptr().cast(),
            pixel_shader_bytes: pixel.len(),
            topology: MaybeUninit::new(Topology::Patch3),
            targets: &target,
            target_count: 1,
            ..PipelineOptions::default()
        }
    ));
    let shape = TextureOptions { format: 28, width: 4, height: 3, ..TextureOptions::default() };
    let texture = made!(brolga_texture_create(device, &shape, null(), 0));
    let view = made!(brolga_view_of_texture(texture, null()));
    let targets = [view.cast_const()];
    let options = PassOptions { targets: targets.as_ptr(), target_count: 1, messages, ..PassOptions::default() };
    let pass = made!(brolga_pass_create(device, &options));
    works!(brolga_pass_draw(pass, &DrawOptions { pipeline, count: 3, ..DrawOptions::default() }, null_mut()));
    works!(brolga_pass_flush(pass));
    let taken = take(messages);
    let texts: Vec<_> = taken.iter().map(|message| text(message.text)).collect();
    assert_eq!(
        texts,
        [
            "vertex 0 of instance 0",
            "vertex 1 of instance 0",
            "vertex 2 of instance 0",
            "0.000 0.000 1.000",
            "0.000 1.000 0.000",
            "0.333 0.333 0.333",
            "1.000 0.000 0.000",
            "triangle 0",
            "triangle 0",
            "triangle 0",
            "pixel 1.5 0.5",
            "pixel 2.5 0.5",
            "pixel 1.5 1.5",
        ]
    );
    let kinds: Vec<_> = taken.iter().map(|message| known(message.sender)).collect();
    let runs: Vec<_> = kinds.chunk_by(|one, other| one == other).map(|run| (run[0], run.len())).collect();
    let expected =
        [(SenderKind::Vertex, 3), (SenderKind::Point, 4), (SenderKind::Primitive, 3), (SenderKind::Pixel, 3)];
    assert_eq!(runs, expected);
    assert_eq!((taken[2].vertex, taken[2].instance, taken[2].pixel), (2, 0, [0; 2]));
    assert_eq!((taken[4].primitive, taken[4].location), (0, [0.0, 1.0, 0.0]));
    assert_eq!((taken[11].pixel, text(taken[11].sender_text)), ([2, 0], "pixel (2, 0)"));
    destroy! {
        brolga_pass_destroy(pass); brolga_view_destroy(view); brolga_texture_destroy(texture);
        brolga_pipeline_destroy(pipeline); brolga_messages_destroy(messages); brolga_device_destroy(device);
    }
}

#[test]
pub fn races_are_found_with_their_parties() {
    let run = Run::new(RACES, [9; 4]);
    let findings = run.check(2, CheckOptions::default());
    let found = all(findings);
    let told: Vec<_> = found
        .iter()
        .map(|finding| {
            assert_eq!(known(finding.kind), FindingKind::Race);
            (text(finding.subject), known(finding.is_between_groups), finding.party_count)
        })
        .collect();
    assert_eq!(told, [("g0", false, 2), ("u0", false, 2), ("u0", true, 2)]);
    // A word is written by the thread of its number, and read by the one before, in each of two groups.
    let shared = &found[0];
    assert_eq!((shared.count, known(shared.place_kind), shared.other.text), (8, PlaceKind::Byte, null()));
    let party = |n: usize| {
        let party = shared.parties[n];
        assert_eq!((party.group, party.thread), ([0; 3], [party.index, 0, 0]));
        (known(party.access), party.instruction.index, u64::from(party.index))
    };
    let word = shared.place[0] / 4;
    assert_eq!([party(0), party(1)], [(AccessKind::Write, 0, word), (AccessKind::Read, 3, (word + 3) % 4)]);
    assert!(text(shared.parties[1].instruction.text).starts_with("ld_structured"));
    assert!(text(shared.text).starts_with("race on g0: byte ") && text(shared.text).contains("\n  help: "));
    let (first, second) = (found[2].parties[0], found[2].parties[1]);
    assert_eq!((found[2].place, first.group, second.group), ([8, 0, 0], [0; 3], [1, 0, 0]));
    let mut summary = CheckSummary::default();
    works!(brolga_findings_summary(findings, &mut summary));
    assert_eq!((summary.groups, summary.watched_words, summary.unwatched), (2, 1, 0));
    destroy!(brolga_findings_destroy(findings));

    // Results are those of a dispatch on one thread: the last thread reads the word of the first.
    assert_eq!(given!([u32; 4]: read_words(run.buffer)), [9, 9, 0, 9]);
    let unwatched = run.check(2, CheckOptions { shadow_words: 0, ..CheckOptions::default() });
    works!(brolga_findings_summary(unwatched, &mut summary));
    assert_eq!((all(unwatched).len(), summary.unwatched), (1, 8));
    destroy!(brolga_findings_destroy(unwatched));
    run.destroy();
}

/// As functions of C that return a value.
unsafe fn read_words(buffer: *const Buffer, words: *mut [u32; 4], error: *mut brolga_c::error::Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { brolga_buffer_read(buffer, 0, words.cast(), 16, error) }
}

#[test]
pub fn kinds_and_groups_are_chosen() {
    let run = Run::new(DIVERGES, [0; 4]);
    let findings = run.check(1, CheckOptions::default());
    let found = all(findings);
    let kinds: Vec<_> = found.iter().map(|finding| known(finding.kind)).collect();
    assert_eq!(kinds, [FindingKind::Bounds, FindingKind::Barrier]);
    let [bounds, barrier] = [found[0], found[1]];
    assert_eq!((bounds.party_count, bounds.place, bounds.extent, bounds.words), (1, [16, 0, 0], 16, [0, 1]));
    assert_eq!((bounds.count, bounds.parties[0].thread), (2, [2, 0, 0]));
    let ends = barrier.parties.map(|party| party.index);
    assert_eq!((barrier.party_count, barrier.words, ends), (4, [1, 3], [0, 0, 1, 3]));
    assert_eq!((text(barrier.other.text), barrier.subject), ("sync_g_t", null()));
    destroy!(brolga_findings_destroy(findings));

    for (kinds, expected) in [(FindingKind::Barrier as u32, 1), (0, 0), (FindingKind::Race as u32, 0)] {
        let findings = run.check(1, CheckOptions { kinds, ..CheckOptions::default() });
        assert_eq!(given!(usize: brolga_findings_count(findings)), expected);
        destroy!(brolga_findings_destroy(findings));
    }
    let other = CheckOptions { has_group: MaybeUninit::new(true), group: [1, 0, 0], ..CheckOptions::default() };
    let findings = run.check(1, other);
    assert_eq!(given!(usize: brolga_findings_count(findings)), 0);
    destroy!(brolga_findings_destroy(findings));
    run.destroy();

    let run = Run::new(AGREES, [0; 4]);
    for (is_strict, expected) in [(false, 0), (true, 1)] {
        let options = CheckOptions { is_strict: MaybeUninit::new(is_strict), ..CheckOptions::default() };
        let findings = run.check(1, options);
        assert_eq!(given!(usize: brolga_findings_count(findings)), expected);
        destroy!(brolga_findings_destroy(findings));
    }
    run.destroy();
}
