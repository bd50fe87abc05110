//! Checks bindings against what a shader declares.
