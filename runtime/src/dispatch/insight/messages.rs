//! Collects the messages that shaders send, in the order of their threads.

use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brolga_ir::entity::MessageId;
use brolga_ir::function::Origin;
use brolga_ir::message::{MessageKind, SENDER_WORDS, Sender};
use brolga_ir::stages::position;

use crate::host::Outbox;
use crate::shader::{Shader, SourceLocation};

/// A message that a shader sent with `printf` or `errorf`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShaderMessage {
    /// `true` if it is one of `errorf`.
    pub is_error: bool,
    /// Its text, with the operands.
    pub text: String,
    /// Who sent it.
    pub sender: Sender,
    /// The instruction that sent it.
    pub location: Arc<SourceLocation>,
}

/// Collects the messages of the shaders of a run, in the order of their threads, whatever the number of workers. Of
/// several runs, the earlier one's come first; of draws of a pass those of the first draw, and of a draw those of the
/// first stage.
///
/// If there are too many, the first ones are kept. Clones share the messages.
#[derive(Clone, Debug)]
pub struct MessageLog(Arc<Mutex<Collected>>);

impl Default for MessageLog {
    fn default() -> Self {
        Self::new(Self::MOST)
    }
}

impl MessageLog {
    /// The number of messages that are kept by default.
    pub const MOST: usize = 1 << 16;

    /// An empty one that keeps so many messages, of up to a kilobyte.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Mutex::new(Collected { most, ..Collected::default() })))
    }

    /// Takes the messages out.
    pub fn take(&self) -> Vec<ShaderMessage> {
        let mut collected = self.lock();
        collected.settle();
        mem::take(&mut collected.settled)
    }

    /// The number of messages that were not kept.
    pub fn lost(&self) -> u64 {
        self.lock().lost
    }

    /// Notes that a run is over: what is sent from now on comes later.
    pub fn end_run(&self) {
        self.lock().settle();
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Collected {
    most: usize,
    /// Those of earlier runs.
    settled: Vec<ShaderMessage>,
    /// Those of the present run, the last one on top.
    recent: BinaryHeap<Entry>,
    /// Messages of this run so far.
    sequence: u64,
    lost: u64,
    /// Instructions that sent some, by their shader's address.
    locations: HashMap<(usize, Origin), Arc<SourceLocation>>,
}

/// Draw and stage, the thread's words, and which of the thread's messages it is.
type Key = ([u32; 2], [u32; SENDER_WORDS], u64);

#[derive(Debug)]
struct Entry {
    key: Key,
    message: ShaderMessage,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Entry {}

impl Collected {
    fn settle(&mut self) {
        let recent = mem::take(&mut self.recent).into_sorted_vec();
        self.settled.extend(recent.into_iter().map(|entry| entry.message));
        self.locations.clear();
    }

    /// Takes a message, unless there is no room for it; of a run, the first ones stay.
    fn send(&mut self, order: [u32; 2], words: [u32; SENDER_WORDS], message: impl FnOnce(&mut Self) -> ShaderMessage) {
        let key = (order, words, self.sequence);
        self.sequence += 1;
        if self.settled.len() + self.recent.len() >= self.most {
            self.lost += 1;
            match self.recent.peek() {
                Some(last) if key < last.key => self.recent.pop(),
                _ => return,
            };
        }
        let message = message(self);
        self.recent.push(Entry { key, message });
    }
}

/// Sends the messages of a shader in a run to a log.
#[derive(Clone, Copy)]
pub(in super::super) struct Postbox<'a> {
    log: Option<&'a MessageLog>,
    shader: &'a Shader,
    draw: u32,
}

impl<'a> Postbox<'a> {
    /// For a draw of this number, or a dispatch.
    pub fn new(log: Option<&'a MessageLog>, shader: &'a Shader, draw: u32) -> Self {
        Self { log, shader, draw }
    }
}

impl fmt::Debug for Postbox<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postbox").field("log", &self.log).field("draw", &self.draw).finish_non_exhaustive()
    }
}

impl Outbox for Postbox<'_> {
    fn send(&self, message: MessageId, origin: Origin, words: &[u32]) {
        let Some(log) = self.log else { return };
        let outline = self.shader.outline();
        let (Some(message), Some((&sender, operands))) =
            (outline.messages.get(message.index()), words.split_first_chunk())
        else {
            return;
        };
        log.lock().send([self.draw, position(outline.stage.kind()) as u32], sender, |collected| ShaderMessage {
            is_error: message.kind == MessageKind::Error,
            text: message.with(operands),
            sender: Sender::new(&outline.stage, sender),
            location: Arc::clone(
                (collected.locations)
                    .entry((std::ptr::from_ref(outline) as usize, origin))
                    .or_insert_with(|| Arc::new(self.shader.location(origin))),
            ),
        });
    }
}
