//! Builds the bundled plugins and embeds them, so that `tuffet` is one file.
//!
//! In the workspace, `plugins/build.sh` builds them; the published package has them in `components`, whose links
//! `scripts/package.sh` gives targets. `TUFFET_GUESTS` names another folder of prebuilt components, for packagers and for
//! machines without a WebAssembly compiler.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The names of the plugins, and of their components.
const BUNDLED: [(&str, &str); 7] = [
    ("acl", "tuffet_acl.wasm"),
    ("ask", "tuffet_ask.wasm"),
    ("audit", "tuffet_audit.wasm"),
    ("mac-map", "tuffet_mac_map.wasm"),
    ("publish", "tuffet_publish.wasm"),
    ("remap", "tuffet_remap.wasm"),
    ("template", "tuffet_template.wasm"),
];

/// The sources of the plugins, relative to the workspace.
const SOURCES: [&str; 6] = ["host/leases", "plugins", "sdk/rust", "sdk/wit", "Cargo.toml", "Cargo.lock"];

/// Builds them, relative to the workspace.
const SCRIPT: &str = "plugins/build.sh";

fn main() -> ExitCode {
    // Not a returned error: Cargo would show it escaped, without line breaks.
    run().map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo::rerun-if-env-changed=TUFFET_GUESTS");
    let workspace = here.join("../..");
    let components = match env::var_os("TUFFET_GUESTS") {
        Some(folder) => prebuilt(&here.join("..").join(folder)),
        None if workspace.join(SCRIPT).is_file() => build(&workspace.canonicalize()?)?,
        None => prebuilt(&here.join("components")),
    };
    // For the build script of the guests that only tests need.
    println!("cargo::metadata=components={}", components.display());
    embed(&components)
}

fn prebuilt(folder: &Path) -> PathBuf {
    for (_, file) in BUNDLED {
        println!("cargo::rerun-if-changed={}", folder.join(file).display());
    }
    folder.to_path_buf()
}

fn build(workspace: &Path) -> Result<PathBuf, Box<dyn Error>> {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    let target_dir = guest_target_dir(Path::new(&env::var("OUT_DIR")?));
    let script = workspace.join(SCRIPT);
    let output = Command::new("sh").arg(&script).arg(&target_dir).output()?;
    if output.status.success() {
        return Ok(target_dir.join("wasm32-wasip2/guest"));
    }
    Err(format!(
        "the bundled plugins could not be built ({})\n\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}

/// Returns `guests` beside `debug` and `release`, so that all profiles of the host share one build of the plugins.
/// The folder is separate, because cargo locks the other one during this build.
fn guest_target_dir(out_dir: &Path) -> PathBuf {
    let build = out_dir.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "build"));
    let target = build.and_then(|build| build.parent()?.parent());
    target.unwrap_or(out_dir).join("guests")
}

/// Writes the table that the library includes.
fn embed(components: &Path) -> Result<(), Box<dyn Error>> {
    let mut table = String::from("[\n");
    for (name, file) in BUNDLED {
        let path = components.join(file);
        if !path.is_file() {
            let made = if env::var_os("TUFFET_GUESTS").is_some() {
                "TUFFET_GUESTS must name a folder that has it (plugins/build.sh builds it)"
            } else {
                "scripts/package.sh makes packages that have it"
            };
            return Err(format!("{} is missing: {made}", path.display()).into());
        }
        table += &format!("    ({name:?}, include_bytes!({path:?}).as_slice()),\n");
    }
    table += "]\n";
    fs::write(Path::new(&env::var("OUT_DIR")?).join("components.rs"), table)?;
    Ok(())
}
