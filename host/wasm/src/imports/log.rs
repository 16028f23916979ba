//! The import `log`.

use crate::bindings::log::{Host, Level};
use crate::sandbox::Sandbox;

impl Host for Sandbox {
    fn log(&mut self, level: Level, message: String, fields: Vec<(String, String)>) {
        self.log.write(level, &message, &fields, &self.access);
    }
}
