//! Brolga runs Direct3D shader bytecode on the CPU.
