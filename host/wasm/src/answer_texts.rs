//! The texts in the answers of plugins, and what becomes of secrets there: a service that a plugin asks may send back the
//! login that it was asked with.
//!
//! Every answer passes here, before anything reads it. Texts that people read have a mark in the place of a secret. Names
//! that have an effect cannot, and they are logged: such an answer is invalid. What a plugin makes for the client is its
//! own: it may be given a secret for that.

use std::borrow::Cow;

use super::bindings::contents::Content;
use super::bindings::types::{Denial, Profile};
use super::bindings::{accept_upload, authorize, render, render_parts, resolve};
use tuffet_config::PluginSecrets;
use tuffet_policy::{Cause, Failure};

/// A text in an answer.
pub(super) enum Text<'a> {
    /// For people: messages, reasons, names of contents.
    Shown(&'a mut String),
    /// It has an effect: a name that is looked up.
    Used(&'a str),
}

/// The answer of a hook.
pub(super) trait Answer {
    /// Calls `visit` for each text.
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>));
}

/// Returns the answer without secrets.
///
/// # Errors
/// A name in it contains one.
pub(super) fn without_secrets<T: Answer>(mut answer: T, secrets: &PluginSecrets) -> Result<T, Failure> {
    if secrets.is_empty() {
        return Ok(answer);
    }
    let mut found = None;
    answer.texts(&mut |text| match text {
        Text::Shown(text) => {
            hide(text, secrets);
        }
        Text::Used(name) => found = found.take().or_else(|| secrets.found_in(name).map(str::to_owned)),
    });
    match found {
        None => Ok(answer),
        Some(secret) => {
            let detail = format!(
                "it answered with a root, path, key or label that contains its secret `{secret}`, and those are logged; if \
                 this is no secret, write it below `settings`"
            );
            Err(Failure::new(Cause::BadAnswer, detail))
        }
    }
}

/// Replaces secrets in a text. Returns whether there were any.
pub(super) fn hide(text: &mut String, secrets: &PluginSecrets) -> bool {
    let Cow::Owned(hidden) = secrets.hidden_in(text) else { return false };
    *text = hidden;
    true
}

impl Answer for () {
    fn texts(&mut self, _: &mut dyn FnMut(Text<'_>)) {}
}

impl<T: Answer> Answer for Option<T> {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        if let Some(its) = self {
            its.texts(visit);
        }
    }
}

impl<T: Answer, E: Answer> Answer for Result<T, E> {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        match self {
            Ok(its) => its.texts(visit),
            Err(its) => its.texts(visit),
        }
    }
}

/// The text of a failure, which whoever logs it [hides](hide).
impl Answer for String {
    fn texts(&mut self, _: &mut dyn FnMut(Text<'_>)) {}
}

impl Answer for Denial {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        let Denial { code: _, message, reason } = self;
        visit(Text::Shown(message));
        visit(Text::Shown(reason));
    }
}

impl Answer for Profile {
    /// An unknown word is refused, and shown.
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        self.refuse_options.iter_mut().for_each(|name| visit(Text::Shown(name)));
        attributes(&mut self.attributes, visit);
    }
}

impl Answer for Content {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        let Content { name, data: _, attributes: its } = self;
        name.iter_mut().for_each(|name| visit(Text::Shown(name)));
        attributes(its, visit);
    }
}

impl Answer for authorize::LabelledVerdict {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        self.verdict.texts(visit);
        self.label.iter().for_each(|label| visit(Text::Used(label)));
    }
}

impl Answer for resolve::LabelledResolution {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        self.resolution.texts(visit);
        self.label.iter().for_each(|label| visit(Text::Used(label)));
    }
}

impl Answer for authorize::Verdict {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        match self {
            authorize::Verdict::Abstain => {}
            authorize::Verdict::Allow(profile) => profile.texts(visit),
            authorize::Verdict::Deny(denial) => denial.texts(visit),
            authorize::Verdict::Drop(reason) => visit(Text::Shown(reason)),
        }
    }
}

impl Answer for resolve::Resolution {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        match self {
            resolve::Resolution::Abstain => {}
            resolve::Resolution::Serve(selection) => {
                selection.profile.texts(visit);
                for candidate in &mut selection.candidates {
                    match candidate {
                        resolve::Candidate::File(file) => {
                            visit(Text::Used(&file.root));
                            visit(Text::Used(&file.path));
                        }
                        resolve::Candidate::Content(content) => content.texts(visit),
                        resolve::Candidate::Rendering(key) => visit(Text::Used(key)),
                    }
                }
            }
            resolve::Resolution::Deny(denial) => denial.texts(visit),
            resolve::Resolution::Drop(reason) => visit(Text::Shown(reason)),
        }
    }
}

impl Answer for render::Rendered {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        match self {
            render::Rendered::Rendering(rendering) => rendering.content.texts(visit),
            render::Rendered::Deny(denial) => denial.texts(visit),
        }
    }
}

impl Answer for render_parts::Beginning {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        match self {
            render_parts::Beginning::Parts(large) => {
                large.name.iter_mut().for_each(|name| visit(Text::Shown(name)));
                attributes(&mut large.attributes, visit);
            }
            render_parts::Beginning::Whole => {}
            render_parts::Beginning::Deny(denial) => denial.texts(visit),
        }
    }
}

impl Answer for render_parts::MadePart {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        match self {
            render_parts::MadePart::Bytes(_) => {}
            render_parts::MadePart::Deny(denial) => denial.texts(visit),
        }
    }
}

impl Answer for accept_upload::Acceptance {
    fn texts(&mut self, visit: &mut dyn FnMut(Text<'_>)) {
        match self {
            accept_upload::Acceptance::Abstain | accept_upload::Acceptance::Accept => {}
            accept_upload::Acceptance::Rename(to) => visit(Text::Used(&to.path)),
            accept_upload::Acceptance::Deny(denial) => denial.texts(visit),
        }
    }
}

fn attributes(attributes: &mut [(String, String)], visit: &mut dyn FnMut(Text<'_>)) {
    for (name, value) in attributes {
        visit(Text::Shown(name));
        visit(Text::Shown(value));
    }
}
