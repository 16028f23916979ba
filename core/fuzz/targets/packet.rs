//! Any bytes as a datagram: nothing panics, and a parsed packet, encoded again, parses as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tuffet_core::{
    Control, ErrorCode, MAX_CONTROL, MAX_ERROR_TEXT, Malformed, Packet, RequestPacket, data_header, netascii,
};

fuzz_target!(|datagram: &[u8]| {
    match Packet::parse(datagram) {
        Ok(packet) => written_anew(packet),
        Err(malformed) => refused(datagram, malformed),
    }
    through_netascii(datagram);
});

fn written_anew(packet: Packet<'_>) {
    match packet {
        Packet::Request(request) => {
            let requested = request.options.requested();
            let mut buffer = vec![0; request.name.len() + 256];
            let RequestPacket { operation, name, mode, .. } = request;
            let length =
                RequestPacket::encode(operation, name, mode, &requested, &mut buffer).expect("it fits");
            let Ok(Packet::Request(again)) = Packet::parse(&buffer[..length]) else { panic!("no request") };
            assert_eq!((again.operation, again.name, again.mode), (operation, name, mode));
            assert_eq!(again.options.requested(), requested);
            assert!(
                RequestPacket::encode(operation, name, mode, &requested, &mut buffer[..length - 1]).is_none()
            );
        }
        Packet::Data { block, payload } => {
            let bytes = [&data_header(block), payload].concat();
            assert_eq!(Packet::parse(&bytes), Ok(packet));
        }
        Packet::Ack { block } => check_control(Control::Ack(block), packet),
        Packet::Error { code, text } => {
            let known = ErrorCode::from_wire(code);
            assert!(known as u16 == code || known == ErrorCode::NotDefined);
            let lossy = String::from_utf8_lossy(text);
            let mut buffer = [0; MAX_CONTROL];
            let control = Control::Error(known, lossy.to_string().into());
            let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
            let Ok(Packet::Error { code, text }) = Packet::parse(&buffer[..length]) else {
                panic!("no error")
            };
            assert_eq!(code, known as u16);
            assert!(text.len() <= MAX_ERROR_TEXT);
            assert!(lossy.as_bytes().starts_with(text));
            assert!(text.len() == lossy.len() || text.len() + 4 > MAX_ERROR_TEXT, "cut at a character");
        }
        Packet::Oack(options) => {
            let requested = options.requested();
            let mut buffer = [0; MAX_CONTROL];
            let length = Control::Oack(requested).encode(&mut buffer).expect("MAX_CONTROL is always enough");
            let Ok(Packet::Oack(again)) = Packet::parse(&buffer[..length]) else { panic!("no OACK") };
            assert_eq!(again.requested(), requested);
        }
    }
}

fn check_control(control: Control, expected: Packet<'_>) {
    let mut buffer = [0; MAX_CONTROL];
    let length = control.encode(&mut buffer).expect("MAX_CONTROL is always enough");
    assert_eq!(Packet::parse(&buffer[..length]), Ok(expected));
}

/// Only requests are owed an answer.
fn refused(datagram: &[u8], malformed: Malformed) {
    let opcode = datagram.first_chunk().map(|bytes| u16::from_be_bytes(*bytes));
    assert_eq!(malformed.is_request(), matches!(opcode, Some(1 | 2)), "{malformed}");
}

/// Bytes as a file: encoded and decoded in pieces of any size they are the same; as a stream from the wire,
/// they are the same file however they are split.
fn through_netascii(bytes: &[u8]) {
    let piece = usize::from(bytes.first().copied().unwrap_or(0) % 9) + 1;
    let mut encoder = netascii::Encoder::default();
    let (mut wire, mut at, mut block) = (Vec::new(), 0, vec![0; piece]);
    loop {
        let (read, written) = encoder.encode(&bytes[at..], &mut block);
        at += read;
        wire.extend_from_slice(&block[..written]);
        if written < piece {
            break;
        }
    }
    assert_eq!(wire.len() as u64, bytes.len() as u64 + netascii::Encoder::growth(bytes));
    assert_eq!(decoded(&wire, piece), bytes);
    assert_eq!(decoded(bytes, piece), decoded(bytes, bytes.len().max(1)));
}

fn decoded(wire: &[u8], piece: usize) -> Vec<u8> {
    let (mut decoder, mut file) = (netascii::Decoder::default(), Vec::new());
    wire.chunks(piece).for_each(|piece| decoder.decode(piece, &mut file));
    decoder.finish(&mut file);
    file
}
