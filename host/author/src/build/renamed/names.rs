//! Names of the interface 0.2 in its SDKs, with their replacements, by language.
//!
//! What the right side begins with is no old name where the source goes on in the same way: `Verdict::Drop` is old,
//! `Verdict::Drop(…)` is not.

/// An old name and its replacement.
pub(super) type Renamed = (&'static str, &'static str);

/// The names of a language.
pub(super) struct Names {
    /// The ends of its files.
    pub endings: &'static [&'static str],
    /// Names that no project for this version has.
    pub sure: &'static [Renamed],
    /// Names that a project may also use for something unrelated.
    pub likely: &'static [Renamed],
}

pub(super) const RUST: Names = Names {
    endings: &[".rs"],
    sure: &[
        ("FilesElseNext", "Selection::of(list).or_next().into()"),
        ("Resolution::Files", "Resolution::files(list)"),
        ("Resolution::Content", "Resolution::content(content)"),
        ("Resolution::Rendered", "Resolution::rendered(key)"),
        ("Verdict::Drop", "Verdict::Drop(reason)"),
        ("kv::Shared", "kv::Keys::shared(name)"),
        ("kv::Error", "Error, and error.is(code::QUOTA) and the like"),
        ("files::Error", "Error, and error.is(code::NOT_A_FILE) and the like"),
        ("sinks::Error", "Error, and error.is(code::FULL) and the like"),
        ("metrics::Error", "Error, and error.is(code::QUOTA) and the like"),
        ("upload::Error", "Error, and error.is(code::…)"),
        ("MacSource::", "mac_source::…"),
        ("Happening::", "EventKind::…, in event.kind"),
        ("verdict_by", "decided_by"),
        ("tuffet_sdk::Limits", "tuffet_sdk::Profile"),
    ],
    likely: &[
        ("Limits", "Profile, whose ceilings are SessionValues { … }"),
        ("Outcome::", "outcome::…"),
        ("Decision::", "decision::…"),
        ("client.macs", "client.network_macs(), has_mac(…) or claimed_macs()"),
        ("upload.bytes", "upload.size"),
        ("metadata.bytes", "metadata.size"),
        ("summary.request", "summary.decided.request"),
        ("summary.bytes", "summary.transferred"),
        ("event.what", "event.kind"),
        ("progress.id", "progress.request_id"),
        ("Acceptance::Rename(path)", "Destination::new(path).into()"),
        ("fn render", "impl Render for …, and `render` in export!"),
        ("metrics::add", "metrics::add(name, by, labels): the labels are last"),
        ("metrics::set", "metrics::set(name, value, labels): the labels are last"),
    ],
};

pub(super) const PYTHON: Names = Names {
    endings: &[".py"],
    sure: &[
        ("FilesElseNext", "Serve(target, else_next=True)"),
        ("Allow(blksize", "Allow(Profile(ceilings=SessionValues(blksize=…)))"),
        ("Allow(windowsize", "Allow(Profile(ceilings=SessionValues(windowsize=…)))"),
        ("Allow(timeout", "Allow(Profile(ceilings=SessionValues(timeout=…)))"),
        ("Allow(bytes", "Allow(Profile(max_size=…))"),
        ("Files(Target(", "Target(root, path), or Serve(…) of several"),
        ("Drop()", "Drop(\"reason\")"),
        ("in client.macs", "in client.macs.network, or client.has_mac(…)"),
        ("verdict_by", "decided_by"),
    ],
    likely: &[
        ("except Denied", "except HostError as error, with error.code == Code.NOT_GRANTED and the like"),
        ("except Full", "except HostError as error, with error.code == Code.FULL"),
        ("except Quota", "except HostError as error, with error.code == Code.QUOTA"),
        ("except Invalid", "except HostError as error, with error.code == Code.BAD_ARGUMENT"),
        ("except TooLarge", "except HostError as error, with error.code == Code.TOO_LARGE"),
        ("except NoAnswer", "except HostError as error, with error.code == Code.UNAVAILABLE"),
        ("upload.bytes", "upload.size"),
        ("event.what", "event.kind"),
        ("end.bytes", "end.transferred"),
        ("progress.id", "progress.request_id"),
    ],
};

