//! A second server that restarts all the time while its sockets stay open; its clients must not notice.

use super::clients::{honest, load};
use super::{Server, Site, Stage};
use rustix::process::Signal;
use socket2::{Domain, Socket, Type};
use std::io;
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

pub(super) fn restarts(stage: &Stage<'_>) {
    if let Err(error) = take_turns(stage) {
        stage.wrong(format!("the server that is restarted: {error}"));
    }
}

fn take_turns(stage: &Stage<'_>) -> io::Result<()> {
    let folder = stage.site.folder.join("restarted");
    let site = Site::make(&folder, &stage.misbehave, [127, 66, 0, 2])?;
    // The same files, because clients compare them.
    std::fs::remove_dir_all(folder.join("files"))?;
    std::os::unix::fs::symlink(stage.site.folder.join("files"), folder.join("files"))?;
    let sockets = [shared(&site)?, shared(&site)?];
    let mut server = begin(stage, &site, &sockets)?;
    thread::scope(|scope| {
        scope.spawn(|| {
            while stage.goes_on() {
                let flags = ["--file", "small", "--rate", "50", "--duration", "5s"];
                honest(stage, "reads of a server that is restarted", &mut load(stage, site.address, &flags));
            }
        });
        while stage.wait(Duration::from_secs(3)) {
            // An earlier signal would end the process before it handles signals.
            server.await_answer(&site, &stage.programs)?;
            server.signal(Signal::TERM);
            let ended = server.0.wait()?;
            if !ended.success() {
                stage.wrong(format!("the server that is restarted ended with {ended}"));
            }
            server = begin(stage, &site, &sockets)?;
            stage.count("restarts", 1);
        }
        Ok::<(), io::Error>(())
    })?;
    server.stop().map(drop)
}

/// A socket as with `ReusePort=yes`.
fn shared(site: &Site) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
    socket.set_reuse_port(true)?;
    socket.bind(&site.address.into())?;
    Ok(socket.into())
}

/// The sockets are standard input and output of a shell, which passes them on as systemd would.
fn begin(stage: &Stage<'_>, site: &Site, sockets: &[UdpSocket; 2]) -> io::Result<Server> {
    let its = site.command(&stage.programs)?;
    let mut command = Command::new("sh");
    let script = "export LISTEN_PID=$$ LISTEN_FDS=2; exec \"$@\" 3<&0 4<&1 0</dev/null 1>/dev/null";
    command.args(["-c", script, "sh"]).arg(its.get_program()).args(its.get_args());
    command.envs(its.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stderr(std::fs::File::options().create(true).append(true).open(site.log())?);
    command.stdin(Stdio::from(OwnedFd::from(sockets[0].try_clone()?)));
    command.stdout(Stdio::from(OwnedFd::from(sockets[1].try_clone()?)));
    command.spawn().map(Server)
}
