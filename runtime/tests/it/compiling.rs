//! Tests what compiling costs its caller: hardly any stack, and only a few threads, however often it is abandoned.

use std::thread;
use std::time::Duration;

use brolga_runtime::{
    Bindings, CancelToken, CompileOptions, Device, Dispatch, Emit, Engine, Error, Oversize, Register, Shader, View,
};
use brolga_testing::run::assemble;

use crate::support::ENGINES;

/// Loops in loops as deep as a shader may have them. The innermost one adds 1 to what the thread writes, once.
fn nest(depth: usize) -> Vec<u8> {
    let open = "loop\nieq r0.y, r0.x, l(1)\nbreakc_nz r0.y\n".repeat(depth - 1);
    let close = "endloop\n".repeat(depth - 1);
    assemble(&format!(
        "cs_5_0
        dcl_uav_raw u0
        dcl_temps 1
        dcl_thread_group 1, 1, 1
        mov r0.x, l(0)
        {open}loop\nieq r0.y, r0.x, l(1)\nbreakc_nz r0.y\niadd r0.x, r0.x, l(1)\nendloop\n{close}store_raw u0.x, l(0), r0.x
        ret"
    ))
}

const DEEPEST: usize = 127;

fn options(engine: Engine) -> CompileOptions {
    CompileOptions::new(engine).oversize(Oversize::Refuse)
}

/// Runs something on a stack of this many bytes.
fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work).unwrap().join().unwrap())
}

#[test]
fn compiling_needs_hardly_any_stack() {
    let device = Device::builder().threads(1).build().unwrap();
    let (container, token) = (nest(DEEPEST), CancelToken::new());
    on_stack(64 << 10, || {
        for &engine in ENGINES {
            let shader = device.compile(&container, &options(engine)).unwrap();
            device.compile_until(&container, &options(engine), &token, None).unwrap();
            shader.compile_for(&[], &[[1, 2, 1], [1, 100, 1]]).unwrap();
            for form in [Emit::Ir, Emit::Packet, Emit::Asm] {
                assert!(!shader.emit(form).unwrap().to_string().is_empty());
            }
        }
    });
}

#[test]
fn running_needs_as_much_stack_as_is_promised() {
    let device = Device::builder().threads(1).build().unwrap();
    let container = nest(DEEPEST);
    for &engine in ENGINES {
        let written = on_stack(512 << 10, || {
            let shader: Shader = device.compile(&container, &options(engine)).unwrap();
            let (buffer, mut bindings) = (device.buffer(4).unwrap(), Bindings::new());
            bindings.set(Register::u(0), View::raw(buffer.clone()).unwrap());
            device.dispatch(&shader, &bindings, &Dispatch::new([1, 1, 1])).unwrap();
            buffer.to_vec::<u32>().unwrap()
        });
        assert_eq!(written, [1], "{engine}");
    }
}

/// Compiling threads of this process.
#[cfg(target_os = "linux")]
fn threads_that_compile() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim_end() == "brolga-compile").count()
}

#[cfg(target_os = "linux")]
#[test]
fn a_thousand_compilations_that_were_given_up_leave_few_threads() {
    const CALLERS: usize = 20;
    let device = Device::builder().threads(1).build().unwrap();
    let work = "sincos r0.xyzw, r1.xyzw, r0.xyzw\nmad r0.xyzw, r0.xyzw, r1.xyzw, r0.wzyx\n".repeat(300);
    let container = assemble(&format!(
        "cs_5_0\ndcl_uav_raw u0\ndcl_temps 2\ndcl_thread_group 1, 1, 1\nmov r0.xyzw, l(1.0, 2.0, 3.0, 4.0)\n{work}\
         store_raw u0.xyzw, l(0), r0.xyzw\nret"
    ));
    let given_up = thread::scope(|scope| {
        let caller = || {
            let limit = Some(Duration::from_millis(1));
            let compile = |_| device.compile_until(&container, &options(Engine::Jit), &CancelToken::new(), limit);
            (0..1000 / CALLERS)
                .map(compile)
                .filter(|result| matches!(result, Err(Error::CompileStopped { .. })))
                .count()
        };
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(caller)).collect();
        while !callers.iter().all(|caller| caller.is_finished()) {
            // Other tests of this process compile too.
            let threads = threads_that_compile();
            assert!(threads < 150, "{threads} threads");
            thread::sleep(Duration::from_millis(5));
        }
        callers.into_iter().map(|caller| caller.join().unwrap()).sum::<usize>()
    });
    assert!(given_up > 900, "{given_up} were given up");
    // A caller without a time limit gets its turn.
    device.compile_until(&container, &options(Engine::Jit), &CancelToken::new(), None).unwrap();
}
