//! Rules of geometry shaders one by one.
