//! Shares the resources of a run's threads: three devices that are made anew now and then, compiled shaders that come
//! and go, and a thread that cancels tokens at random moments.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use brolga_runtime::{CancelToken, Device, Engine, Pool, Shader};

use crate::SAMPLES;
use crate::catalogue::Catalogue;
use crate::process::{POOL_THREAD, Usage};
use crate::support::compile;
use crate::support::random::Random;

/// Most dispatches that a compiled shader serves before it is dropped.
const USES: usize = 30;

/// Position of the device with one thread.
pub const ONE_THREAD: usize = 2;

/// A token to be cancelled.
#[derive(Clone, Debug)]
pub struct Order {
    pub token: CancelToken,
    /// Time to wait, in turns of an idle loop.
    pub turns: u32,
    /// Time when it was cancelled.
    pub done: Arc<OnceLock<Instant>>,
}

/// A compiled shader and how many more dispatches it serves.
#[derive(Debug, Default)]
struct Slot {
    shader: Option<Shader>,
    uses_left: usize,
}

/// The state that the threads share.
pub struct Fleet<'a> {
    pub catalogue: &'a Catalogue,
    seed: u64,
    dispatches: usize,
    next: AtomicUsize,
    samples: Mutex<Vec<Usage>>,
    borrowed: Arc<rayon::ThreadPool>,
    devices: [Mutex<Device>; 3],
    slots: Vec<Mutex<Slot>>,
    orders: Mutex<Option<Sender<Order>>>,
    asked: Mutex<Option<Receiver<Order>>>,
}

impl<'a> Fleet<'a> {
    /// Everything for a number of dispatches.
    pub fn new(catalogue: &'a Catalogue, dispatches: usize, seed: u64) -> Self {
        let (orders, asked) = mpsc::channel();
        let borrowed =
            rayon::ThreadPoolBuilder::new().num_threads(2).thread_name(|n| format!("{POOL_THREAD}other-{n}"));
        let borrowed = Arc::new(borrowed.build().unwrap());
        Self {
            catalogue,
            seed,
            dispatches,
            next: AtomicUsize::new(0),
            samples: Mutex::default(),
            devices: [0, 1, 2].map(|n| Mutex::new(new_device(n, &borrowed))),
            borrowed,
            slots: catalogue.shaders.iter().map(|_| Mutex::default()).collect(),
            orders: Mutex::new(Some(orders)),
            asked: Mutex::new(Some(asked)),
        }
    }

    /// Random numbers of the next dispatch, if there is another one to make.
    pub fn next(&self) -> Option<Random> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let of_sample = |step: usize| self.dispatches * step / SAMPLES;
        if n > 0 && n <= self.dispatches && (1..=SAMPLES).any(|step| of_sample(step) == n) {
            self.samples.lock().unwrap().push(Usage::of_this_process());
        }
        (n < self.dispatches).then(|| Random::tame(self.seed.wrapping_mul(0x1_0000_0001).wrapping_add(n as u64)))
    }

    /// Resources of the process at each step.
    pub fn samples(&self) -> Vec<Usage> {
        self.samples.lock().unwrap().clone()
    }

    /// A device; now and then the one that is kept is replaced while others still use it.
    pub fn device(&self, n: usize, random: &mut Random) -> Device {
        let mut kept = self.devices[n].lock().unwrap();
        if random.below(200) == 0 {
            *kept = new_device(n, &self.borrowed);
        }
        kept.clone()
    }

    /// A shader for machine code, compiled anew if it is not there. Others may still run what this drops.
    pub fn shader(&self, n: usize, device: &Device, random: &mut Random) -> Shader {
        let mut slot = self.slots[n].lock().unwrap();
        if slot.uses_left > 0
            && let Some(shader) = slot.shader.clone()
        {
            slot.uses_left -= 1;
            return shader;
        }
        slot.shader = None;
        drop(slot);
        let shader = self.compile(n, device, Engine::best());
        let uses_left = random.below(USES);
        *self.slots[n].lock().unwrap() = Slot { shader: Some(shader.clone()), uses_left };
        shader
    }

    /// Compiles a shader.
    pub fn compile(&self, n: usize, device: &Device, engine: Engine) -> Shader {
        compile(device, &self.catalogue.shaders[n], engine).expect("it compiled before")
    }

    /// Asks for a token to be cancelled in a while.
    pub fn cancel_later(&self, order: Order) {
        let orders = self.orders.lock().unwrap();
        orders.as_ref().expect("open while threads work").send(order).expect("somebody listens");
    }

    /// Cancels tokens until no more can be requested.
    pub fn cancel_what_is_asked(&self) {
        let asked = self.asked.lock().unwrap().take().expect("called once");
        for order in asked {
            for _ in 0..order.turns {
                std::hint::spin_loop();
            }
            order.done.set(Instant::now()).expect("each order is given once");
            order.token.cancel();
        }
    }

    /// Lets [`Self::cancel_what_is_asked`] end.
    pub fn no_more_to_cancel(&self) {
        self.orders.lock().unwrap().take();
    }
}

/// A device: the first has threads of its own, the second borrowed threads, the third none.
fn new_device(n: usize, borrowed: &Arc<rayon::ThreadPool>) -> Device {
    let builder = Device::builder();
    let builder = match n {
        0 => builder.threads(3).wakes_threads_from(Duration::ZERO),
        1 => {
            let threads = borrowed.clone();
            builder.pool(Pool::borrowed(2, move |task| threads.spawn(task)))
        }
        _ => builder.threads(1),
    };
    builder.build().unwrap()
}
