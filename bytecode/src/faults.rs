//! What is wrong with a program, up to a number of findings.

/// What was found so far. The first findings are kept.
#[derive(Debug)]
pub(crate) struct Faults<E> {
    found: Vec<E>,
    most: usize,
    is_cut: bool,
}

impl<E> Faults<E> {
    /// Nothing was found yet; `most` findings are kept.
    pub fn new(most: u32) -> Self {
        Self { found: Vec::new(), most: most as usize, is_cut: false }
    }

    /// Notes a fault.
    pub fn push(&mut self, fault: E) {
        if self.found.len() < self.most {
            self.found.push(fault);
        } else {
            self.is_cut = true;
        }
    }

    /// Notes what is wrong, if anything is.
    pub fn note<T>(&mut self, part: Result<T, impl Into<E>>) -> Option<T> {
        part.map_err(|error| self.push(error.into())).ok()
    }

    /// Takes over what was found in a part.
    pub fn extend(&mut self, part: Faults<impl Into<E>>) {
        self.is_cut |= part.is_cut;
        part.found.into_iter().for_each(|fault| self.push(fault.into()));
    }

    /// Whether there are more than are kept, so that looking for others is in vain.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The first fault, if there is one.
    pub fn into_first(self) -> Option<E> {
        self.found.into_iter().next()
    }

    /// The faults, and whether there are more.
    pub fn into_parts(self) -> (Vec<E>, bool) {
        (self.found, self.is_cut)
    }
}
