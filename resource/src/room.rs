//! Allocates vectors whose length comes from outside: lack of memory is an error, and does not abort the process.

use bytemuck::Zeroable;

use crate::error::ResourceError;

/// Makes an empty vector with room for so many elements.
///
/// # Errors
/// [`ResourceError::OutOfMemory`].
pub fn room<T>(count: u64) -> Result<Vec<T>, ResourceError> {
    let mut elements = Vec::new();
    more(&mut elements, count)?;
    Ok(elements)
}

/// Reserves room for exactly so many more elements.
///
/// # Errors
/// [`ResourceError::OutOfMemory`].
pub fn more<T>(elements: &mut Vec<T>, count: u64) -> Result<(), ResourceError> {
    let refused = || ResourceError::OutOfMemory { size_bytes: count.saturating_mul(size_of::<T>() as u64) };
    let count = usize::try_from(count).map_err(|_| refused())?;
    elements.try_reserve_exact(count).map_err(|_| refused())
}

/// Makes a vector of so many zeros.
///
/// # Errors
/// [`ResourceError::OutOfMemory`].
pub fn zeros<T: Zeroable + Clone>(count: u64) -> Result<Vec<T>, ResourceError> {
    let mut elements = room(count)?;
    elements.resize(count as usize, T::zeroed());
    Ok(elements)
}

/// Adds an element to a vector that grows with its input, as `push` does.
///
/// # Errors
/// [`ResourceError::OutOfMemory`], with the size of all that it would have.
pub fn push<T>(elements: &mut Vec<T>, element: T) -> Result<(), ResourceError> {
    if elements.len() == elements.capacity() {
        let count = 2 * elements.len() as u64;
        let size_bytes = count.saturating_mul(size_of::<T>() as u64);
        elements.try_reserve(1).map_err(|_| ResourceError::OutOfMemory { size_bytes })?;
    }
    elements.push(element);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_an_error_with_its_bytes() {
        let refused = |result: Result<Vec<u32>, ResourceError>| result.unwrap_err().to_string();
        assert_eq!(refused(room(1 << 60)), "cannot allocate 4611686018427387904 bytes");
        assert_eq!(refused(zeros(u64::MAX)), "cannot allocate 18446744073709551615 bytes");
        assert_eq!(zeros::<u16>(3).unwrap(), [0; 3]);
        let mut numbers = vec![1_u8];
        assert!(more(&mut numbers, u64::MAX).is_err());
        (0..100).for_each(|n| push(&mut numbers, n).unwrap());
        assert_eq!((numbers.len(), numbers[100]), (101, 99));
    }
}
