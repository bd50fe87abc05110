//! Maps words to enum values, for the printer and the parser alike.

use crate::function::{Input, Sync};
use crate::named::Named;
use crate::sampling::{LevelSource, Offsets, SampleKind, Sampling};

impl Named for LevelSource {
    const VALUES: &'static [Self] = &[LevelSource::Zero, LevelSource::Given, LevelSource::Derivatives];

    fn named(self) -> &'static str {
        match self {
            LevelSource::Zero => "at_zero",
            LevelSource::Given => "at_level",
            LevelSource::Derivatives => "by_derivatives",
        }
    }
}

/// The kinds of samples.
pub(super) const SAMPLE_KINDS: [(&str, SampleKind); 8] = [
    ("filter", SampleKind::Filter),
    ("compare", SampleKind::Compare),
    ("gather.x", SampleKind::Gather { component: 0 }),
    ("gather.y", SampleKind::Gather { component: 1 }),
    ("gather.z", SampleKind::Gather { component: 2 }),
    ("gather.w", SampleKind::Gather { component: 3 }),
    ("gather_compare", SampleKind::GatherCompare),
    ("level", SampleKind::Level),
];

/// The kind of a sample, without its operands.
pub(super) fn sampling_words(sampling: Sampling) -> String {
    let kind = SAMPLE_KINDS.iter().find(|(_, kind)| *kind == sampling.kind).map_or("?", |(word, _)| word);
    let mut words = format!("{kind} {}", sampling.level.named());
    match sampling.offsets {
        Offsets::Fixed([0, 0, 0]) => {}
        Offsets::Fixed([u, v, w]) => words += &format!(" offset {u} {v} {w}"),
        Offsets::Computed => words += " offsets",
    }
    for (word, is_there) in [(" bias", sampling.has_bias), (" clamp", sampling.has_clamp)] {
        words += if is_there { word } else { "" };
    }
    words
}

/// The word of an input and the component after its dot.
pub(super) fn input_word(input: Input) -> (&'static str, Option<u8>) {
    match input {
        Input::ThreadId(n) => ("thread_id", Some(n)),
        Input::GroupId(n) => ("group_id", Some(n)),
        Input::ThreadIdInGroup(n) => ("thread_id_in_group", Some(n)),
        Input::ThreadIndex => ("thread_index", None),
        Input::GroupCount(n) => ("group_count", Some(n)),
    }
}

/// The input of this name.
pub(super) fn input_from_word(word: &str) -> Option<Input> {
    let of_axis = |n| [Input::ThreadId(n), Input::GroupId(n), Input::ThreadIdInGroup(n), Input::GroupCount(n)];
    let components = (0..3).flat_map(of_axis);
    components.chain([Input::ThreadIndex]).find(|&input| match input_word(input) {
        (name, None) => word == name,
        (name, Some(n)) => word.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) == Some(component(n)),
    })
}

/// The name of a component; `?` if there is none such.
pub(super) fn component(n: u8) -> &'static str {
    ["x", "y", "z"].get(usize::from(n)).copied().unwrap_or("?")
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The components of a mask.
pub(super) fn mask_letters(mask: u8) -> String {
    let letters: String = (0..4).filter(|n| mask >> n & 1 != 0).map(|n| LETTERS[n]).collect();
    if letters.is_empty() || mask > 15 { "?".into() } else { letters }
}

/// The mask of components, which must be in order.
pub(super) fn mask_from_letters(letters: &str) -> Option<u8> {
    (1..16).find(|&mask| mask_letters(mask) == letters)
}

/// The parts of a barrier with their words.
pub(super) fn sync_words(sync: &mut Sync) -> [(&'static str, &mut bool); 4] {
    [
        ("threads", &mut sync.threads),
        ("shared", &mut sync.shared),
        ("views_group", &mut sync.views_group),
        ("views_global", &mut sync.views_global),
    ]
}

/// A name in quotes; everything but printable ASCII is escaped.
pub(super) fn quoted(name: &str) -> String {
    let mut text = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            ' '..='~' => text.push(c),
            _ => text.extend(c.escape_unicode()),
        }
    }
    text.push('"');
    text
}
