//! Threads that are stuck, late, refused, and shared.

use super::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};

const LONG: Duration = Duration::from_secs(3600);

fn nothing() -> Instead {
    Box::new(|_| {})
}

fn tell(sender: &Sender<&'static str>, word: &'static str) -> Work {
    let sender = sender.clone();
    Box::new(move || {
        let _ = sender.send(word);
    })
}

#[test]
fn stuck_work_keeps_others_from_nothing_up_to_the_bound() {
    let pool = Pool::new("test", 2, 8);
    let (sender, receiver) = channel();
    let (release, gate) = channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    for _ in 0..7 {
        let gate = Arc::clone(&gate);
        pool.submit(
            ClientKey::SERVER,
            LONG,
            false,
            Box::new(move || {
                let _ = gate.lock().recv();
            }),
            nothing(),
        );
    }
    pool.submit(ClientKey::SERVER, LONG, false, tell(&sender, "honest"), nothing());
    assert_eq!(receiver.recv_timeout(LONG), Ok("honest"));
    // The thread may not have returned to the pool yet.
    assert!(matches!(pool.load(), (7 | 8, 0)));
    assert!(pool.oldest().is_some());
    drop(release);
}

#[test]
fn late_work_is_abandoned_whether_it_runs_or_waits() {
    let pool = Pool::new("test", 1, 1);
    let (sender, receiver) = channel();
    let (release, gate) = channel::<()>();
    let (begun, has_begun) = channel();
    let late = |word: &'static str| -> Instead {
        let sender = sender.clone();
        Box::new(move |why| {
            let _ = sender.send((word, why));
        })
    };
    let run = Box::new(move || {
        begun.send(()).unwrap();
        let _ = gate.recv();
    });
    pool.submit(ClientKey::SERVER, Duration::ZERO, false, run, late("runs"));
    has_begun.recv().unwrap();
    pool.submit(ClientKey::SERVER, Duration::ZERO, false, Box::new(|| panic!("too late")), late("waits"));
    pool.submit(ClientKey::SERVER, LONG, false, Box::new(|| panic!("on purpose")), late("later"));
    pool.expire(Some(Instant::now()));
    assert_eq!(receiver.recv().unwrap(), ("runs", Undone::Late));
    assert_eq!(receiver.recv().unwrap(), ("waits", Undone::Late));
    drop(release);
    assert_eq!(receiver.recv().unwrap(), ("later", Undone::Panicked));
}

#[test]
fn others_carry_out_operations_while_they_end_at_once() {
    let pool = Pool::new("test", 1, 1);
    let (sender, receiver) = channel();
    let late = move |why| {
        let _ = sender.send(why);
    };
    let now = Instant::now();
    let slots = [(); 2].map(|()| pool.enter_at(now, 2, LONG, nothing()).ok().unwrap());
    assert!(pool.enter_at(now, 2, LONG, nothing()).is_err(), "two are under way");
    pool.leave(slots[0]);
    let slot = pool.enter_at(now + SUSPECT, 2, Duration::ZERO, Box::new(late)).ok().unwrap();
    pool.expire(Some(now + SUSPECT));
    assert_eq!(receiver.recv().unwrap(), Undone::Late);
    pool.leave(slot);
    let later = now + SUSPECT + Duration::from_nanos(1);
    assert!(pool.enter_at(later, 2, LONG, nothing()).is_err(), "one takes its time");
    pool.leave(slots[1]);
    assert!(pool.enter_at(later, 2, LONG, nothing()).is_ok());
}

/// As with EAGAIN, where the process may have no more threads.
#[test]
fn without_a_thread_requests_end_in_time_and_later_ones_are_served() {
    let may_spawn = Arc::new(AtomicBool::new(false));
    let its = Arc::clone(&may_spawn);
    let spawn = move |name: &str, work: Work| match its.load(Relaxed) {
        true => start_thread(name, work),
        false => Err(io::Error::from(io::ErrorKind::WouldBlock)),
    };
    let pool = Pool::spawning("test", 1, 1, Box::new(spawn));
    let (sender, receiver) = channel();
    let undone = move |why| {
        let _ = sender.send(why);
    };
    pool.submit(
        ClientKey::SERVER,
        Duration::ZERO,
        false,
        Box::new(|| panic!("it has no thread")),
        Box::new(undone),
    );
    assert!(pool.refused().is_some());
    pool.expire(Some(Instant::now()));
    assert_eq!(receiver.recv_timeout(LONG), Ok(Undone::NoThread));
    // Without further submissions, the next `tick` starts a thread for the waiting work.
    let (sender, receiver) = channel();
    pool.submit(ClientKey::SERVER, LONG, false, tell(&sender, "served"), nothing());
    may_spawn.store(true, Relaxed);
    while pool.load().1 > 0 {
        pool.expire(Some(Instant::now()));
        thread::yield_now();
    }
    assert_eq!(receiver.recv_timeout(LONG), Ok("served"));
    assert_eq!(pool.refused(), None);
}

/// Work that runs until the sender is dropped.
fn stuck() -> (Sender<()>, impl Fn() -> Work) {
    let (release, gate) = channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let work = move || -> Work {
        let gate = Arc::clone(&gate);
        Box::new(move || {
            let _ = gate.lock().recv();
        })
    };
    (release, work)
}

fn client(number: u8) -> ClientKey {
    ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
}

#[test]
fn one_client_leaves_threads_to_others_and_loses_its_excess() {
    let pool = Pool::new("test", 8, 8);
    let (release, work) = stuck();
    let (sender, receiver) = channel();
    let shed = |number: u8| -> Instead {
        let sender = sender.clone();
        Box::new(move |why| {
            let _ = sender.send((number, why));
        })
    };
    // Ten more than may run and wait: it gets four threads of eight.
    for _ in 0..4 + MAX_WAITING + 10 {
        pool.submit(client(1), LONG, false, work(), shed(1));
    }
    while pool.load().0 != 4 {
        thread::yield_now();
    }
    assert!(pool.is_taken(client(1)) && !pool.is_taken(client(2)));
    // The ended ones made room for others: up to four, once their threads have started.
    let lost: Vec<_> = receiver.try_iter().collect();
    assert!((10..=14).contains(&lost.len()) && lost.iter().all(|lost| *lost == (1, Undone::Full)));
    let (done, is_done) = channel();
    for number in 2..5 {
        let done = done.clone();
        let work = Box::new(move || {
            let _ = done.send(number);
        });
        pool.submit(client(number), LONG, false, work, shed(number));
        assert_eq!(is_done.recv_timeout(LONG), Ok(number), "it waits for no other client");
    }
    drop(release);
}

#[test]
fn only_so_much_waits() {
    let pool = Pool::new("test", 1, 1);
    let (release, gate) = channel::<()>();
    let (sender, receiver) = channel();
    pool.submit(
        ClientKey::SERVER,
        LONG,
        false,
        Box::new(move || {
            let _ = gate.recv();
        }),
        nothing(),
    );
    for _ in 0..MAX_WAITING + 1 {
        let sender = sender.clone();
        pool.submit(
            ClientKey::SERVER,
            LONG,
            false,
            Box::new(|| {}),
            Box::new(move |why| {
                let _ = sender.send(why);
            }),
        );
    }
    assert_eq!(receiver.recv_timeout(LONG), Ok(Undone::Full));
    drop(release);
}
