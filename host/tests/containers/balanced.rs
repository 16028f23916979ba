//! Several servers behind one address: a balancer that knows nothing of TFTP and sends each flow to one of them.

use crate::harness::{Client, Setup, inspect, load, network};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use testcontainers::ImageExt;

const TRANSFERS: usize = 60;

#[test]
fn each_transfer_stays_with_its_server() {
    let network = network();
    let servers = [(); 3].map(|()| Setup::new().sizes(&[50_000]).single_port().start(&network));
    let of = |server: usize| servers[server].address().ip();
    let balancer = balancer(&network, [of(0), of(1), of(2)]);
    let files = servers[0].path("");
    let figures = load(
        balancer.1,
        &[
            "--file",
            "50000",
            "--expect",
            files.to_str().unwrap(),
            "--transfers",
            &TRANSFERS.to_string(),
            "--concurrency",
            "20",
            "--blksize",
            "1428",
            "--windowsize",
            "4",
        ],
    );
    assert_eq!(figures["completed"], TRANSFERS, "{figures}");
    assert_eq!(figures["strays"], 0, "{figures}");
    // As many requests as there were, on all servers together: each is known to one alone, which has served
    // all of it.
    let mut shares = Vec::new();
    for server in &servers {
        let outcomes = server.outcomes();
        for line in &outcomes {
            assert_eq!((&line["outcome"], &line["bytes"]), (&"served".into(), &50_000.into()), "{line}");
        }
        shares.push(outcomes.len());
    }
    assert_eq!(shares.iter().sum::<usize>(), TRANSFERS, "{shares:?}");
    assert!(shares.iter().all(|share| *share > 0), "{shares:?}");
}

/// By nftables: a hash of the client's address and port chooses, and what was chosen is kept for the flow.
fn balancer(network: &str, servers: [IpAddr; 3]) -> (Client, SocketAddr) {
    let client = Client::with(network, |request| {
        request.with_cap_add("NET_ADMIN").with_host_config_modifier(|host| {
            host.sysctls = Some(HashMap::from([("net.ipv4.ip_forward".to_owned(), "1".to_owned())]));
        })
    });
    let [a, b, c] = servers;
    let rules = format!(
        "table ip balance {{
    chain prerouting {{
        type nat hook prerouting priority dstnat
        fib daddr type local udp dport 69 dnat to jhash ip saddr . udp sport mod 3 map {{ 0 : {a}, 1 : {b}, 2 : {c} }}
    }}
    chain postrouting {{
        type nat hook postrouting priority srcnat
        ip daddr {{ {a}, {b}, {c} }} udp dport 69 masquerade
    }}
}}
"
    );
    client.write("rules", rules.as_bytes());
    client.run(&["nft", "-f", "rules"]).good();
    let template = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
    let address = inspect(client.id(), template);
    (client, SocketAddr::new(address.parse().unwrap(), 69))
}
