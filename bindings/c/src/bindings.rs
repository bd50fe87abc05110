//! Defines bindings: views by register.

use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, PoisonError};

use brolga::{BindingRules, Leniency, ParseRegisterError, Register};

use crate::arguments::text;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get, get_if_any};
use crate::shader::Shader;
use crate::view::View;

/// Views by register, for dispatches and draws. Any thread may use and change them at any time; a dispatch uses the
/// views that are bound when it is called.
pub struct Bindings(());

impl HandleKind for Bindings {
    type Value = Mutex<brolga::Bindings>;
    const NAME: &'static str = "bindings";
}

pub(crate) fn lock(bindings: &Mutex<brolga::Bindings>) -> MutexGuard<'_, brolga::Bindings> {
    bindings.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Rules that bindings may relax; sums of these.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Allow {
    /// Registers that a shader declares may be left unbound: they read as zeros and drop writes, as in Direct3D.
    Unbound = 1,
    /// Registers that a shader does not declare may be bound. For draws they always may.
    Undeclared = 2,
    /// Texels of an unsigned format may be bound where a shader declares signed integers, and vice versa.
    OtherSign = 4,
}

fn rules(allowed: u32) -> Result<BindingRules, Failure> {
    let all = [
        (Allow::Unbound as u32, Leniency::Unbound),
        (Allow::Undeclared as u32, Leniency::Undeclared),
        (Allow::OtherSign as u32, Leniency::OtherSign),
    ];
    let known = all.iter().fold(0, |known, (bit, _)| known | bit);
    if allowed & !known != 0 {
        return Err(Failure::argument(format!("what bindings allow is {allowed:#x}, but only {known:#x} is known")));
    }
    let chosen = all.into_iter().filter(|(bit, _)| allowed & bit != 0);
    Ok(chosen.fold(BindingRules::COMPLETE, |rules, (_, what)| rules.allow(what)))
}

/// Finds the register of a text: with a shader a name of its source, or else a register.
///
/// # Safety
/// `place` is null or a text.
pub(crate) unsafe fn register(shader: Option<&brolga::Shader>, place: *const c_char) -> Result<Register, Failure> {
    // SAFETY: promised to this function.
    let place = unsafe { text(place, "the register or name") }?;
    let parsed = place.parse().map_err(|error: ParseRegisterError| brolga::Error::from(error).into());
    match shader {
        None => parsed,
        Some(shader) => shader.register(place).or_else(|error| parsed.map_err(|_: Failure| error.into())),
    }
}

/// Makes bindings without views. `allowed` is 0, or a sum of BROLGA_ALLOW_UNBOUND and the like: by default, exactly the
/// registers that a shader declares must be bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bindings_create(allowed: u32, bindings: *mut *mut Bindings, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let handle = NewHandle::new(bindings)?;
            handle.put(Mutex::new(brolga::Bindings::with_rules(rules(allowed)?)));
            Ok(())
        })
    }
}

/// Destroys bindings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bindings_destroy(bindings: *mut Bindings) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(bindings) }
}

/// Binds a view, replacing the one that was bound to the register. `place` is a register, as in "t0", "u1" or
/// "b0,space2". With a shader it may be a name of its source too, as in "lights[2]"; `shader` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bindings_set(
    bindings: *const Bindings,
    shader: *const Shader,
    place: *const c_char,
    view: *const View,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (bindings, register, view) = (get(bindings)?, register(get_if_any(shader)?, place)?, get(view)?);
            // The old view is dropped after the lock is released: the owner of its memory may call again.
            let replaced = lock(bindings).replace(register, view.clone());
            drop(replaced);
            Ok(())
        })
    }
}

/// Unbinds a register, if anything is bound to it. `shader` and `place` are those of brolga_bindings_set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bindings_remove(
    bindings: *const Bindings,
    shader: *const Shader,
    place: *const c_char,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (bindings, register) = (get(bindings)?, register(get_if_any(shader)?, place)?);
            // As above.
            let removed = lock(bindings).remove(register);
            drop(removed);
            Ok(())
        })
    }
}
