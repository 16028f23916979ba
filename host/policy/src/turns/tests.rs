use super::*;
use tokio::sync::Semaphore;

type Test = Arc<Turns<u8>>;

fn client(number: u8) -> ClientKey {
    ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(20)
}

/// Queues a call; the task returns its turn.
fn queued(turns: &Test, number: u8) -> tokio::task::JoinHandle<Result<Turn<u8>, NoTurn>> {
    let waiting = turns.queue(client(number), false);
    tokio::spawn(waiting.turn(Instant::now() + Duration::from_secs(60)))
}

#[tokio::test]
async fn one_client_gets_half_of_what_others_leave() {
    let turns: Test = Turns::new(32, 100, Arc::default(), None);
    let take = |number| std::iter::from_fn(|| turns.free(client(number))).collect::<Vec<_>>();
    let held: Vec<Vec<_>> = [1, 2, 3, 4, 5, 6].map(take).into();
    let counts: Vec<usize> = held.iter().map(Vec::len).collect();
    assert_eq!(counts, [16, 8, 4, 2, 1, 1]);
    assert!(turns.free(client(7)).is_none());
    drop(held);
    assert_eq!(take(7).len(), 16);
    assert_eq!(turns.counts(), (0, 0));
}

#[tokio::test]
async fn a_single_instance_serves_all_clients() {
    let turns: Test = Turns::new(1, 100, Arc::default(), None);
    let turn = turns.free(client(1)).unwrap();
    assert!(turns.free(client(1)).is_none() && turns.free(client(2)).is_none());
    drop(turn);
    assert!(turns.free(client(1)).is_some());
}

#[tokio::test]
async fn waiting_clients_take_turns() {
    let turns: Test = Turns::new(1, 100, Arc::default(), None);
    let busy = turns.free(client(9)).unwrap();
    let numbers = [1, 1, 1, 2, 2, 3];
    let mut waiting: Vec<_> = numbers.iter().map(|number| (*number, queued(&turns, *number))).collect();
    drop(busy);
    let mut order = Vec::new();
    while !waiting.is_empty() {
        tokio::task::yield_now().await;
        if let Some(at) = waiting.iter().position(|(_, call)| call.is_finished()) {
            let (number, call) = waiting.remove(at);
            drop(call.await.unwrap().unwrap());
            order.push(number);
        }
    }
    assert_eq!(order, [1, 2, 3, 1, 2, 1]);
    assert_eq!(turns.counts(), (0, 0));
}

#[tokio::test]
async fn a_client_that_waits_for_cpu_time_begins_no_more_calls() {
    let slices = Arc::new(Slices::default());
    let turns: Test = Turns::new(8, 100, Arc::clone(&slices), None);
    let held = slices.slice(client(1)).ok();
    let computing = [turns.free(client(1)).unwrap(), turns.free(client(1)).unwrap()];
    let waits = slices.slice(client(1)).err();
    assert!(turns.free(client(1)).is_none());
    let queued = queued(&turns, 1);
    drop(turns.free(client(2)).unwrap());
    tokio::task::yield_now().await;
    assert_eq!(turns.counts(), (2, 1), "others do begin, and their end changes nothing");
    drop((held, waits, computing));
    drop(queued.await.unwrap().unwrap());
}

#[tokio::test]
async fn an_urgent_call_is_the_next() {
    let turns: Test = Turns::new(1, 100, Arc::default(), None);
    let busy = turns.free(client(9)).unwrap();
    let waiting = queued(&turns, 1);
    let urgent = tokio::spawn(turns.queue(client(2), true).turn(Instant::now() + Duration::from_secs(60)));
    drop(busy);
    let turn = urgent.await.unwrap().unwrap();
    assert!(!waiting.is_finished());
    drop(turn);
    drop(waiting.await.unwrap().unwrap());
}

