//! Logs an ended request as an event of `tracing`, with all its fields.
//!
//! The macros of `tracing` want the fields at their call; here the list of [`FIELDS`] has them.

use crate::dialect::COMPATIBLE;
use crate::list::List;
use std::array;
use std::fmt::Display;
use tracing::callsite::{Callsite, DefaultCallsite, Identifier};
use tracing::field::{DebugValue, DisplayValue, FieldSet, Value, debug, display};
use tracing::level_filters::LevelFilter;
use tracing::metadata::Kind;
use tracing::{Event, Level, Metadata};
use tuffet_request::Traced;
use tuffet_request::events::{FIELDS, FieldValue, Summary};

/// The fields that are no facts of the request.
const OTHERS: [&str; 4] = ["message", "trace_id", "span_id", COMPATIBLE];

/// The facts of a line.
const FACTS: usize = {
    let (mut count, mut index) = (0, 0);
    while index < FIELDS.len() {
        count += FIELDS[index].log as usize;
        index += 1;
    }
    count
};

/// The names of all fields: `message`, the facts, and the rest of [`OTHERS`].
pub(super) const NAMES: [&str; FACTS + OTHERS.len()] = {
    let mut names = [OTHERS[0]; FACTS + OTHERS.len()];
    let (mut next, mut index) = (1, 0);
    while index < FIELDS.len() {
        if FIELDS[index].log {
            names[next] = FIELDS[index].name;
            next += 1;
        }
        index += 1;
    }
    index = 1;
    while index < OTHERS.len() {
        names[next] = OTHERS[index];
        next += 1;
        index += 1;
    }
    names
};

/// Declares the callsite of a level.
macro_rules! callsite {
    ($name:ident, $level:ident) => {
        static $name: DefaultCallsite = {
            static ABOUT: Metadata<'static> = Metadata::new(
                "transfer",
                "tuffet::transfer",
                Level::$level,
                Some(file!()),
                Some(line!()),
                Some(module_path!()),
                FieldSet::new(&NAMES, Identifier(&$name)),
                Kind::EVENT,
            );
            DefaultCallsite::new(&ABOUT)
        };
    };
}

callsite!(INFO, INFO);
callsite!(WARN, WARN);
callsite!(ERROR, ERROR);

/// A value, as `tracing` passes it on.
enum Recorded<'a> {
    Absent,
    Text(&'a str),
    Number(u64),
    Shown(DisplayValue<FieldValue<'a>>),
    List(DebugValue<List<'a>>),
}

/// Logs the request at this level: INFO, WARN or ERROR. `compatible`: its lines in the dialect of the log.
pub(super) fn log(
    level: Level,
    summary: &Summary,
    traced: Option<Traced>,
    compatible: Option<&impl Display>,
) {
    let callsite = match level {
        Level::ERROR => &ERROR,
        Level::WARN => &WARN,
        _ => &INFO,
    };
    let about = callsite.metadata();
    let interest = || callsite.interest();
    let is_enabled = level <= LevelFilter::current()
        && !interest().is_never()
        && (interest().is_always() || tracing::dispatcher::get_default(|all| all.enabled(about)));
    if !is_enabled {
        return;
    }
    let mut facts = FIELDS.iter().filter(|field| field.log).map(|field| (field.value)(summary));
    let facts: [Recorded<'_>; FACTS] = array::from_fn(|_| Recorded::of(facts.next().flatten()));
    let (trace, span) = (traced.map(|it| display(it.trace)), traced.map(|it| display(it.span)));
    let compatible = compatible.map(display);
    let mut values: [Option<&dyn Value>; NAMES.len()] = [None; NAMES.len()];
    values[0] = Some(&"transfer");
    for (value, fact) in values[1..].iter_mut().zip(&facts) {
        *value = fact.value();
    }
    let [.., trace_id, span_id, lines] = &mut values;
    *trace_id = trace.as_ref().map(|trace| trace as &dyn Value);
    *span_id = span.as_ref().map(|span| span as &dyn Value);
    *lines = compatible.as_ref().map(|lines| lines as &dyn Value);
    Event::dispatch(about, &about.fields().value_set_all(&values));
}

impl<'a> Recorded<'a> {
    fn of(value: Option<FieldValue<'a>>) -> Recorded<'a> {
        match value {
            None => Recorded::Absent,
            Some(FieldValue::Text(text)) => Recorded::Text(text),
            Some(FieldValue::Number(number)) => Recorded::Number(number),
            Some(FieldValue::Time(time)) => {
                Recorded::Number(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
            }
            Some(FieldValue::List(texts)) => Recorded::List(debug(List(texts))),
            Some(
                other @ (FieldValue::Id(_)
                | FieldValue::Address(_)
                | FieldValue::Mac(_)
                | FieldValue::Options(_)
                | FieldValue::Labels(_)),
            ) => Recorded::Shown(display(other)),
        }
    }

    fn value(&self) -> Option<&dyn Value> {
        match self {
            Recorded::Absent => None,
            Recorded::Text(text) => Some(text),
            Recorded::Number(number) => Some(number),
            Recorded::Shown(shown) => Some(shown),
            Recorded::List(list) => Some(list),
        }
    }
}
