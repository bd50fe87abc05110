//! What a running shader reaches of what is bound.
