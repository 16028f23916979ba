//! Plugins of an operator beside a hook of the program: `cargo run -p embed-wasm tuffet.yaml`.

use async_trait::async_trait;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tuffet::{Authorize, Failure, Handle, HookCall, Request, Server, Verdict};
use tuffet_config::Config;
use tuffet_server::daemon::{BuilderParts, ServiceParts};
use tuffet_store::{Disks, Roots};
use tuffet_wasm::{PolicyRuntime, PolicySpec};

/// A rule of the program, which no configuration can take away.
struct NoKeys;

#[async_trait]
impl Authorize for NoKeys {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        Ok(match request.path.ends_with(".key") {
            true => Verdict::deny("keys never leave this machine"),
            false => Verdict::Abstain,
        })
    }
}

/// Starts a server of this configuration, with its plugins, and with the rule after them.
async fn start(configuration: &Path) -> Result<Handle, Box<dyn Error>> {
    let config = Config::load(configuration)?;
    let disks = Disks::default();
    let roots = Roots::open_on(&config.roots, &disks)?;
    let runtime = PolicyRuntime::new(None)?;
    let loaded = runtime.load(&PolicySpec::of(&config, &roots, true)).await;
    let policy = loaded.map_err(|problems| {
        let texts: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        texts.join("\n")
    })?;
    let server = Server::builder()
        .settings(config.settings.clone(), Vec::new())
        .open_roots(roots)
        .disks(disks)
        .policy(policy)
        .records(runtime.records().clone())
        .state(Arc::new(runtime))
        .authorize("no-keys", NoKeys)
        .bind()?;
    Ok(server.start()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let configuration = std::env::args().nth(1).ok_or("name a configuration: embed-wasm FILE")?;
    let handle = start(Path::new(&configuration)).await?;
    println!("serving on {}", handle.addresses()[0].1);
    tokio::signal::ctrl_c().await?;
    handle.drain(Duration::from_secs(10)).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_testing::Client;

    const CONFIGURATION: &str = "
listeners: [{ address: 127.0.0.1:0, name: lan }]
roots: [{ name: boot, path: ./files }]
policy: { authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    settings: { deny: [{ names: ['*.cfg'] }] }
";

    #[tokio::test(flavor = "multi_thread")]
    async fn plugins_and_the_program_decide_together() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("files")).unwrap();
        for name in ["a.img", "a.cfg", "a.key"] {
            std::fs::write(folder.path().join("files").join(name), name).unwrap();
        }
        let configuration = folder.path().join("tuffet.yaml");
        std::fs::write(&configuration, CONFIGURATION).unwrap();
        let handle = start(&configuration).await.unwrap();
        let client = Client::new(handle.addresses()[0].1);
        let got =
            tokio::task::spawn_blocking(move || ["a.img", "a.cfg", "a.key"].map(|name| client.get(name)));
        let [image, by_plugin, by_program] = got.await.unwrap();
        assert_eq!(image.unwrap(), b"a.img");
        assert_eq!(by_plugin.unwrap_err().code(), Some(2));
        assert_eq!(by_program.unwrap_err().code(), Some(2));
        let calls =
            |name: &str| handle.totals().plugins.iter().find(|its| its.plugin == name).map(|its| its.calls);
        // More if a late answer has met the repetition of its request.
        assert!(calls("acl") >= Some(3) && calls("no-keys") >= Some(2));
        assert!(calls("acl") > calls("no-keys"), "what the plugin denies needs no further decision");
        handle.drain(Duration::ZERO).await;
    }
}
