//! Tests documents from outside: their mistakes, and the schema for editors.

mod mistakes;
mod schema;