#[tokio::test]
async fn a_full_queue_drops_from_the_longest_line() {
    let turns: Test = Turns::new(1, 4, Arc::default(), None);
    let busy = turns.free(client(9)).unwrap();
    let mut many: Vec<_> = (0..4).map(|_| queued(&turns, 1)).collect();
    let other = queued(&turns, 2);
    let last = many.pop().unwrap();
    assert_eq!(last.await.unwrap().err(), Some(NoTurn::Full));
    assert_eq!(turns.counts(), (1, 4));
    assert_eq!(queued(&turns, 1).await.unwrap().err(), Some(NoTurn::Full), "its own newest");
    drop(busy);
    // The clients take turns.
    many.insert(1, other);
    for call in many {
        drop(call.await.unwrap().unwrap());
    }
}

#[tokio::test]
async fn an_abandoned_call_leaves_the_queue() {
    let turns: Test = Turns::new(1, 4, Arc::default(), None);
    let busy = turns.free(client(9)).unwrap();
    let late = turns.queue(client(1), false).turn(soon()).await;
    assert_eq!(late.err(), Some(NoTurn::Late));
    // A turn that is granted and then abandoned ends.
    let granted = turns.queue(client(1), false);
    drop(busy);
    assert_eq!(turns.counts(), (1, 0));
    drop(granted);
    assert_eq!(turns.counts(), (0, 0));
    assert!(turns.free(client(1)).is_some());
}

fn pooled(most: u32) -> Test {
    let pool = Pool::new(most, Duration::from_secs(60), Arc::new(Semaphore::new(8)));
    Turns::new(most, 100, Arc::default(), Some(pool))
}

#[tokio::test]
async fn a_client_that_cost_an_instance_leaves_one_to_others() {
    let turns = pooled(4);
    for instance in [1, 2] {
        turns.wants_instance();
        turns.add(instance, Duration::ZERO);
    }
    let (mut lost, mut kept) = (turns.free(client(1)).unwrap(), turns.free(client(2)).unwrap());
    lost.instance();
    drop(lost);
    let instance = kept.instance().unwrap();
    kept.give_back(instance, InstanceCondition::Reusable);
    drop(kept);
    assert!(turns.free(client(1)).is_none());
    let waiting = queued(&turns, 1);
    let mut other = turns.free(client(3)).unwrap();
    let instance = other.instance().unwrap();
    other.give_back(instance, InstanceCondition::Reusable);
    drop(other);
    assert!(turns.wants_instance().is_some(), "for the waiting call");
    turns.add(3, Duration::ZERO);
    drop(waiting.await.unwrap().unwrap());
}

#[tokio::test]
async fn calls_share_instances_and_more_are_made_when_one_waits() {
    let turns = pooled(4);
    assert_eq!(turns.wants_instance(), Some(Duration::ZERO), "one is always kept");
    assert_eq!(turns.wants_instance(), None, "one is being made");
    turns.add(1, Duration::from_millis(30));
    let mut turn = turns.free(client(1)).unwrap();
    let instance = turn.instance().unwrap();
    assert_eq!((instance, turns.wants_instance()), (1, None));
    let waiting = queued(&turns, 2);
    assert_eq!(turns.wants_instance(), Some(Duration::from_millis(30)), "as long as making one takes");
    turn.give_back(instance, InstanceCondition::Reusable);
    drop(turn);
    let mut turn = waiting.await.unwrap().unwrap();
    assert_eq!(turn.instance(), Some(1));
    assert!(!turns.still_wanted());
    // The call failed: the instance is not returned.
    drop(turn);
    assert_eq!(turns.wants_instance(), Some(Duration::ZERO));
    let failure = Failure::new(crate::Cause::Trap, "as asked");
    let waiting = queued(&turns, 3);
    turns.add_failed(failure.clone());
    assert_eq!(waiting.await.unwrap().err(), Some(NoTurn::Failed(failure)));
    assert_eq!(turns.wants_instance(), None, "it is tried again when a call needs it");
    let _waiting = queued(&turns, 3);
    assert_eq!(turns.wants_instance(), Some(Duration::ZERO));
}
