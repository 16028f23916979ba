use super::{Regex, Syntax};

fn regex(syntax: Syntax, pattern: &str, ignore_case: bool) -> Regex {
    Regex::new(pattern.as_bytes(), syntax, ignore_case).unwrap_or_else(|bad| panic!("{pattern}: {bad}"))
}

/// First byte and end of the match and of each group, as `0,2 0,1 -`.
fn places(regex: &Regex, text: &str) -> String {
    let Some(found) = regex.find(text.as_bytes(), false) else { return "NO".into() };
    let group =
        |group: &Option<(usize, usize)>| group.map_or("-".into(), |(from, end)| format!("{from},{end}"));
    found.0[..=regex.groups().min(9)].iter().map(group).collect::<Vec<String>>().join(" ")
}

/// `glibc.txt` has what `regexec` of glibc 2.36 answers: case is ignored (`i`) or not, expression, text, and
/// the places, `NO` without a match, `ERR` where `regcomp` refuses the expression.
#[test]
fn matches_are_those_of_glibc() {
    let mut wrong = Vec::new();
    for line in include_str!("glibc.txt").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[case, pattern, text, expected] = fields.as_slice() else { panic!("{line:?}") };
        let found = match Regex::new(pattern.as_bytes(), Syntax::Posix, case == "i") {
            Ok(regex) => places(&regex, text),
            Err(_) => "ERR".into(),
        };
        if found != expected {
            wrong.push(format!("{line:?}: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn perl_takes_the_first_way() {
    for (pattern, text, expected) in [
        ("a|ab", "ab", "0,1"),
        ("(a|ab)(c|bcd)(d*)", "abcd", "0,4 0,1 1,4 4,4"),
        ("(a+?)(a*)", "aaa", "0,3 0,1 1,3"),
        ("a{1,3}?", "aaa", "0,1"),
        (r"(\d+)[\w.-]*\.(?:cfg|xml)$", "x12-b.xml", "1,9 1,3"),
        (r"^(?:a|b)+(c)?", "abd", "0,2 -"),
        ("(|a)b", "ab", "0,2 0,1"),
        (r"\bb", "ab-b", "3,4"),
        ("[[:alpha:]]{2}", "1ab", "1,3"),
        ("a{,2}", "a{,2}", "0,5"),
        ("[^/]+$", "a/b", "2,3"),
        ("(a*)*b", "aab", "0,3 0,2"),
        (r"[\]\-x]+", "]-x", "0,3"),
        ("x", "a", "NO"),
    ] {
        assert_eq!(places(&regex(Syntax::Perl, pattern, false), text), expected, "{pattern} in {text}");
    }
    assert_eq!(places(&regex(Syntax::Perl, "[^a]b", true), "AB.B"), "2,4");
}

#[test]
fn mistakes_are_pointed_at() {
    let bad = |syntax, pattern: &str| match Regex::new(pattern.as_bytes(), syntax, false) {
        Ok(_) => panic!("{pattern} is accepted"),
        Err(bad) => bad.to_string(),
    };
    for (pattern, start) in [
        ("ab(c", "character 3: `(` without `)`"),
        ("a|*b", "character 3: `*` repeats nothing"),
        ("a[b", "character 2: `[` without `]`"),
        ("[b-a]", "character 2: the range `b-a`"),
        ("[[:foo:]]", "character 2: there is no class `[:foo:]`"),
        ("a{2,1}", "character 2: {2,1}: the first count"),
        ("a{x}", "character 2: `{` is not followed by counts"),
        ("a{40000}", "character 2: a count is at most 32767"),
        ("ab\\", "character 3: `\\` at the end"),
        ("(a)\\1", "character 4: back-references"),
        ("a{9000}", "character 7: the expression is too large"),
    ] {
        assert!(bad(Syntax::Posix, pattern).starts_with(start), "{pattern}: {}", bad(Syntax::Posix, pattern));
    }
    for (pattern, start) in [
        ("a)", "character 2: `)` without"),
        ("(?=a)", "character 1: of groups with `?`"),
        (r"(a)\1", "character 4: back-references"),
        (r"\p{L}", "character 1: `\\p` is not supported"),
        ("a**", "character 3: this repeats"),
        ("a++", "character 3: possessive"),
    ] {
        assert!(bad(Syntax::Perl, pattern).starts_with(start), "{pattern}: {}", bad(Syntax::Perl, pattern));
    }
    assert!(bad(Syntax::Posix, &"(".repeat(30_000)).contains("50 groups"));
    assert!(bad(Syntax::Posix, &format!("a{}", "*".repeat(30_000))).contains("repetitions"));
}

/// With backtracking these take longer than the age of the universe.
#[test]
fn time_is_linear() {
    let text = "a".repeat(4000);
    for pattern in ["(a*)*b", "(a|a)*b", "(a|aa)+$b", "(a?){50}a{50}b", "^(a+)+b"] {
        for syntax in [Syntax::Posix, Syntax::Perl] {
            assert_eq!(places(&regex(syntax, pattern, false), &text), "NO", "{pattern}");
        }
    }
    let found = places(&regex(Syntax::Posix, "((a|aa)*)*$", false), &text);
    assert!(found.starts_with("0,4000 0,4000"), "{found}");
}

/// More states than bits in a word take another way.
#[test]
fn large_expressions() {
    let names: Vec<String> = (0..40).map(|number| format!("firmware-{number}")).collect();
    let pattern = format!("^({})\\.(bin|img)$", names.join("|"));
    let large = regex(Syntax::Posix, &pattern, false);
    assert_eq!(places(&large, "firmware-39.img"), "0,15 0,11 12,15");
    assert_eq!(places(&large, "firmware-40.img"), "NO");
}

#[test]
fn the_rest_of_a_text_has_no_start() {
    let start = regex(Syntax::Posix, "^a", false);
    assert!(start.find(b"a", false).is_some() && start.find(b"a", true).is_none());
}
