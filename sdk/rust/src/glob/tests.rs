use super::Glob;

fn matches(pattern: &str, path: &str) -> bool {
    Glob::parse(pattern).unwrap().matches(path)
}

#[test]
fn stars_stay_within_a_part() {
    assert!(matches("secret/*", "secret/a"));
    assert!(!matches("secret/*", "secret/a/b"));
    assert!(matches("a*c*e/f", "abcde/f"));
    assert!(!matches("a*e/f", "ab/de/f"));
    assert!(matches("*/x", "a/x"));
    assert!(!matches("*/x", "x"));
}

#[test]
fn double_stars_span_parts() {
    assert!(matches("secret/**", "secret/a/b"));
    assert!(!matches("secret/**", "secrets/a"));
    assert!(!matches("secret/**", "secret"));
    assert!(matches("**", "any/thing"));
    for path in ["a/z", "a/b/z", "a/b/c/z"] {
        assert!(matches("a/**/z", path), "{path}");
    }
    assert!(!matches("a/**/z", "a/bz"));
    assert!(!matches("a/**/z", "az"));
    assert!(matches("**/z", "z"));
    assert!(matches("**/*.cfg", "a/b.cfg"));
    assert!(!matches("**/z", "a/bz"));
    assert!(matches("**/b/**/d", "a/b/c/b/d"));
}

#[test]
fn without_a_slash_the_last_part_counts_too() {
    assert!(matches("*.key", "server.key"));
    assert!(matches("*.key", "certs/server.key"));
    assert!(!matches("*.key", "server.key/readme"));
    assert!(!matches("certs/*.key", "old/certs/server.key"));
}

#[test]
fn a_leading_slash_ties_a_glob_to_the_top() {
    assert!(matches("/*.key", "server.key"));
    assert!(!matches("/*.key", "certs/server.key"));
    assert!(matches("/certs/*.key", "certs/server.key"));
    assert_eq!(Glob::parse("/*.key").unwrap().to_string(), "/*.key");
}

#[test]
fn letters_match_in_any_case_if_asked() {
    let matches = |pattern: &str, path: &str| Glob::parse(pattern).unwrap().ignoring_case().matches(path);
    for (pattern, path) in [
        ("SEP*.cnf.xml", "sep001122334455.CNF.XML"),
        ("sep*", "dir/SEP1"),
        ("[a-f]*", "Beef"),
        ("[A-F]*", "beef"),
        ("BÜRO/?", "büro/x"),
    ] {
        assert!(matches(pattern, path), "{pattern} {path}");
    }
    assert!(!matches("[!a-f]*", "Beef"), "a negated class excludes both cases");
    assert!(!matches("SEP*", "STEP"));
}

#[test]
fn classes_and_escapes() {
    assert!(matches("phone-[0-9]{.cfg,.xml}", "phone-7.xml"));
    assert!(!matches("phone-[!0-9].cfg", "phone-7.cfg"));
    assert!(matches("[a-]", "-"));
    assert!(matches("[]]", "]"));
    assert!(!matches("x[!a]y", "x/y"));
    assert!(matches("a\\*", "a*"));
    assert!(!matches("a\\*", "ab"));
    assert!(matches("caf?", "café"));
    assert!(!matches("*.KEY", "a.key"));
}

#[test]
fn every_alternative_is_tried() {
    assert!(matches("{a,ab}b", "ab"));
    assert!(matches("{a,ab}b", "abb"));
    assert!(matches("{,x}y", "y"));
    assert!(matches("a{b,c{d,e}}f", "acef"));
    assert!(!matches("a{b,c{d,e}}f", "acf"));
    assert!(matches("{boot,efi}/**", "efi/a/b"));
    assert!(matches("a,b", "a,b"));
}

#[test]
fn bad_globs_are_refused_with_the_remedy() {
    for bad in [
        "",
        "/",
        "//a",
        "!a",
        "a[b",
        "a{b",
        "a}b",
        "a\\",
        "[",
        "[]",
        "[!]",
        "[z-a]",
        "a**",
        "**a",
        "***",
        "{*,a}*",
        "{/a,b}",
        "{a,/b}",
        "{/secret/**,/*.key}",
    ] {
        let message = Glob::parse(bad).unwrap_err();
        assert!(message.len() > 20, "{bad:?}: {message}");
    }
    assert!(Glob::parse(&"{a,b}".repeat(8)).is_ok());
    assert!(Glob::parse(&"{a,b}".repeat(9)).unwrap_err().contains("256"));
}

#[test]
fn long_names_do_not_make_it_slow() {
    let name = "a".repeat(4000);
    assert!(!matches("*a*a*a*a*a*a*a*a*a*a*a*a*b", &name));
}

/// As a root with `case: insensitive` finds names.
#[test]
fn a_glob_matches_every_spelling() {
    for (pattern, path) in [
        ("grub.cfg", "GRUB.cfg"),
        ("*.EFI", "efi/shim.efi"),
        ("efi/**", "EFI/Boot/x"),
        ("SEP*.[A-C]nf", "sep1.cnf"),
        ("g\u{e4}nse", "G\u{c4}NSE"),
        ("kernel", "\u{212a}ernel"),
        ("\u{130}x", "i\u{307}X"),
        ("i\u{307}x", "\u{130}X"),
    ] {
        let glob = Glob::parse(pattern).unwrap();
        assert!(glob.matches_in_any_case(path), "{pattern} {path}");
        assert!(!glob.matches(path), "{pattern} {path}");
    }
    assert!(!Glob::parse("grub.cfg").unwrap().matches_in_any_case("grub2.cfg"));
}
