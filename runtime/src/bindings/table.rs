//! One value for each register of each declared range, contiguous in memory.

use smallvec::SmallVec;

/// Values by declared range, then by index in it.
#[derive(Debug)]
pub(crate) struct Table<T> {
    values: Vec<T>,
    /// Start of each range, and the end of the last one.
    starts: SmallVec<[usize; 6]>,
}

impl<T> Table<T> {
    /// Ranges of the given lengths with default values. Propagates an error among the lengths.
    pub fn new<E>(lens: impl IntoIterator<Item = Result<usize, E>>) -> Result<Self, E>
    where
        T: Default,
    {
        let mut starts = SmallVec::from_slice(&[0]);
        let mut end = 0;
        for len in lens {
            end += len?;
            starts.push(end);
        }
        let mut values = Vec::new();
        values.resize_with(end, T::default);
        Ok(Self { values, starts })
    }

    /// The values of each range.
    pub fn ranges(&self) -> impl Iterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.values[ends[0]..ends[1]])
    }

    /// The values of a range.
    pub fn range(&self, range: usize) -> &[T] {
        &self.values[self.starts[range]..self.starts[range + 1]]
    }

    /// The values of all ranges, concatenated.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The index of a value among all of them, if the range exists and has that position.
    #[inline]
    pub fn index(&self, range: usize, position: usize) -> Option<usize> {
        let &[start, end] = self.starts.get(range..range + 2)? else { return None };
        (position < end - start).then_some(start + position)
    }

    /// A value, if the range exists and has that position.
    #[inline]
    pub fn get(&self, range: usize, position: usize) -> Option<&T> {
        self.values.get(self.index(range, position)?)
    }

    /// Changes a value, by its index among all.
    pub fn set(&mut self, index: usize, value: T) {
        self.values[index] = value;
    }
}
