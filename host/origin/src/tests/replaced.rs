//! Versions that are replaced during reads.

use std::io::Write;

use tuffet_request::ClientKey;
use tuffet_store::{Origin, Reach, Waited};

use super::server::Server;
use super::world::{LONG, MIB, World, content, error, get, read};
use crate::Remote;

/// A reader of a file in parts that has got the first one, while the file goes and comes again as it was.
fn reads_no_holes(between: impl FnOnce(&Server, &Remote)) {
    let world = World::with(|spec| {
        spec.cache.whole = MIB as u64;
        (spec.cache.revalidate, spec.cache.negative) = (std::time::Duration::ZERO, std::time::Duration::ZERO);
    });
    let bytes = content(13 * MIB, 1);
    world.server.put("image", bytes.clone());
    let remote = world.remote();
    let old = remote.get("image").expect("the file");
    let arrival = old.arrival.clone().expect("only a part has arrived");
    assert_eq!(arrival.wait(0, 4 * MIB as u64, LONG).expect("the first part"), Waited::Arrived);
    between(&world.server, &remote);
    world.server.put("image", bytes.clone());
    let new = remote.get("image").expect("the file");
    assert_ne!(old.content, new.content);
    assert_eq!(read(&old), Err("changed".into()));
    assert_eq!(read(&new).as_deref(), Ok(&*bytes));
    assert_eq!(read(&old), Err("changed".into()), "what others fetch is not in its file");
}

#[test]
fn versions_in_turn_leave_no_holes() {
    reads_no_holes(|server, remote| {
        server.put("image", content(13 * MIB, 2));
        assert_eq!(remote.get("image").expect("the file").meta.size, 13 * MIB as u64);
    });
}

#[test]
fn a_short_absence_leaves_no_holes() {
    reads_no_holes(|server, remote| {
        server.remove("image");
        let _ = error(remote, "image");
    });
}

#[test]
fn an_upload_of_the_same_bytes_leaves_no_holes() {
    reads_no_holes(|_, remote| {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&content(13 * MIB, 1)).expect("room");
        remote.store("image", &file, 13 * MIB as u64, true).expect("it is stored");
    });
}

#[test]
fn a_removed_file_counts_until_it_is_closed() {
    let world = World::with(|spec| spec.cache.bytes = 4 * MIB as u64);
    let bytes = content(3 * MIB, 1);
    world.server.put("file", bytes.clone());
    let remote = world.remote();
    let file = remote.get("file").expect("the file");
    assert_eq!(read(&file).as_deref(), Ok(&*bytes));
    assert_eq!(remote.remove("file").ok(), Some(true));
    assert!(remote.state().cache_bytes >= 3 * MIB as u64, "{}", remote.state().cache_bytes);
    // There is no room for it beside itself.
    assert!(remote.get("file").expect("the file").place.is_none());
    assert_eq!(read(&file).as_deref(), Ok(&*bytes));
    drop(file);
    assert!(remote.get("file").expect("the file").place.is_some());
    assert_eq!(remote.state().cache_bytes, 3 * MIB as u64);
}

#[test]
fn stores_that_show_the_same_are_not_taken_for_one() {
    let mut worlds = [World::s3(|_| {}), World::s3(|_| {})];
    // A reload to another endpoint keeps the folder.
    worlds[1].spec.cache.path = worlds[0].cache();
    for (world, byte) in worlds.iter().zip([b'1', b'2']) {
        let mut page = {
            world.server.put("file", vec![byte; 1000]);
            world.server.page("/files/file").expect("a page")
        };
        page.etag = Some("\"same\"".into());
        world.server.put_page("file", page);
    }
    let remotes = [worlds[0].remote(), worlds[1].remote()];
    assert_eq!(remotes[0].state().origin, remotes[1].state().origin, "both show the same URL");
    let files = [remotes[0].get("file").expect("the file"), remotes[1].get("file").expect("the file")];
    assert_eq!(files[0].meta, files[1].meta);
    assert_ne!(files[0].content, files[1].content);
    assert_eq!(
        (get(&remotes[0], "file"), get(&remotes[1], "file")),
        (Ok(vec![b'1'; 1000]), Ok(vec![b'2'; 1000]))
    );
    // What is unchanged stays one content, also for a client and after a reload.
    let again =
        worlds[0].remote().open("file", ClientKey::of(&([192, 0, 2, 1], 1).into(), 64), Reach::Origin);
    assert_eq!(again.expect("the file").expect("an answer").content, files[0].content);
}
