//! What a server keeps about its plugins across policies: counters, metrics, rates of lines, and the history of clients.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::counters::{Counters, PluginCounts};
use super::history::ClientHistory;
use super::line_rate::LineRates;
use super::series::PluginSeries;

/// The records of the plugins of one server, from its start. Cheap to clone; clones share them.
#[derive(Debug, Clone, Default)]
pub struct PluginRecords(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    counters: Mutex<BTreeMap<Arc<str>, Arc<Counters>>>,
    history: ClientHistory,
    rates: LineRates,
}

impl PluginRecords {
    /// Returns the counters of a plugin, shared with earlier policies.
    pub fn counters_of(&self, plugin: &str) -> Arc<Counters> {
        let mut all = self.0.counters.lock();
        Arc::clone(all.entry(Arc::from(plugin)).or_default())
    }

    /// Returns the counters of each plugin, by name.
    pub fn counted(&self) -> Vec<PluginCounts> {
        let all = self.0.counters.lock();
        all.iter().map(|(name, counters)| counters.read(Arc::clone(name))).collect()
    }

    /// Returns the counters and gauges that plugins define, by plugin.
    pub fn series(&self) -> Vec<PluginSeries> {
        let all = self.0.counters.lock();
        let each = all.iter().map(|(plugin, counters)| {
            let series = counters.series();
            PluginSeries { plugin: Arc::clone(plugin), series: series.read(), refused: series.refused() }
        });
        each.collect()
    }

    /// The last requests of clients, for plugins with the grant.
    pub fn history(&self) -> &ClientHistory {
        &self.0.history
    }

    /// The rates of lines of plugins and about them.
    pub fn rates(&self) -> &LineRates {
        &self.0.rates
    }
}
