//! Tests of documents from outside: their mistakes, and what the schema for editors makes of them.

mod mistakes;
mod schema;
