//! Azure Blob Storage, as Azurite speaks its protocol: with the key of the account, a shared access signature, and
//! without a login.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Instant;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::path::Path;
use object_store::{Attribute, ObjectStore, PutOptions};
use ring::hmac;
use tempfile::TempDir;
use tuffet_config::{Credentials, Location, OriginSpec, Secret};
use tuffet_store::StoreError;

use super::process::{Server, free, program};
use super::stores::{
    creates_only_missing_files, exercise, keeps_its_cache, never_mixes_versions, open,
    several_upload_at_once, store,
};
use super::{LONG, MIB, content, get, spec};

const ACCOUNT: &str = "tuffettests";
const KEY: &[u8] = b"the key of an account of the tests, of 64 bytes as others have..";

fn key() -> Credentials {
    Credentials::AccountKey(Secret::new(BASE64_STANDARD.encode(KEY)))
}

fn origin(address: SocketAddr, credentials: Credentials, folder: &TempDir) -> OriginSpec {
    container("boot", address, credentials, folder)
}

fn container(name: &str, address: SocketAddr, credentials: Credentials, folder: &TempDir) -> OriginSpec {
    let location = Location::Azure {
        account: Some(ACCOUNT.into()),
        container: name.into(),
        prefix: "images".into(),
        endpoint: format!("http://{address}/{ACCOUNT}").parse().ok(),
    };
    spec(location, credentials, folder.path())
}

/// Azurite on the disk, with the container `boot`, and `public`, which anybody may read.
struct Azurite {
    program: String,
    folder: TempDir,
    address: SocketAddr,
    server: Option<Server>,
}

impl Azurite {
    fn start() -> Option<Self> {
        let program = program("TUFFET_AZURITE", "azurite-blob")?;
        let folder = TempDir::new().expect("a folder");
        let mut azurite = Self { program, folder, address: free(), server: None };
        azurite.start_again();
        azurite.put("boot?restype=container", "");
        azurite.put("public?restype=container", "x-ms-blob-public-access: container\r\n");
        Some(azurite)
    }

    fn start_again(&mut self) {
        let mut command = Command::new(&self.program);
        command.args(["--silent", "--disableTelemetry", "--blobHost", "127.0.0.1", "--blobPort"]);
        command
            .arg(self.address.port().to_string())
            .arg("--location")
            .arg(self.folder.path().join("azurite"));
        command.env("AZURITE_ACCOUNTS", format!("{ACCOUNT}:{}", BASE64_STANDARD.encode(KEY)));
        self.server = Some(Server::start(&mut command, self.address));
    }

    fn kill(&mut self) {
        self.server = None;
    }

    /// A request of its administrator.
    fn put(&self, target: &str, headers: &str) {
        let mut stream = TcpStream::connect(self.address).expect("Azurite");
        let request = format!(
            "PUT /{ACCOUNT}/{target}&{} HTTP/1.1\r\nHost: {}\r\nx-ms-version: 2021-08-06\r\n{headers}\
             Content-Length: 0\r\nConnection: close\r\n\r\n",
            signature("rwdlac"),
            self.address
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
}

/// A shared access signature of the account with these permissions: what must be signed is in
/// <https://learn.microsoft.com/en-us/rest/api/storageservices/create-account-sas>.
fn signature(permissions: &str) -> String {
    let (version, until) = ("2019-12-12", "2099-01-01T00:00:00Z");
    let text = format!("{ACCOUNT}\n{permissions}\nb\nsco\n\n{until}\n\n\n{version}\n");
    let signed = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, KEY), text.as_bytes());
    let signed = BASE64_STANDARD.encode(signed).bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02X}");
        text
    });
    format!("sv={version}&ss=b&srt=sco&sp={permissions}&se={until}&sig={signed}")
}

/// As a file of credentials has it.
fn shared_access(permissions: &str) -> Credentials {
    Credentials::Settings(vec![("AZURE_STORAGE_SAS_KEY".into(), Secret::new(signature(permissions)))])
}

#[test]
fn azurite_serves_and_stores() {
    let Some(mut azurite) = Azurite::start() else { return };
    let spec = origin(azurite.address, key(), &azurite.folder);
    let remote = open(spec.clone());
    exercise(&remote);
    creates_only_missing_files(&remote);
    several_upload_at_once(&spec);
    never_mixes_versions(&spec);
    keeps_its_cache(&spec);

    azurite.kill();
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]), "stale");
    assert!(matches!(remote.get("none"), Err(StoreError::Unreachable { .. })));
    assert!(store(&remote, "new", b"x", true).is_err());
    azurite.start_again();
    let deadline = Instant::now() + LONG;
    while !matches!(remote.get("none"), Err(StoreError::NotFound)) {
        assert!(Instant::now() < deadline, "it is asked again");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(remote.state().away.is_none());
}

