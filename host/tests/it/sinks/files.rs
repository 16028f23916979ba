//! `file` and `stdout`: rotation, and the effects of a stop and a kill.

use super::{Kept, ask, asked};
use crate::harness::{Folder, wait_until};

#[test]
fn lines_go_to_standard_output() {
    let kept = Kept::new();
    let server = kept.setup("{ stdout: true }").stdout(kept.path("out")).start();
    ask(&server, 0..20);
    server.stop();
    let text = std::fs::read_to_string(kept.path("out")).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(asked(&lines), (0..20).collect::<Vec<u32>>());
}

/// Every line is complete and in one of the files, in order; only the configured number of files is kept.
#[test]
fn a_file_is_put_away_by_its_size() {
    let kept = Kept::new();
    let out = kept.path("out");
    std::fs::create_dir(&out).unwrap();
    let file = out.join("lines").display().to_string();
    let server = kept.setup(&format!("{{ file: '{file}', rotate: {{ size: 2KiB }}, fsync: each }}")).start();
    ask(&server, 0..60);
    server.stop();
    let mut names = Folder(out.clone()).names();
    assert!(names.len() > 5, "{names:?}");
    assert_eq!(names.remove(0), "lines", "the one that is filled");
    names.push("lines".into());
    let mut all = Vec::new();
    for name in &names {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        assert!(text.len() <= 2048 && text.ends_with('\n'), "{name}: {} bytes", text.len());
        all.extend(text.lines().map(str::to_owned));
    }
    assert_eq!(asked(&all), (0..60).collect::<Vec<u32>>());

    let server = kept.setup(&format!("{{ file: '{file}', rotate: {{ size: 1KiB, keep: 3 }} }}")).start();
    ask(&server, 60..100);
    server.stop();
    assert_eq!(Folder(out).names().len(), 4);
}

/// With `fsync: each` a delivered line is in the file, whatever happens then.
#[test]
fn what_is_delivered_is_there_after_a_kill() {
    let kept = Kept::new();
    let server = kept.setup(&format!("{{ file: '{}', fsync: each }}", kept.path("lines").display())).start();
    ask(&server, 0..10);
    wait_until("all is delivered", || server.sink()["delivered"] == 10);
    drop(server);
    let text = std::fs::read_to_string(kept.path("lines")).unwrap();
    assert_eq!(asked(&text.lines().map(str::to_owned).collect::<Vec<_>>()), (0..10).collect::<Vec<u32>>());
}
