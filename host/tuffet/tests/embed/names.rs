//! Names of what does not exist: a program that misspells one learns it, and which ones there are.

use crate::{builder, off, start};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tuffet::{
    Ask, AskError, BuildError, ClientClass, DefaultVerdict, Folder, Listener, ListenerRules, Service, Source,
    resolve_fn,
};
use tuffet_policy::{Chains, Policy, PolicyParts};
use tuffet_server::admission::{Circumstances, explain};
use tuffet_server::daemon::{BuilderParts, ServiceParts};
use tuffet_server::explanation::{Explanation, Question};

fn service() -> Service {
    Service::new().resolve("content", resolve_fn(|_| Source::bytes(*b"x")))
}

#[tokio::test(flavor = "multi_thread")]
async fn another_protocol_asks_for_a_listener_that_exists() {
    let guests = Listener::bind(([127, 0, 0, 1], 0).into()).name("guests");
    let (handle, _) = start(builder().listener(guests).service(service()));
    let client = ([127, 0, 0, 1], 9).into();
    for listener in ["test", "guests"] {
        assert!(handle.requests().read(Ask::http(listener, client, b"x")).await.is_ok());
    }
    let error = handle.requests().read(Ask::http("guest", client, b"x")).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no listener `guest`: there are `test` and `guests`");
    let AskError::UnknownListener { listener, known } = error else { panic!("{error}") };
    assert_eq!((listener.as_str(), known), ("guest", vec!["test".to_owned(), "guests".to_owned()]));
    handle.drain(Duration::ZERO).await;
}

/// Explains a read request for a file at a listener.
async fn explain_at(
    listener: &str,
    generation: &Arc<tuffet_server::generation::Generation>,
    name: &str,
) -> Result<Explanation, String> {
    let question = Question {
        name: name.into(),
        raw: None,
        client: ([127, 0, 0, 1], 9).into(),
        mac: None,
        listener: None,
        write: false,
        netascii: false,
        options: Vec::new(),
        local_address: None,
        interface: None,
    };
    let circumstances = Circumstances {
        protocol: tuffet::Protocol::Tftp,
        listener: listener.into(),
        single_port: false,
        interface: None,
        vlan: None,
        neighbour: None,
        limits: Vec::new(),
        last_requests: Vec::new(),
        user: String::new(),
        runs: false,
    };
    explain(generation, &question, circumstances).await
}

/// Explains a read request for a file at the listener of tests.
pub async fn explained(generation: &Arc<tuffet_server::generation::Generation>, name: &str) -> Explanation {
    explain_at("test", generation, name).await.unwrap()
}

#[tokio::test]
async fn a_request_is_explained_at_a_listener_that_exists() {
    let generation = builder().service(service()).unbound().unwrap();
    assert!(explain_at("test", &generation, "x").await.is_ok());
    let why = explain_at("tset", &generation, "x").await.err();
    assert_eq!(why.as_deref(), Some("there is no listener `tset`: the only one is `test`"));
}

#[test]
fn a_class_of_clients_is_one_that_exists() {
    assert_eq!("u-boot".parse::<ClientClass>().unwrap().as_str(), "u-boot");
    let why = "u-bot".parse::<ClientClass>().unwrap_err().to_string();
    assert!(why.starts_with("there is no class of clients `u-bot`: the classes are "), "{why}");
    assert_eq!(why.matches("u-boot").count(), 1, "{why}");
    for class in ClientClass::all() {
        assert_eq!(class.as_str().parse(), Ok(class));
    }
}

/// A policy whose only chains are those of this listener.
fn policy_for(listener: &str) -> Policy {
    Policy::new(PolicyParts {
        default: DefaultVerdict::Allow,
        of_all: Chains::default(),
        of_listeners: HashMap::from([(listener.to_owned(), Chains::default())]),
        time_limit: Duration::from_secs(5),
        warnings: Vec::new(),
        identities: Vec::new(),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_names_listeners_and_roots_that_exist() {
    let why = |service: Service| match builder().service(service).bind() {
        Err(BuildError::Usage(why)) => why,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was built"),
    };
    let rules = |service: Service, listener| service.listener_rules(listener, ListenerRules::default());
    let unknown = "is about the listener `tset`, which does not exist: the only one is `test`";
    assert_eq!(why(rules(service(), "tset")), format!("`listener_rules` {unknown}"));
    assert_eq!(why(service().policy(policy_for("tset"))), format!("the policy {unknown}"));
    assert!(why(rules(rules(service(), "test"), "test")).contains("twice for the listener `test`"));
    let folder = tempfile::tempdir().unwrap();
    let roots = |name: &str| ListenerRules { roots: Some(vec![name.to_owned()]), ..ListenerRules::default() };
    let boot = service().folder(Folder::new("boot", folder.path()));
    let why = why(boot.clone().listener_rules("test", roots("bot")));
    assert!(why.contains("listener `test` serves the root `bot`, which does not exist"), "{why}");
    // A server that runs keeps what it has.
    let (handle, server) = start(builder().service(boot.listener_rules("test", roots("boot"))));
    let replaced = handle.replace(rules(service(), "tset")).await;
    assert!(replaced.unwrap_err().to_string().contains(unknown));
    assert_eq!(handle.replace(service().policy(policy_for("test"))).await.unwrap(), 2);
    assert_eq!(off(move || crate::get(server, "x")).await.unwrap(), b"x");
    handle.drain(Duration::ZERO).await;
}
