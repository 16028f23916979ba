//! What a server's container is started with.

use super::{Server, bytes};
use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use testcontainers::core::{AccessMode, Mount, WaitFor};
use testcontainers::runners::SyncRunner;
use testcontainers::{ContainerRequest, GenericImage, ImageExt};

/// Files, flags and limits of a server to be started.
pub struct Setup {
    folder: TempDir,
    flags: Vec<String>,
    yaml: Option<String>,
    writable: bool,
    variables: Vec<(String, String)>,
    memory: Option<i64>,
    cpus: Option<f64>,
    /// Whether its folders are as those of an orchestrator.
    for_all: bool,
}

impl Setup {
    /// Serves an empty folder on port 69, each transfer from a port of its own.
    pub fn new() -> Setup {
        let folder = TempDir::new().unwrap();
        // The server is another user than who runs the tests.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let setup = Setup {
            folder,
            flags: Vec::new(),
            yaml: None,
            writable: false,
            variables: Vec::new(),
            memory: None,
            cpus: None,
            for_all: false,
        };
        fs::create_dir(setup.root()).unwrap();
        setup
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// A file that the server's user may write in place, so that uploads may replace it.
    pub fn file(self, name: &str, content: &[u8]) -> Setup {
        let path = self.root().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        self
    }

    /// Files of these sizes, named by them.
    pub fn sizes(self, sizes: &[usize]) -> Setup {
        sizes.iter().fold(self, |setup, size| setup.file(&size.to_string(), &bytes(*size)))
    }

    pub fn flag(mut self, flag: &str) -> Setup {
        self.flags.push(flag.into());
        self
    }

    pub fn single_port(self) -> Setup {
        self.flag("--single-port")
    }

    /// A configuration, in place of flags. `/srv/tftp` is the folder that is served.
    pub fn yaml(mut self, yaml: &str) -> Setup {
        self.yaml = Some(yaml.into());
        self
    }

    /// Mounts the folder so that the server may write. A configuration says itself what clients may.
    pub fn writable(mut self) -> Setup {
        self.writable = true;
        fs::set_permissions(self.root(), Permissions::from_mode(0o777)).unwrap();
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Setup {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// MiB of memory; without swap.
    pub fn memory(mut self, mib: i64) -> Setup {
        self.memory = Some(mib << 20);
        self
    }

    pub fn cpus(mut self, cpus: f64) -> Setup {
        self.cpus = Some(cpus);
        self
    }

    /// Its folders as an orchestrator has them (`emptyDir`): of another user, and writable for all.
    pub fn folders_for_all(mut self) -> Setup {
        self.for_all = true;
        self
    }

    pub fn start(self, network: &str) -> Server {
        let container = self.request(network).start().unwrap_or_else(|error| panic!("{error}"));
        Server::new(container, self.folder)
    }

    fn request(&self, network: &str) -> ContainerRequest<GenericImage> {
        let (memory, cpus, for_all) = (self.memory, self.cpus, self.for_all);
        let image = GenericImage::new("tuffet-test", "server")
            .with_wait_for(WaitFor::message_on_stderr("\"message\":\"serving\""))
            .with_cmd(self.words())
            .with_network(network)
            .with_mount(mount(&self.root(), "/srv/tftp", self.writable))
            .with_readonly_rootfs(true)
            .with_cap_drop("ALL")
            .with_security_opt("no-new-privileges")
            .with_host_config_modifier(move |host| {
                let own = |folder: &str| (folder.to_owned(), "uid=65532,gid=65532,mode=0700".to_owned());
                let folders = ["/run/tuffet", "/var/cache/tuffet"].map(own);
                host.tmpfs = (!for_all).then(|| HashMap::from(folders));
                host.memory = memory;
                host.memory_swap = memory;
                host.nano_cpus = cpus.map(|cpus| (cpus * 1e9) as i64);
            });
        let image = match &self.yaml {
            Some(yaml) => {
                let configuration = self.folder.path().join("etc");
                fs::create_dir(&configuration).unwrap();
                fs::write(configuration.join("tuffet.yaml"), yaml).unwrap();
                image.with_mount(mount(&configuration, "/etc/tuffet", false))
            }
            None => image,
        };
        let image = if self.for_all {
            [("run", "/run/tuffet"), ("cache", "/var/cache")].into_iter().fold(image, |image, (from, to)| {
                let folder = self.folder.path().join(from);
                fs::create_dir(&folder).unwrap();
                fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
                image.with_mount(mount(&folder, to, true))
            })
        } else {
            image
        };
        self.variables.iter().fold(image, |image, (name, value)| image.with_env_var(name, value))
    }

    fn words(&self) -> Vec<String> {
        let mut words = vec!["serve", "--log-format", "json"];
        match (&self.yaml, self.writable) {
            (Some(_), _) => words.extend(["--config", "/etc/tuffet/tuffet.yaml"]),
            (None, writable) => {
                words.extend(["--root", "/srv/tftp", "--listen", "0.0.0.0:69"]);
                words.extend(writable.then_some("--writable"));
            }
        }
        words.extend(self.flags.iter().map(String::as_str));
        words.into_iter().map(str::to_owned).collect()
    }
}

fn mount(from: &Path, to: &str, writable: bool) -> Mount {
    let mode = if writable { AccessMode::ReadWrite } else { AccessMode::ReadOnly };
    Mount::bind_mount(from.to_str().unwrap(), to).with_access_mode(mode)
}