#[test]
fn azurite_lets_in_whom_it_should() {
    let Some(azurite) = Azurite::start() else { return };
    let address = azurite.address;
    let folder = || TempDir::new().expect("a folder");
    let owner = folder();
    let owner = open(origin(address, key(), &owner));
    store(&owner, "log", b"first", true).expect("the owner may");
    let refused = |error: StoreError, code: &str| {
        assert!(matches!(error, StoreError::RefusedByOrigin { .. }), "{error}");
        assert!(error.to_string().contains(code), "{error}");
        assert!(!error.to_string().contains("sig="), "{error}");
    };

    let other = folder();
    let wrong = Credentials::AccountKey(Secret::new(BASE64_STANDARD.encode("another key")));
    let stranger = open(origin(address, wrong, &other));
    refused(stranger.get("log").expect_err("no access"), "403");
    refused(store(&stranger, "log", b"x", true).expect_err("no access"), "403");

    let other = folder();
    let reader = open(origin(address, shared_access("r"), &other));
    assert_eq!(get(&reader, "log").as_deref(), Ok(&b"first"[..]));
    refused(store(&reader, "log", b"x", true).expect_err("it may only read"), "403");
    refused(store(&reader, "log", &content(17 * MIB, 1), true).expect_err("nor in parts"), "403");

    let other = folder();
    let writer = open(origin(address, shared_access("rwc"), &other));
    store(&writer, "log", b"second", true).expect("it may");
    assert_eq!(get(&writer, "log").as_deref(), Ok(&b"second"[..]));

    let taken = store(&writer, "log", &content(17 * MIB, 2), false).expect_err("it may not replace it");
    assert!(matches!(taken, StoreError::Exists), "{taken}");

    let other = folder();
    let stranger = open(origin(address, Credentials::Anonymous, &other));
    assert!(stranger.get("log").is_err(), "it is not public");
    let publisher = folder();
    let publisher = open(container("public", address, key(), &publisher));
    store(&publisher, "log", b"news", true).expect("the owner may");
    let other = folder();
    let anybody = open(container("public", address, Credentials::Anonymous, &other));
    assert_eq!(get(&anybody, "log").as_deref(), Ok(&b"news"[..]));
    assert!(store(&anybody, "log", b"third", true).is_err());

    let other = folder();
    let elsewhere = open(container("none", address, key(), &other));
    assert!(matches!(elsewhere.get("log"), Err(StoreError::NotFound)));
    let refused = store(&elsewhere, "log", b"x", true).expect_err("there is no container");
    assert!(refused.to_string().contains("bucket"), "{refused}");
}

/// While another client holds a lease on a blob, it cannot be replaced.
#[test]
fn a_leased_blob_is_not_replaced() {
    let Some(azurite) = Azurite::start() else { return };
    let remote = open(origin(azurite.address, key(), &azurite.folder));
    store(&remote, "log", b"first", true).expect("it is stored");
    azurite.put("boot/images/log?comp=lease", "x-ms-lease-action: acquire\r\nx-ms-lease-duration: -1\r\n");
    for bytes in [content(10, 1), content(17 * MIB, 2)] {
        let error = store(&remote, "log", &bytes, true).expect_err("another client has the lease");
        assert!(error.to_string().contains("LeaseIdMissing"), "{error}");
    }
    assert_eq!(get(&remote, "log").as_deref(), Ok(&b"first"[..]));
}

/// A blob in the archive cannot be read until it is restored.
#[test]
fn an_archived_blob_is_no_file_that_exists() {
    let Some(azurite) = Azurite::start() else { return };
    let remote = open(origin(azurite.address, key(), &azurite.folder));
    let client = MicrosoftAzureBuilder::new()
        .with_account(ACCOUNT)
        .with_access_key(BASE64_STANDARD.encode(KEY))
        .with_endpoint(format!("http://{}/{ACCOUNT}", azurite.address))
        .with_allow_http(true)
        .with_container_name("boot");
    let client = client.build().expect("a client");
    let attributes = [(Attribute::StorageClass, "Archive")].into_iter().collect();
    let (path, options) = (Path::from("images/old"), PutOptions { attributes, ..PutOptions::default() });
    let put = client.put_opts(&path, "content".into(), options);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(put).expect("it is stored");
    let error = remote.get("old").expect_err("it cannot be read");
    assert!(error.to_string().contains("BlobArchived"), "{error}");
}
