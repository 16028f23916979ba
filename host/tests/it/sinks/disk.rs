//! Full disks: small file systems in memory, where they can be mounted.

use super::{Kept, ask, asked};
use crate::harness::{Disk, wait_until};
use std::path::Path;

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// A line that was cut off is completed when there is room again; none is lost, split or duplicated.
#[test]
fn a_file_on_a_full_disk_goes_on_when_there_is_room() {
    for fsync in ["never", "each"] {
        let Some(disk) = Disk::new("size=64k") else { return };
        let kept = Kept::new();
        let file = disk.path("lines");
        let server = kept.setup(&format!("{{ file: '{}', fsync: {fsync} }}", file.display())).start();
        ask(&server, 0..5);
        wait_until("they are there", || lines(&file).len() == 5);
        let filler = disk.fill();
        // The rest of the last page takes some of them.
        ask(&server, 5..60);
        server.logged(
            "a sink is broken; its lines are queued, and plugins get an error when the queue is full",
        );
        std::fs::remove_file(filler).unwrap();
        wait_until("all is delivered", || server.sink()["delivered"] == 60);
        assert_eq!(asked(&lines(&file)), (0..60).collect::<Vec<u32>>(), "{fsync}");
    }
}

/// A spool that cannot grow: plugins get an error that it is full, and the accepted lines are complete.
#[test]
fn a_spool_on_a_full_disk_says_so_and_keeps_what_it_took() {
    let Some(disk) = Disk::new("size=128k") else { return };
    let kept = Kept::new();
    // Nothing listens there.
    let sink = format!(
        "{{ http: {{ url: 'http://127.0.0.1:1/', batch: {{ lines: 10 }} }}, spool: {{ bytes: 1MiB, path: \
         '{}' }} }}",
        disk.path("spool").display()
    );
    let server = kept.setup(&sink).start();
    ask(&server, 0..5);
    wait_until("they are taken", || server.sink()["queued"] == 5);
    let filler = disk.fill();
    ask(&server, 5..40);
    let count = |key: &str| server.sink()[key].as_u64().unwrap();
    wait_until("the plugin was told of all", || count("queued") + count("refused") == 40);
    assert!(count("refused") > 0);
    server.logged("a spool cannot be written; plugins get the error that it is full");
    std::fs::remove_file(filler).unwrap();
    let before = count("queued");
    ask(&server, 40..50);
    wait_until("it takes lines again", || count("queued") == before + 10);
    drop(server);
    let server = kept.setup(&sink).start();
    assert_eq!(server.sink()["waiting"], before + 10, "all that was taken is there, and nothing else");
}