pub(super) const JS: Names = Names {
    endings: &[".ts", ".js", ".mts", ".mjs"],
    sure: &[
        ("filesElseNext", "Resolution.serve([Candidate.file(…)], { elseNext: true })"),
        ("Verdict.drop()", "Verdict.drop(reason)"),
        ("allow({ blksize", "allow({ ceilings: { blksize }, … })"),
        ("allow({ windowsize", "allow({ ceilings: { windowsize }, … })"),
        ("allow({ timeout", "allow({ ceilings: { timeout }, … })"),
        ("allow({ bytes", "allow({ maxSize })"),
        ("client.macs.some", "client.hasMac(…)"),
        ("of client.macs", "of client.macs.network, where client.macs is not undefined"),
        ("verdictBy", "decidedBy"),
        ("kv.Shared", "kv.shared(name)"),
        ("uploads.read", "upload.read"),
        ("instanceof Denied", "instanceof HostError && error.code === \"not-granted\" and the like"),
    ],
    likely: &[
        ("instanceof Full", "instanceof HostError && error.code === \"full\""),
        ("instanceof Quota", "instanceof HostError && error.code === \"quota\""),
        ("instanceof Invalid", "instanceof HostError && error.code === \"bad-argument\""),
        ("instanceof TooLarge", "instanceof HostError && error.code === \"too-large\""),
        ("instanceof NoAnswer", "instanceof HostError && error.code === \"unavailable\""),
        ("request.attributes", "request.attribute(name), request.arrival or client.lease"),
        ("upload.bytes", "upload.size"),
        ("progressed.id", "progressed.requestId"),
        ("Limits", "Profile"),
    ],
};

pub(super) const GO: Names = Names {
    endings: &[".go"],
    sure: &[
        ("tuffet.Limits", "tuffet.Profile{Ceilings: tuffet.SessionValues{…}, MaxSize: …}"),
        ("FilesElseNext(", "Files(targets…).ElseNext()"),
        ("NamedContent(", "Content(data).Named(name)"),
        ("tuffet.Expiring(", "content.Expiring(ttl)"),
        ("tuffet.Drop()", "tuffet.Drop(reason)"),
        ("tuffet.Answer", "tuffet.Verdict or tuffet.Resolution"),
        ("range request.Client.MACs", "range request.Client.MACs.Network, or Client.HasMAC(…)"),
        ("tuffet.HostError", "tuffet.Error"),
        ("ErrDenied", "ErrNotGranted, ErrWrongPhase, ErrBadPath or ErrNotAFile"),
        ("ErrInvalid", "ErrBadArgument or ErrExhausted"),
        ("ErrNoAnswer", "ErrUnavailable"),
        ("VerdictBy", "DecidedBy, a string"),
    ],
    likely: &[
        ("upload.Bytes", "upload.Size"),
        ("progress.ID", "progress.RequestID"),
        ("end.Bytes", "end.Transferred"),
        ("tuffet.Started", "tuffet.DecidedRequest"),
        ("tuffet.Progressed", "tuffet.Progress"),
        ("tuffet.Finished", "tuffet.Summary"),
        ("ErrFull", "ErrQuota, where it is about metrics"),
    ],
};

pub(super) const C: Names = Names {
    endings: &[".c", ".h"],
    sure: &[
        ("tuffet_verdict_drop()", "tuffet_verdict_drop(reason)"),
        ("(tuffet_verdict){0}", "tuffet_verdict_abstain()"),
        ("(tuffet_resolution){0}", "tuffet_resolution_abstain()"),
        ("(tuffet_acceptance){0}", "tuffet_acceptance_abstain()"),
        ("tuffet_limits", "tuffet_profile"),
        ("refuse_option_count", "refuse_options.count"),
        ("tuffet_resolution_files_else_next", "tuffet_resolution_files(…), then answer.else_next = true"),
        ("tuffet_resolution_named_content", "tuffet_resolution_content(name, data, length)"),
        ("mac_count", "client.macs->network.count"),
        ("== TUFFET_LEASE_FILE", "!strcmp(mac.source, TUFFET_LEASE_FILE)"),
        ("== TUFFET_OUTCOME_", "!strcmp(end->outcome, TUFFET_OUTCOME_…)"),
        ("verdict_by", "decided_by"),
        ("TUFFET_DENIED", "TUFFET_NOT_GRANTED, _WRONG_PHASE, _BAD_PATH or _NOT_A_FILE"),
        ("TUFFET_INVALID", "TUFFET_BAD_ARGUMENT or TUFFET_EXHAUSTED"),
        ("TUFFET_NO_ANSWER", "TUFFET_UNAVAILABLE"),
        ("tuffet_test_put_upload", "tuffet_test_upload(root, path, text)"),
    ],
    likely: &[
        ("upload->bytes", "upload->size"),
        ("metadata.bytes", "metadata.size"),
        ("profile.blksize", "profile.ceilings.blksize"),
        ("profile.windowsize", "profile.ceilings.windowsize"),
        ("profile.timeout", "profile.ceilings.timeout"),
        ("profile.bytes", "profile.max_size"),
        ("progress->id", "progress->request_id"),
        ("end->bytes", "end->transferred"),
    ],
};

/// Of case files, beside those of the language.
pub(super) const CASES: Names = Names {
    endings: &["cases.yaml"],
    sure: &[
        ("files-else-next:", "files: […], else-next: true"),
        ("allow: { blksize", "allow: { ceilings: { blksize: … } }"),
        ("allow: { windowsize", "allow: { ceilings: { windowsize: … } }"),
        ("allow: { bytes", "allow: { max-size: … }"),
        ("verdict-by:", "decided-by"),
        ("expect: drop", "expect: { drop: reason }"),
    ],
    likely: &[("bytes:", "max-size in answers, transferred in events")],
};
