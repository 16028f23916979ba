//! The file cache: clients get the current content, whatever happens to the file on the disk.

use crate::harness::{Client, Options, SOON, Server, Setup, skipped};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The size of the files in bytes: small enough to be cached from the first request on.
const LENGTH: usize = 3000;

fn get(server: &Server, name: &str) -> u8 {
    let content = Client::Tuffet.get(server.address(), name, Options::default());
    assert_eq!(content.len(), LENGTH, "{name}");
    assert!(content.iter().all(|byte| *byte == content[0]), "{name}: a mixture");
    content[0]
}

fn hits(server: &Server) -> u64 {
    server.live()["totals"]["file_cache"]["hits"].as_u64().unwrap()
}

/// Reads a file until the server has cached it, which requires that its times have settled.
fn get_until_kept(server: &Server, name: &str) -> u8 {
    let end = Instant::now() + SOON;
    loop {
        let before = hits(server);
        let byte = get(server, name);
        if hits(server) > before {
            return byte;
        }
        assert!(Instant::now() < end, "{name} is never kept");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a server in a mount namespace of its own; `None` if that is not possible.
fn namespaced() -> Option<Server> {
    let unshare = ["unshare", "--mount", "--propagation", "private"];
    if !Command::new(unshare[0]).args(&unshare[1..]).arg("true").status().is_ok_and(|ran| ran.success()) {
        skipped("no mount namespace can be made here (root alone may): mounts below a root are not tested");
        return None;
    }
    let setup = Setup::new().rest_of_yaml("").behind(unshare.map(String::from).to_vec());
    fs::create_dir(setup.root().path("a")).unwrap();
    fs::create_dir(setup.root().path("b")).unwrap();
    Some(setup.start())
}

/// Runs a command in the server's mount namespace; returns its output, or its error.
fn within(server: &Server, words: &[&str]) -> Result<String, String> {
    let mut command = Command::new("nsenter");
    command.arg(format!("--mount=/proc/{}/ns/mnt", server.id())).args(words);
    let ran = command.output().map_err(|error| error.to_string())?;
    let [stdout, stderr] = [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    if ran.status.success() { Ok(stdout.trim().to_owned()) } else { Err(format!("{words:?}: {stderr}")) }
}

/// Creates two ext4 images that differ only in the content of one file.
fn images(folder: &Path) -> Result<[String; 2], String> {
    fs::create_dir(folder.join("content")).unwrap();
    fs::write(folder.join("content/f"), [b'A'; LENGTH]).unwrap();
    let [first, second] = ["1.img", "2.img"].map(|name| folder.join(name).to_str().unwrap().to_owned());
    fs::File::create(&first).unwrap().set_len(4 << 20).unwrap();
    let mut mkfs = Command::new("mkfs.ext4");
    mkfs.args(["-q", "-b", "4096", "-O", "^has_journal", "-d"]).arg(folder.join("content")).arg(&first);
    let made = mkfs.output().map_err(|error| format!("mkfs.ext4: {error}"))?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned());
    }
    let mut image = fs::read(&first).unwrap();
    let at = image.windows(LENGTH).position(|window| window == [b'A'; LENGTH]).expect("in one piece");
    image[at..at + LENGTH].fill(b'B');
    fs::write(&second, image).unwrap();
    Ok([first, second])
}

/// Device number, inode, size and times of the files agree; their contents do not.
#[test]
fn images_that_are_mounted_one_after_the_other_are_not_confused() {
    let Some(server) = namespaced() else { return };
    let images = match images(&server.outside().0) {
        Ok(images) => images,
        Err(why) => return skipped(&format!("no image can be made, so none is mounted: {why}")),
    };
    let place = server.root().path("a").to_str().unwrap().to_owned();
    let mut seen = Vec::new();
    let mut device = "loop".to_owned();
    for (image, due) in images.iter().zip([b'A', b'B']) {
        if let Err(why) = within(&server, &["mount", "-o", &format!("{device},ro"), image, &place]) {
            return skipped(&format!("images cannot be mounted here: {why}"));
        }
        let source = within(&server, &["findmnt", "-n", "-o", "SOURCE", &place]).unwrap();
        device = format!("loop={source}");
        seen.push(within(&server, &["stat", "-c", "%d %i %s %y %z", &format!("{place}/f")]).unwrap());
        assert_eq!(get_until_kept(&server, "a/f"), due, "{image}");
        within(&server, &["umount", &place]).unwrap();
    }
    assert_eq!(seen[0], seen[1], "nothing but the mount tells them apart");
}

/// A file with two paths is cached twice, and served by both.
#[test]
fn bind_mounts_of_one_folder_serve_the_same() {
    let Some(server) = namespaced() else { return };
    let [a, b] = ["a", "b"].map(|name| server.root().path(name).to_str().unwrap().to_owned());
    server.root().write("a/f", &[b'A'; LENGTH]);
    if let Err(why) = within(&server, &["mount", "--bind", &a, &b]) {
        return skipped(&format!("no bind mount can be made here: {why}"));
    }
    assert_eq!(["a/f", "b/f"].map(|name| get_until_kept(&server, name)), [b'A'; 2]);
    server.root().write("a/f", &[b'B'; LENGTH]);
    assert_eq!(["a/f", "b/f"].map(|name| get_until_kept(&server, name)), [b'B'; 2]);
    assert!(server.live()["totals"]["file_cache"]["bytes"].as_u64().unwrap() >= 4 * LENGTH as u64);
    within(&server, &["umount", &b]).unwrap();
}

/// Fills a mapped file with the next letter for each line that it reads.
const MAPPER: &str = "
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    mapped = mmap.mmap(file.fileno(), 0)
    for letter in sys.stdin:
        mapped[:] = letter.strip().encode() * len(mapped)
        print('done', flush=True)
";

/// The second write leaves size and times as after the first (mmap(2)).
#[test]
fn writes_through_a_mapping_show_after_the_maximum_age() {
    let server =
        Setup::new().file("f", &[b'A'; LENGTH]).rest_of_yaml("limits: { cache-max-age: 1s }\n").start();
    let path = server.root().path("f");
    let mut python = Command::new("python3");
    python.args(["-c", MAPPER]).arg(&path).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut mapper) = python.spawn() else {
        return skipped("python3 is not installed: writes through mappings are not tested");
    };
    let (mut lines, mut answers) =
        (mapper.stdin.take().unwrap(), BufReader::new(mapper.stdout.take().unwrap()));
    let mut fill = |letter: &str| {
        writeln!(lines, "{letter}").unwrap();
        answers.read_line(&mut String::new()).unwrap();
        let about = fs::metadata(&path).unwrap();
        (about.size(), about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec())
    };
    let before = fill("B");
    assert_eq!(get_until_kept(&server, "f"), b'B');
    let after = fill("C");
    let end = Instant::now() + SOON;
    while get(&server, "f") != b'C' {
        assert!(Instant::now() < end, "the old content is served for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(lines);
    mapper.wait().unwrap();
    if before != after {
        skipped("this file system shows writes through mappings at once");
    }
}
