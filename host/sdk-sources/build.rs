//! Embeds the SDK and the example plugins as sources: with them, an installed server is all that a new plugin needs.
//!
//! `files` has links to the folders of `sdk`, and `examples` links to the files of `examples/plugins`; in a published
//! package, they have the files themselves.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

fn main() -> ExitCode {
    // Cargo shows it as it is written, with its line breaks.
    run().map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run() -> Result<(), Box<dyn Error>> {
    let folder = env::var("CARGO_MANIFEST_DIR")?;
    embed_examples(&Path::new(&folder).join("examples"))?;
    embed(&Path::new(&folder).join("files"))
}

/// Writes the table of the examples: paths below their folder, and contents.
fn embed_examples(folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for example in fs::read_dir(folder)? {
        let example = example?.file_name().to_string_lossy().into_owned();
        for entry in fs::read_dir(folder.join(&example))? {
            let path = format!("{example}/{}", entry?.file_name().to_string_lossy());
            println!("cargo::rerun-if-changed={}", folder.join(&path).display());
            // They are links.
            if fs::metadata(folder.join(&path))?.is_dir() {
                walk(folder, &path, &mut files)?;
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut table = String::from("[\n");
    for file in &files {
        let path = folder.join(file);
        // A package takes no folder that has a Cargo.toml.
        let name = file.replace("/manifest.toml", "/Cargo.toml");
        table += &format!("    ({name:?}, include_bytes!({path:?}).as_slice()),\n");
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("examples.rs"), table + "]\n")?;
    Ok(())
}

/// Writes the table that the library includes: paths below `sdk`, and texts.
fn embed(sdk: &Path) -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in ["rust/src", "wit", "js/src", "js/build", "c/src", "c/bindings"] {
        println!("cargo::rerun-if-changed={}", sdk.join(folder).display());
        walk(sdk, folder, &mut files)?;
    }
    // One by one: files that Python leaves beside its sources are not changes of them.
    files.extend(["python/__main__.py", "python/requirements.txt"].map(str::to_owned));
    let single = ["js/package.json", "c/tuffet.h", "c/tuffet_test.c", "c/tuffet_test.h"];
    files.extend(single.map(str::to_owned));
    walk(sdk, "python/tuffet", &mut files)?;
    for file in files.iter().filter(|file| file.starts_with("python/") || single.contains(&file.as_str())) {
        println!("cargo::rerun-if-changed={}", sdk.join(file).display());
    }
    println!("cargo::rerun-if-changed={}", sdk.join("go").display());
    walk(sdk, "go", &mut files)?;
    files.retain(|file| !file.ends_with("_test.go") && !file.starts_with("go/tests/"));
    files.sort();
    let mut table = String::from("[\n");
    for file in &files {
        let path = sdk.join(file);
        table += &format!("    ({file:?}, include_str!({path:?})),\n");
    }
    // A package takes no folder that has a Cargo.toml.
    let own = sdk.join("rust/manifest.toml");
    let root = sdk.join("workspace.toml");
    println!("cargo::rerun-if-changed={}", own.display());
    println!("cargo::rerun-if-changed={}", root.display());
    let manifest = alone(&fs::read_to_string(own)?, &fs::read_to_string(root)?)?;
    table += &format!("    (\"rust/Cargo.toml\", {manifest:?}),\n]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("sdk.rs"), table)?;
    Ok(())
}

fn walk(base: &Path, folder: &str, files: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(base.join(folder))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_name() == "__pycache__" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(base, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// A manifest without its workspace: `KEY.workspace = true` becomes what the workspace says of KEY.
fn alone(manifest: &str, workspace: &str) -> Result<String, Box<dyn Error>> {
    let lints = "[lints]\nworkspace = true\n";
    let mut text = String::new();
    for line in manifest.replace(lints, "").trim_end().lines() {
        let Some(key) = line.strip_suffix(".workspace = true") else {
            text += &format!("{line}\n");
            continue;
        };
        let prefix = format!("{key} = ");
        let said = workspace.lines().find(|line| line.starts_with(&prefix));
        let said = said.ok_or_else(|| format!("Cargo.toml of the workspace has no `{prefix}`"))?;
        text += &format!("{said}\n");
    }
    if text.contains("workspace") {
        return Err(
            "sdk/rust/Cargo.toml takes from the workspace what host/sdk-sources/build.rs does not know"
                .into(),
        );
    }
    Ok(text)
}
