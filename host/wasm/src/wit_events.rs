//! The events of the interface, written by hand: as in `sdk/wit`, but with borrowed text. The types of `bindgen!` own
//! their text, and copying it for each observer would cost as much as the call.

use wasmtime::component::{ComponentType, Lower};

/// Declares a record of the interface, with the names of its fields in WIT.
macro_rules! record {
    ($name:ident: $($field:ident = $text:literal: $type:ty),+ $(,)?) => {
        #[derive(ComponentType, Lower)]
        #[component(record)]
        pub(super) struct $name<'a> {
            $(#[component(name = $text)] pub $field: $type),+
        }

        #[cfg(test)]
        impl $name<'_> {
            /// The names of its fields.
            #[allow(dead_code, reason = "a test compares those of some records with the fields of a summary")]
            pub const NAMES: &'static [&'static str] = &[$($text),+];
        }
    };
}

/// Names and values.
pub(super) type Pairs<'a> = &'a [(&'a str, &'a str)];

record!(Event:
    sequence = "sequence": u64,
    unix_ms = "unix-ms": u64,
    kind = "kind": WitEventKind<'a>,
);

#[derive(ComponentType, Lower)]
#[component(variant)]
#[allow(dead_code, reason = "the host has no event of another kind yet")]
#[allow(clippy::large_enum_variant, reason = "they are made for one call, and most are the large one")]
pub(super) enum WitEventKind<'a> {
    #[component(name = "started")]
    Started(DecidedRequest<'a>),
    #[component(name = "progressed")]
    Progressed(Progress<'a>),
    #[component(name = "finished")]
    Finished(Summary<'a>),
    #[component(name = "other")]
    Other(OtherEvent<'a>),
}

record!(DecidedRequest:
    request = "request": Request<'a>,
    resolved = "resolved": Option<Resolved<'a>>,
    decided_by = "decided-by": Option<&'a str>,
    size = "size": Option<u64>,
    decision_us = "decision-us": Option<u64>,
);

#[derive(ComponentType, Lower)]
#[component(variant)]
pub(super) enum Resolved<'a> {
    #[component(name = "file")]
    File(Target<'a>),
    #[component(name = "content")]
    Content(Option<&'a str>),
}

record!(Target:
    root = "root": &'a str,
    path = "path": &'a str,
);

record!(Progress:
    request_id = "request-id": &'a str,
    transferred = "transferred": u64,
    size = "size": Option<u64>,
);

record!(Summary:
    decided = "decided": DecidedRequest<'a>,
    decision = "decision": &'a str,
    outcome = "outcome": &'a str,
    detail = "detail": Option<&'a str>,
    plugin_calls = "plugin-calls": u32,
    tried = "tried": &'a [Target<'a>],
    tried_by = "tried-by": Option<&'a str>,
    blksize = "blksize": u16,
    windowsize = "windowsize": u16,
    timeout_option = "timeout-option": Option<u8>,
    tsize = "tsize": Option<u64>,
    transferred = "transferred": u64,
    blocks = "blocks": u64,
    retransmissions = "retransmissions": u64,
    duplicates = "duplicates": u64,
    timeouts = "timeouts": u64,
    rtt_us = "rtt-us": Option<u64>,
    first_block_us = "first-block-us": Option<u64>,
    duration_us = "duration-us": u64,
    attributes = "attributes": Pairs<'a>,
);

record!(OtherEvent:
    kind = "kind": &'a str,
    request_id = "request-id": Option<&'a str>,
    attributes = "attributes": Pairs<'a>,
);

record!(Request:
    id = "id": &'a str,
    listener = "listener": &'a str,
    operation = "operation": Operation,
    mode = "mode": Mode,
    requested = "requested": &'a str,
    path = "path": &'a str,
    client = "client": Client<'a>,
    arrival = "arrival": Option<Arrival<'a>>,
    options = "options": Pairs<'a>,
    unix_ms = "unix-ms": u64,
    labels = "labels": &'a [Label<'a>],
    attributes = "attributes": Pairs<'a>,
);

record!(Label:
    plugin = "plugin": &'a str,
    text = "text": &'a str,
);

record!(Client:
    address = "address": &'a str,
    port = "port": u16,
    macs = "macs": Option<MacAddresses<'a>>,
    lease = "lease": Option<Lease<'a>>,
    class = "class": &'a str,
);

record!(MacAddresses:
    network = "network": &'a [Mac<'a>],
    claimed = "claimed": &'a [Mac<'a>],
);

record!(Mac:
    address = "address": &'a str,
    source = "source": &'a str,
);

record!(Arrival:
    address = "address": Option<&'a str>,
    interface_name = "interface-name": Option<&'a str>,
    vlan = "vlan": Option<u16>,
);

record!(Lease:
    mac = "mac": Option<&'a str>,
    client_id = "client-id": Option<&'a str>,
    uuid = "uuid": Option<&'a str>,
    hostname = "hostname": Option<&'a str>,
    vendor_class = "vendor-class": Option<&'a str>,
    architecture = "architecture": Option<u16>,
    expires = "expires": Option<u64>,
    age = "age": u64,
);

#[derive(Clone, Copy, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
pub(super) enum Operation {
    #[component(name = "read")]
    Read,
    #[component(name = "write")]
    Write,
}

#[derive(Clone, Copy, ComponentType, Lower)]
#[component(enum)]
#[repr(u8)]
pub(super) enum Mode {
    #[component(name = "octet")]
    Octet,
    #[component(name = "netascii")]
    Netascii,
}
