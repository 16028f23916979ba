//! The seeds of the fuzz targets, and reproducible mutations of them.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use super::mutate::mutated;
use super::{config, manifest, manifest_section};

const CONFIGS: u64 = 1_000;
const MANIFESTS: u64 = 5_000;

/// Returns all files of a folder beside this crate, in the order of their names.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file")).collect()
}

fn holds(input: &[u8], checked: Result<(), String>) {
    if let Err(wrong) = checked {
        panic!("{wrong}\n{:?}", String::from_utf8_lossy(input));
    }
}

#[test]
fn any_configuration_loads_or_is_refused_with_places_in_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("files")).expect("a folder");
    let mut inputs = files("fuzz/seeds/config");
    inputs.push(tuffet_config::EXAMPLE.into());
    for input in &inputs {
        holds(input, config(input, folder.path()));
    }
    let mut random = Rng::with_seed(1);
    for _ in 0..CONFIGS {
        let input = mutated(&inputs, &mut random);
        holds(&input, config(&input, folder.path()));
    }
}

#[test]
fn any_component_has_a_manifest_or_is_refused_with_a_reason() {
    let texts = files("fuzz/seeds/manifest");
    let components: Vec<Vec<u8>> = texts.iter().map(|json| manifest_section(json)).collect();
    for component in &components {
        holds(component, manifest(component));
    }
    let mut random = Rng::with_seed(2);
    for _ in 0..MANIFESTS {
        let input = mutated(&components, &mut random);
        holds(&input, manifest(&input));
        let input = manifest_section(&mutated(&texts, &mut random));
        holds(&input, manifest(&input));
    }
}
