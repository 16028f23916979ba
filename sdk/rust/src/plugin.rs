//! The traits that a plugin implements.

use serde::de::DeserializeOwned;

use crate::{
    Acceptance, Candidate, Content, Denial, Destination, ErrorCode, Event, Failure, LargeContent, Problems,
    Profile, RenderError, Rendering, Request, Resolution, Selection, SessionValues, Target, Upload, Verdict,
};

/// The base of every plugin: a value made from its settings.
pub trait Plugin: Sized + 'static {
    /// The plugin's `settings` block of the configuration; `{}` if it is absent. Put
    /// `#[serde(deny_unknown_fields)]` on this type and on the types of its fields, so that a mistyped key is
    /// an error.
    type Settings: DeserializeOwned;

    /// Creates the plugin. The server calls this when it loads the configuration, and again in each new
    /// instance. Without `reuse: true` in the manifest that is before every call, so it should be quick.
    ///
    /// # Errors
    /// The problems of the settings. The server refuses the configuration and shows the line that each
    /// problem points at.
    fn configure(settings: Self::Settings) -> Result<Self, Problems>;
}

/// The hook `authorize`: decides whether the client may make this request.
pub trait Authorize: Plugin {
    /// Decides. A denial ends the chain; an allow stands unless a later plugin denies.
    fn authorize(&self, request: &Request) -> Verdict;
}

/// [`Authorize`] that may fail: a plugin implements one of both.
pub trait TryAuthorize: Plugin {
    /// Decides.
    ///
    /// # Errors
    /// It cannot decide; the server applies `on-error`.
    fn try_authorize(&self, request: &Request) -> Result<Verdict, Failure>;
}

impl<P: Authorize> TryAuthorize for P {
    fn try_authorize(&self, request: &Request) -> Result<Verdict, Failure> {
        Ok(self.authorize(request))
    }
}

/// The hook `resolve`: decides which file or content the client gets.
pub trait Resolve: Plugin {
    /// Decides. The first answer of a chain that is not [`Resolution::Abstain`] stands.
    fn resolve(&self, request: &Request) -> Resolution;
}

/// [`Resolve`] that may fail: a plugin implements one of both.
pub trait TryResolve: Plugin {
    /// Decides.
    ///
    /// # Errors
    /// It cannot decide; the server applies `on-error`.
    fn try_resolve(&self, request: &Request) -> Result<Resolution, Failure>;
}

impl<P: Resolve> TryResolve for P {
    fn try_resolve(&self, request: &Request) -> Result<Resolution, Failure> {
        Ok(self.resolve(request))
    }
}

/// Content that is made once for all requests with the same key: [`Candidate::Rendering`].
pub trait Render: TryResolve {
    /// Makes the content for a key that [`resolve`](Resolve::resolve) answered with, maybe in another instance. The
    /// content may depend on the key, the settings and the grants alone.
    ///
    /// # Errors
    /// All requests that wait for this content get the denial; if the plugin fails, `on-error` decides. Neither is kept.
    fn render(&self, key: &str) -> Result<Rendering, RenderError>;
}

/// Content in parts: what is larger than `limits.content`, or takes longer than a call may. Clients read what there is
/// while the rest is made.
pub trait RenderParts: TryResolve {
    /// Begins the content for a key that [`resolve`](Resolve::resolve) answered with; `None` if
    /// [`render`](Render::render) makes it.
    ///
    /// # Errors
    /// As [`Render::render`].
    fn begin(&self, key: &str) -> Result<Option<LargeContent>, RenderError>;

    /// Makes the bytes from `offset` on: at least one, at most `length`. Called for one part after the other, each time
    /// with the limits of a call, and maybe in another instance: the bytes may depend on the arguments, the settings and
    /// the grants alone.
    ///
    /// # Errors
    /// All transfers of this content end with an ERROR.
    fn part(&self, key: &str, offset: u64, length: u32) -> Result<Vec<u8>, RenderError>;
}

/// The hook `accept-upload`: decides whether an upload may become visible.
pub trait Accept: Plugin {
    /// Decides about an upload that is complete and on disk, before it gets its final name. A denial ends the
    /// chain.
    fn accept_upload(&self, request: &Request, upload: &Upload) -> Acceptance;
}

/// [`Accept`] that may fail: a plugin implements one of both.
pub trait TryAccept: Plugin {
    /// Decides.
    ///
    /// # Errors
    /// It cannot decide; the server applies `on-error`.
    fn try_accept_upload(&self, request: &Request, upload: &Upload) -> Result<Acceptance, Failure>;
}

impl<P: Accept> TryAccept for P {
    fn try_accept_upload(&self, request: &Request, upload: &Upload) -> Result<Acceptance, Failure> {
        Ok(self.accept_upload(request, upload))
    }
}

/// The hook `observe`: receives events.
pub trait Observe: Plugin {
    /// Receives events in batches, after the fact. No transfer waits for this call. Only if it is so slow
    /// that the queue of events fills up, new requests wait.
    fn observe(&self, events: &[Event]);
}

