//! Shows what shaders print during `brolga run`: the texts of `printf` on stdout, after the results, and those of
//! `errorf` on stderr, with their places.

use std::io::{self, Write};

use brolga::{MessageLog, Sender, ShaderMessage};
use serde_json::{Value, json};

use super::super::report::{self, harmless};
use super::super::style::Style;

/// The messages of a run.
#[derive(Default)]
pub(super) struct Printed {
    messages: Vec<ShaderMessage>,
    lost: u64,
}

impl Printed {
    /// Takes them out of their log.
    pub fn take(log: &MessageLog) -> Self {
        Self { messages: log.take(), lost: log.lost() }
    }

    /// `true` if another run printed the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.messages == other.messages && self.lost == other.lost
    }

    /// Writes them as text.
    pub fn write(&self, out: &mut impl Write, style: Style) -> io::Result<()> {
        for message in self.messages.iter().filter(|message| !message.is_error) {
            writeln!(out, "{}", harmless(&message.text))?;
        }
        for ShaderMessage { text, sender, location, .. } in self.messages.iter().filter(|message| message.is_error) {
            let (mark, text, location) = (style.bad("errorf:"), harmless(text), harmless(&location.to_string()));
            report::say(&format!("{mark} {text}\n  by {sender} at {location}\n"));
        }
        if self.lost > 0 {
            let kept = self.messages.len();
            report::say(&format!(
                "of the messages of shaders the first {kept} were kept, {} more were not\n",
                self.lost
            ));
        }
        Ok(())
    }

    /// The messages as JSON.
    pub fn json(&self) -> impl Iterator<Item = Value> {
        self.messages.iter().map(json_of)
    }

    /// How many were not kept.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

fn json_of(message: &ShaderMessage) -> Value {
    let ShaderMessage { is_error, text, sender, location, .. } = message;
    json!({
        "severity": if *is_error { "error" } else { "info" },
        "text": text,
        "instruction": location.index,
        "byte": location.byte,
        "listing": location.text,
        "source": location.source.as_ref().map(ToString::to_string),
        "sender": sender_json(sender),
    })
}

pub(in super::super) fn sender_json(sender: &Sender) -> Value {
    match *sender {
        Sender::Thread { group, thread } => json!({ "group": group, "thread": thread }),
        Sender::Vertex { vertex, instance } => json!({ "vertex": vertex, "instance": instance }),
        Sender::Patch { patch, instance } => json!({ "patch": patch, "instance": instance }),
        Sender::Point { patch, location } => json!({ "patch": patch, "location": location }),
        Sender::Primitive { primitive, instance } => json!({ "primitive": primitive, "instance": instance }),
        Sender::Pixel { x, y } => json!({ "pixel": [x, y] }),
        _ => json!({ "other": sender.to_string() }),
    }
}
