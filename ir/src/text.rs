//! Prints and parses functions as text, which people read, write in tests, and get back unchanged.
//!
//! [`print()`] and [`parse()`] are inverses up to numbering: parsing numbers values in the order of the text, and
//! printing with [`Names::Dense`] does the same. The text shows a function as it is, broken or not; the
//! [verifier](mod@crate::verify) checks it. A statement ends at the end of its line or before `}`; `#` begins a
//! comment.
//!
//! ```text
//! function   = "function" STRING "{" { declaration } "body" block "}"
//! declaration = "group" NUMBER NUMBER NUMBER
//!            | "res"n "=" register ["[" [NUMBER] "]"] kind ["space" NUMBER] ["counter"] # t0[5]: 5; t0[]: no limit
//!            | "g"n "=" "g"NUMBER ("raw" | "structured") "stride" NUMBER "count" NUMBER
//!            | "x"n "=" "x"NUMBER "registers" NUMBER "components" NUMBER
//!            | "icb" "{" { NUMBER NUMBER NUMBER NUMBER } "}"
//!            | "slots" NUMBER type                                              # the next slots, all of one type
//! kind       = "constant" NUMBER | "raw" | "structured" "stride" NUMBER | "typed" dimension component
//! block      = "{" { statement } "}"
//! statement  = [results "="] ["precise"] instruction ["@" NUMBER]               # @: byte offset in the bytecode
//!            | ["precise"] "if" value ["->" results] ["@" NUMBER] block "else" block
//!            | ["precise"] "loop" label "(" [value ":" type "=" value {"," ...}] ")" ["->" results] ["@" NUMBER] block
//!            | ["precise"] "switch" label value ["->" results] ["@" NUMBER]
//!                  "{" { "case" NUMBER {"," NUMBER} block } "default" block "}"
//! results    = value {"," value} ":" type {"," results}                         # v1, v2: i32, v3: f32
//! instruction = "const" (NUMBER | "true" | "false")                             # floats as their bits
//!            | "input" ("thread_id" | "group_id" | "thread_id_in_group") "." ("x" | "y" | "z")
//!            | "input" "thread_index"
//!            | OPERATION values                                                 # the names in ops.rs
//!            | "get" slot | ("set" | "note") slot "," value
//!            | "load" address
//!            | "store" address "," values "where" value                         # where: the effect
//!            | "atomic" ATOMIC address "," value ["compare" value] "where" value
//!            | "counter" ("alloc" | "consume") view "where" value
//!            | "texel_load" view "[" values "]" ["level" value]
//!            | "texel_store" view "[" values "]" "," values "where" value
//!            | "texel_atomic" ATOMIC view "[" values "]" "," value ["compare" value] "where" value
//!            | "query" ("buffer_size" | "texture_size" | "sample_count" | "sample_position") view ["level" value]
//!            | "barrier" {"threads" | "shared" | "views_group" | "views_global"}
//!            | "yield" [values] | "break" label [values] | "continue" label [values] | "return"
//! address    = (view | "g"n | "x"n | "icb") "[" [value "+"] value "]"           # index + byte offset
//! view       = "res"n ["." (NUMBER | value)]                                    # res0.3: fourth of the range
//! value      = "v"n        label = "l"n        slot = "slot"n
//! ```

mod lex;
mod parse;
mod print;
mod stage;
mod words;

pub use lex::{ParseError, ParseProblem};
pub use parse::{MAX_BYTES, MAX_NESTING, MAX_SLOTS, parse};
pub use print::{Line, Names, lines, print};
