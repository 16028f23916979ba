//! The workers and the thread of multicast groups: their settings and their threads.

use super::StartError;
use crate::admission::Admission;
use crate::negotiation::transfer_settings;
use crate::watch::Watch;
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc;
use tuffet_engine::limits::Limiter;
use tuffet_engine::worker::{Groups, Sockets, Succession, Worker, WorkerSettings};
use tuffet_request::events::Ended;
use tuffet_request::settings::Settings;

pub(super) fn make_workers(
    sockets: Vec<Sockets>,
    settings: &WorkerSettings,
    summaries: mpsc::Sender<Ended>,
    watch: &Watch,
) -> Result<Vec<Worker>, StartError> {
    let numbered = sockets.into_iter().enumerate();
    let workers = numbered.map(|(number, sockets)| {
        Worker::new(number, settings.clone(), sockets, summaries.clone(), watch.worker(number))
            .map(Worker::watching_cores)
    });
    workers.collect::<io::Result<_>>().map_err(|error| StartError::new("a worker cannot start", error))
}

/// Starts a thread for each worker, which sends its result to `stopped`.
pub(super) fn start_workers(
    workers: Vec<Worker>,
    groups: Option<Groups>,
    admission: &Arc<Admission>,
    stopped: &mpsc::UnboundedSender<io::Result<()>>,
) -> Result<(), StartError> {
    if let Some(groups) = groups {
        let (stopped, admission) = (stopped.clone(), admission.clone());
        std::thread::Builder::new()
            .name("tuffet-groups".into())
            .spawn(move || stopped.send(groups.run(|messages| admission.take(messages))))
            .map_err(|error| StartError::new("the thread of multicast groups cannot start", error))?;
    }
    for (number, worker) in workers.into_iter().enumerate() {
        let stopped = stopped.clone();
        let admission = admission.clone();
        std::thread::Builder::new()
            .name(format!("tuffet-worker-{number}"))
            .spawn(move || stopped.send(worker.run(|messages| admission.take(messages))))
            .map_err(|error| StartError::new("a worker cannot start", error))?;
    }
    Ok(())
}

pub(super) fn worker_settings(settings: &Settings, limiter: Arc<Limiter>) -> WorkerSettings {
    let share = |total: usize| total.div_ceil(settings.workers).max(1);
    WorkerSettings {
        transfer: Arc::new(transfer_settings(&settings.transfer)),
        max_transfers: share(settings.capacity.transfers),
        max_pending: share(settings.capacity.pending),
        answer_due: settings.transfer.retransmit.initial,
        workers: settings.workers,
        limiter,
        busy_poll: settings.busy_poll,
        succession: Succession::default(),
    }
}
