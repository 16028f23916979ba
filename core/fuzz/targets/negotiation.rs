//! Options in both directions. A server grants only requested options, with no larger values than requested
//! or than its limits, and never an empty set; a client accepts such an answer, and refuses every other.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tuffet_core::{
    Acknowledged, Control, ErrorCode, Finish, Limits, MAX_BLKSIZE, MAX_CONTROL, MIN_BLKSIZE, Operation,
    OptionName, OptionSet, Output, Packet, Rollover, Settings, Time, Transfer,
};

#[derive(Debug, Arbitrary)]
struct Case<'a> {
    write: bool,
    blksize: u16,
    windowsize: u16,
    burst: Option<u16>,
    size: Option<u64>,
    /// The request after name and mode.
    request: Text<'a>,
    /// The answer of a server.
    answer: Text<'a>,
}

/// Options as a client writes them, or any bytes.
#[derive(Debug, Arbitrary)]
enum Text<'a> {
    Raw(&'a [u8]),
    Options(Vec<(Name<'a>, Value<'a>)>, bool),
}

#[derive(Debug, Arbitrary)]
enum Name<'a> {
    Blksize,
    Timeout,
    Tsize,
    Windowsize,
    MixedCase,
    Other(&'a [u8]),
}

#[derive(Debug, Arbitrary)]
enum Value<'a> {
    Number(u64),
    Small(u16),
    Raw(&'a [u8]),
}

fuzz_target!(|case: Case<'_>| {
    let operation = if case.write { Operation::Write } else { Operation::Read };
    let requested = request(&case, operation);
    let granted = served(&case, operation, &requested);
    if let Some(oack) = granted {
        let finish = client(operation, &requested, &packet(Control::Oack(oack)));
        assert!(finish.is_ok_and(|taken| taken == oack), "a client takes what a server grants it");
    }
    refuses_or_takes(&requested, operation, &[b"\0\x06", &case.answer.bytes()[..]].concat());
});

/// Compares the server's reading of the request with an independent one.
fn request(case: &Case<'_>, operation: Operation) -> OptionSet {
    let opcode: &[u8] = if operation == Operation::Read { b"\0\x01" } else { b"\0\x02" };
    let options = case.request.bytes();
    let datagram = [opcode, b"name\0octet\0", &options].concat();
    let Ok(Packet::Request(request)) = Packet::parse(&datagram) else { panic!("a request without options") };
    let requested = request.options.requested();
    assert_eq!(requested, reference(&options));
    requested
}

fn served(case: &Case<'_>, operation: Operation, requested: &OptionSet) -> Option<OptionSet> {
    let now = Time::from_micros(0);
    let limits = Limits {
        blksize: case.blksize,
        windowsize: case.windowsize,
        burst: case.burst,
        rate: None,
        total_rate: None,
        client: 0,
        bears_duplicates: false,
        bears_repeated_oack: false,
        acknowledged: Acknowledged::default()
            .with(OptionName::Rollover)
            .with(OptionName::Blksize2)
            .with(OptionName::Utimeout),
        empty_tsize: true,
    };
    let mut server = Transfer::server(now, operation, Settings::default());
    server.handle_grant(now, requested, &limits, case.size);
    let oack = match server.poll(now) {
        Output::Control(Control::Oack(oack)) => oack,
        Output::Control(Control::Error(..)) => {
            assert!(operation == Operation::Read && case.size.is_none(), "refused for nothing");
            return None;
        }
        // The first answer without an OACK: nothing was granted.
        Output::Send(_) | Output::Control(Control::Ack(0)) => {
            assert!(server.options().is_empty());
            return None;
        }
        other => panic!("{other:?} is no answer to a request"),
    };
    assert!(!oack.is_empty());
    if let Some(blksize) = oack.blksize {
        assert!(requested.blksize.is_some_and(|requested| blksize <= requested));
        assert!(blksize <= limits.blksize.max(MIN_BLKSIZE) && (MIN_BLKSIZE..=MAX_BLKSIZE).contains(&blksize));
    }
    if let Some(blocks) = oack.windowsize {
        assert!(requested.windowsize.is_some_and(|requested| blocks <= requested));
        assert!(blocks <= limits.windowsize.max(1) && (1..=32_767).contains(&blocks));
    }
    assert!(oack.timeout.is_none_or(|seconds| seconds > 0 && requested.timeout == Some(seconds)));
    assert!(oack.tsize.is_none_or(|_| requested.tsize.is_some() && oack.tsize == case.size));
    Some(oack)
}