impl SessionValues {
    /// This size of blocks, in bytes.
    pub fn blksize(bytes: u16) -> Self {
        SessionValues { blksize: Some(bytes), ..SessionValues::default() }
    }

    /// This size of windows, in blocks.
    pub fn windowsize(blocks: u16) -> Self {
        SessionValues { windowsize: Some(blocks), ..SessionValues::default() }
    }
}

impl Profile {
    /// At most these values are granted: `Profile::ceiling(SessionValues::blksize(1428))`.
    pub fn ceiling(ceilings: SessionValues) -> Self {
        Profile { ceilings, ..Profile::default() }
    }

    /// A client that negotiates less gets an ERROR.
    pub fn floor(floors: SessionValues) -> Self {
        Profile { floors, ..Profile::default() }
    }
}

impl Denial {
    /// A denial with this code. The client gets at most 200 bytes of `message`; `reason` is logged.
    pub fn new(code: ErrorCode, message: impl Into<String>, reason: impl Into<String>) -> Self {
        Denial { code, message: message.into(), reason: reason.into() }
    }

    /// A denial with code 2 (RFC 1350 section 5).
    pub fn access_violation(message: impl Into<String>, reason: impl Into<String>) -> Self {
        Denial::new(ErrorCode::AccessViolation, message, reason)
    }

    /// A denial with code 1 (RFC 1350 section 5).
    pub fn file_not_found(message: impl Into<String>, reason: impl Into<String>) -> Self {
        Denial::new(ErrorCode::FileNotFound, message, reason)
    }
}

impl Content {
    /// Content with a name for logs and observers: at most 200 bytes of one line. What is longer is cut, and control
    /// characters become spaces.
    pub fn named(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let name = &name[..name.floor_char_boundary(200)];
        Content { name: Some(name.replace(char::is_control, " ")), ..bytes.into().into() }
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Content { name: None, data: bytes, attributes: Vec::new() }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<Content> for Rendering {
    /// A rendering that holds until the configuration is loaded again.
    fn from(content: Content) -> Self {
        Rendering { content, ttl_seconds: None }
    }
}

impl Target {
    /// A path in the root of this name.
    pub fn new(root: impl Into<String>, path: impl Into<String>) -> Self {
        Target { root: root.into(), path: path.into() }
    }
}

impl From<Target> for Candidate {
    fn from(target: Target) -> Self {
        Candidate::File(target)
    }
}

impl From<Content> for Candidate {
    fn from(content: Content) -> Self {
        Candidate::Content(content)
    }
}

impl Candidate {
    /// A path in the root of this name, if there is a file.
    pub fn file(root: impl Into<String>, path: impl Into<String>) -> Self {
        Target::new(root, path).into()
    }

    /// The content that [`Render`] or [`RenderParts`] makes for this key, of 1 to 1024 bytes.
    pub fn rendering(key: impl Into<String>) -> Self {
        Candidate::Rendering(key.into())
    }
}

/// The machine's own file, and otherwise one that is generated:
///
/// ```
/// # use tuffet_sdk::{Candidate, Content, Resolution, Selection, Target};
/// # let (path, text) = ("pxelinux.cfg/default", String::new());
/// let own = Selection::of([Candidate::file("boot", path), Content::from(text).into()]);
/// let answer = Resolution::Serve(own);
/// ```
impl Selection {
    /// The first of these that exists.
    pub fn of<C: Into<Candidate>>(candidates: impl IntoIterator<Item = C>) -> Self {
        let candidates = candidates.into_iter().map(Into::into).collect();
        Selection { candidates, else_next: false, profile: None }
    }

    /// If none of them exists, the next plugin decides, and at the end the path is looked up in the roots.
    #[must_use]
    pub fn or_next(self) -> Self {
        Selection { else_next: true, ..self }
    }

    /// Sent in this way.
    #[must_use]
    pub fn with(self, profile: Profile) -> Self {
        Selection { profile: Some(profile), ..self }
    }
}

impl From<Selection> for Resolution {
    fn from(selection: Selection) -> Self {
        Resolution::Serve(selection)
    }
}

impl Resolution {
    /// The first of these files that exists.
    pub fn files(targets: impl IntoIterator<Item = Target>) -> Self {
        Selection::of(targets).into()
    }

    /// This content.
    pub fn content(content: impl Into<Content>) -> Self {
        Selection::of([content.into()]).into()
    }

    /// The content that [`Render`] or [`RenderParts`] makes for this key, of 1 to 1024 bytes.
    pub fn rendered(key: impl Into<String>) -> Self {
        Selection::of([Candidate::rendering(key)]).into()
    }
}

impl Destination {
    /// A path in the root of the upload.
    pub fn new(path: impl Into<String>) -> Self {
        Destination { path: path.into(), next_free: false }
    }

    /// Where there is such a file already, under the first free one of the names `PATH.1` to `PATH.999`.
    #[must_use]
    pub fn or_next_free(self) -> Self {
        Destination { next_free: true, ..self }
    }
}

impl From<Destination> for Acceptance {
    fn from(destination: Destination) -> Self {
        Acceptance::Rename(destination)
    }
}
