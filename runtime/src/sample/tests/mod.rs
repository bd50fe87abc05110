//! What sampling gives, held against the specification.