/// Returns the client's reaction to an OACK: the options that it continues with, or the error that it ends
/// with.
fn client(operation: Operation, requested: &OptionSet, oack: &[u8]) -> Result<OptionSet, ErrorCode> {
    let now = Time::from_micros(0);
    let mut client = Transfer::client(now, operation, *requested, 100_000, Settings::default());
    assert_eq!(client.poll(now), Output::Request);
    assert_eq!(client.handle_datagram(now, oack), Ok(()));
    loop {
        match client.poll(now) {
            Output::Finished(Finish::Failed(code)) => return Err(code),
            Output::Control(Control::Ack(0)) | Output::Send(_) => return Ok(client.options()),
            Output::Control(Control::Error(..)) => {}
            other => panic!("{other:?} is no answer to an OACK"),
        }
    }
}

fn refuses_or_takes(requested: &OptionSet, operation: Operation, oack: &[u8]) {
    match client(operation, requested, oack) {
        Ok(taken) => {
            assert!(
                taken
                    .blksize
                    .is_none_or(|got| got > 0 && requested.blksize.is_some_and(|requested| got <= requested))
            );
            assert!(
                taken
                    .windowsize
                    .is_none_or(|got| got > 0 && requested.windowsize.is_some_and(|most| got <= most))
            );
            assert!(taken.timeout.is_none_or(|got| requested.timeout == Some(got)));
            assert!(taken.tsize.is_none() || requested.tsize.is_some());
        }
        Err(code) => assert_eq!(code, ErrorCode::OptionRefused),
    }
}

/// Reads the options of some bytes, as plainly as possible.
fn reference(bytes: &[u8]) -> OptionSet {
    let mut pieces: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    // The last value may lack its NUL.
    if pieces.last().is_some_and(|piece| piece.is_empty()) {
        pieces.pop();
    }
    let mut oack = OptionSet::default();
    let mut seen: Vec<String> = Vec::new();
    for pair in pieces.chunks_exact(2) {
        if pair[0].is_empty() {
            break;
        }
        let name = String::from_utf8_lossy(pair[0]).to_ascii_lowercase();
        if seen.contains(&name) {
            continue;
        }
        let text = std::str::from_utf8(pair[1]).unwrap_or("x");
        let text = text.trim_start_matches(['\t', '\n', '\x0b', '\x0c', '\r', ' ']);
        let text = text.strip_prefix('+').unwrap_or(text);
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let value = digits.then(|| text.parse::<u64>().ok()).flatten();
        match name.as_str() {
            "blksize" => oack.blksize = value.filter(|v| *v >= 8).map(|v| v.min(65_464) as u16),
            "windowsize" => oack.windowsize = value.filter(|v| *v >= 1).map(|v| v.min(65_535) as u16),
            "timeout" => oack.timeout = value.filter(|v| (1..=255).contains(v)).map(|v| v as u8),
            "tsize" => oack.tsize = value,
            "rollover" => {
                oack.rollover = match value {
                    Some(0) => Some(Rollover::Zero),
                    Some(1) => Some(Rollover::One),
                    _ => None,
                }
            }
            "blksize2" => oack.blksize2 = value.filter(|v| *v >= 8).map(|v| v.min(65_464) as u16),
            "utimeout" => {
                oack.utimeout = value.filter(|v| (10_000..=255_000_000).contains(v)).map(|v| v as u32)
            }
            "msftwindow" => oack.msftwindow = value == Some(31_416),
            _ => {}
        }
        seen.push(name);
    }
    oack
}

fn packet(control: Control) -> Vec<u8> {
    let mut buffer = [0; MAX_CONTROL];
    let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
    buffer[..length].to_vec()
}

impl Text<'_> {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Text::Raw(bytes) => bytes.to_vec(),
            Text::Options(pairs, ended) => {
                let mut bytes = Vec::new();
                for (name, value) in pairs {
                    bytes.extend_from_slice(name.bytes());
                    bytes.push(0);
                    value.write(&mut bytes);
                    bytes.push(0);
                }
                if !ended {
                    bytes.pop();
                }
                bytes
            }
        }
    }
}

impl Name<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Name::Blksize => b"blksize",
            Name::Timeout => b"timeout",
            Name::Tsize => b"tsize",
            Name::Windowsize => b"windowsize",
            Name::MixedCase => b"BlkSize",
            Name::Other(bytes) => bytes,
        }
    }
}

impl Value<'_> {
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Value::Number(number) => bytes.extend_from_slice(number.to_string().as_bytes()),
            Value::Small(number) => bytes.extend_from_slice(number.to_string().as_bytes()),
            Value::Raw(raw) => bytes.extend_from_slice(raw),
        }
    }
}
