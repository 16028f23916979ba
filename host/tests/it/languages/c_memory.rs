//! The C SDK's memory: what a call takes is released with it; what `configure` took stays, and what the adapter of WASI
//! took in the first call.

use super::c;
use crate::harness::{Client, Options, Setup};

/// Requests. Each reads 64 KiB, and an instance may have 4 MiB.
const READS: u64 = 80;

#[test]
fn hundreds_of_calls_that_take_much() {
    let Some(guest) = c() else { return };
    let server = Setup::new()
        .file("large", &vec![b'x'; 64 << 10])
        .yaml(&format!(
            r#"
workers: 1
roots: [{{ name: boot, path: root }}]
policy: {{ resolve: [it], time-limit: 60s }}
plugins:
  it:
    component: "{guest}"
    grants: [files/boot]
    reuse: {{ calls: 1000000, idle: 1h }}
    limits: {{ time: 20s, wall: 40s, memory: 4MiB, instances: 1, queue: 1000 }}
    settings:
      configure: [[stat, boot, large]]
      rules: [{{ hook: resolve, path: "x*", do: [[calls], [reads, boot, large, 1], [request], [random]], answer: tell }}]
"#
        ))
        .start();
    for number in 1..=READS {
        let name = format!("x/{number}/{}", "long".repeat(60));
        let got = Client::Tuffet.get(server.address(), &name, Options::default());
        let told: serde_json::Value = serde_json::from_slice(&got).unwrap();
        // Of the settings, of the instance, and of this call: one instance answers all of them.
        assert_eq!((&told[0], &told[1]), (&(64 << 10).into(), &number.into()));
        assert_eq!((&told[2], &told[3]["path"]), (&serde_json::json!([1, null]), &name.into()));
    }
    server.stop();
    let log = server.log();
    assert!(!log.contains(" failed in "), "{log}");
}
