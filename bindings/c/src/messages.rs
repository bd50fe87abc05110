//! Collects what shaders print.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};

use brolga::{MessageLog, Sender, ShaderMessage, SourceLocation};

use crate::arguments::{check_memory, growing, init, put, put_fields};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get, get_if_any};
use crate::kept::Texts;

/// Collects what shaders print with printf and errorf, in all dispatches and passes that have it in their options.
/// Messages are in the order of the threads that sent them, whatever the number of workers; those of earlier dispatches
/// and draws come first, and of a draw those of earlier stages. Any thread may use it, and it may be destroyed at any
/// time.
pub struct Messages(());

impl HandleKind for Messages {
    type Value = MessageBox;
    const NAME: &'static str = "messages";
}

/// The log of runs, and what was taken out of it last.
pub(crate) struct MessageBox {
    log: MessageLog,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    messages: Vec<Message>,
    /// The texts to which they point.
    _texts: Texts,
}

/// The kind of invocation that sent a message.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderKind {
    /// A thread of a compute shader: `group` and `thread`.
    Thread = 0,
    /// A vertex: `vertex` and `instance`.
    Vertex = 1,
    /// A patch in a hull shader: `primitive`, and in `instance` the control point, or the instance of a phase.
    Patch = 2,
    /// A point of a patch in a domain shader: `primitive` and `location`.
    Point = 3,
    /// A primitive in a geometry shader: `primitive` and `instance`.
    Primitive = 4,
    /// A pixel: `pixel`.
    Pixel = 5,
}

/// An instruction of a shader.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Its text in listings; empty if unknown, NULL if there is no instruction.
    pub text: *const c_char,
    /// Its byte offset in the container.
    pub byte: u32,
    /// Its number, counted from 0 without declarations; UINT32_MAX if unknown.
    pub index: u32,
}

/// A message of a shader. Fields of other kinds of senders are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Its text in UTF-8, with the operands.
    pub text: *const c_char,
    /// The sender as a text: "thread (0, 0, 0) of group (1, 0, 0)".
    pub sender_text: *const c_char,
    /// The instruction that sent it.
    pub instruction: Instruction,
    /// `true` if it is one of errorf.
    pub is_error: MaybeUninit<bool>,
    /// The kind of sender.
    pub sender: MaybeUninit<SenderKind>,
    /// The thread's group.
    pub group: [u32; 3],
    /// Its position in the group.
    pub thread: [u32; 3],
    /// SV_VertexID.
    pub vertex: u32,
    /// SV_PrimitiveID.
    pub primitive: u32,
    /// SV_InstanceID, SV_OutputControlPointID or SV_GSInstanceID.
    pub instance: u32,
    /// SV_DomainLocation.
    pub location: [f32; 3],
    /// Column and row.
    pub pixel: [u32; 2],
}

impl Default for Instruction {
    fn default() -> Self {
        Self { text: std::ptr::null(), byte: 0, index: u32::MAX }
    }
}

impl Default for Message {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            text: std::ptr::null(),
            sender_text: std::ptr::null(),
            instruction: Instruction::default(),
            is_error: MaybeUninit::new(false),
            sender: MaybeUninit::new(SenderKind::Thread),
            group: [0; 3],
            thread: [0; 3],
            vertex: 0,
            primitive: 0,
            instance: 0,
            location: [0.0; 3],
            pixel: [0; 2],
        }
    }
}

growing! {
    Message as "BrolgaMessage";
}

impl Texts {
    pub(crate) fn instruction(&mut self, location: &SourceLocation) -> Instruction {
        let SourceLocation { byte, index, text, .. } = location;
        Instruction { text: self.keep(text), byte: *byte, index: index.unwrap_or(u32::MAX) }
    }

    fn message(&mut self, known: &ShaderMessage) -> Message {
        let mut message = Message {
            text: self.keep(&known.text),
            sender_text: self.keep(&known.sender.to_string()),
            instruction: self.instruction(&known.location),
            is_error: MaybeUninit::new(known.is_error),
            ..Message::default()
        };
        let kind = match known.sender {
            Sender::Thread { group, thread } => {
                (message.group, message.thread) = (group, thread);
                SenderKind::Thread
            }
            Sender::Vertex { vertex, instance } => {
                (message.vertex, message.instance) = (vertex, instance);
                SenderKind::Vertex
            }
            Sender::Patch { patch, instance } => {
                (message.primitive, message.instance) = (patch, instance);
                SenderKind::Patch
            }
            Sender::Point { patch, location } => {
                (message.primitive, message.location) = (patch, location);
                SenderKind::Point
            }
            Sender::Primitive { primitive, instance } => {
                (message.primitive, message.instance) = (primitive, instance);
                SenderKind::Primitive
            }
            Sender::Pixel { x, y } => {
                message.pixel = [x, y];
                SenderKind::Pixel
            }
            _ => unreachable!("there is a kind for each stage"),
        };
        message.sender = MaybeUninit::new(kind);
        message
    }
}

impl MessageBox {
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the log, if there is one.
///
/// # Safety
/// It is null or an object.
pub(crate) unsafe fn log(messages: *const Messages) -> Result<Option<MessageLog>, Failure> {
    // SAFETY: promised to this function.
    Ok(unsafe { get_if_any(messages) }?.map(|messages| messages.log.clone()))
}

/// Fills a message with the defaults. `size` is sizeof(BrolgaMessage).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_message_init(message: *mut Message, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(message, size) }
}

/// Makes an object that keeps `most` messages until they are taken: the first ones. 0 stands for 65,536. A message has
/// up to a kilobyte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_messages_create(most: usize, messages: *mut *mut Messages, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let log = if most == 0 { MessageLog::default() } else { MessageLog::new(most) };
            NewHandle::new(messages)?.put(MessageBox { log, taken: Mutex::default() });
            Ok(())
        })
    }
}

/// Destroys it, with the texts of its messages. Runs that it was given to go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_messages_destroy(messages: *mut Messages) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(messages) }
}

/// Takes the messages that were collected since the call before, for brolga_messages_get, and returns their number.
/// Those taken before go, with their texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_messages_take(messages: *const Messages, count: *mut usize, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let messages = get(messages)?;
            check_memory(count, 1, "the number of messages")?;
            let (known, mut texts) = (messages.log.take(), Texts::default());
            let taken = known.iter().map(|message| texts.message(message)).collect();
            *messages.lock() = Taken { messages: taken, _texts: texts };
            put(count, known.len(), "the number of messages")
        })
    }
}

/// Returns one of the messages that were taken last, by its number. Its texts stay until brolga_messages_take is called
/// again, or the object is destroyed. The struct has the size that its init function sets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_messages_get(
    messages: *const Messages,
    number: usize,
    message: *mut Message,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let taken = get(messages)?.lock();
            let all = &taken.messages;
            let missing = || Failure::argument(format!("there is no message {number}: {} were taken", all.len()));
            put_fields(message, all.get(number).ok_or_else(missing)?)
        })
    }
}

/// Returns the number of messages, since the object was made, that were not kept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_messages_lost(messages: *const Messages, lost: *mut u64, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(lost, get(messages)?.log.lost(), "the number")) }
}
