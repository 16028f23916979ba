//! From a reference to a component: resolved, verified, and kept.

use std::io;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;
use tokio::time::{Instant as Deadline, timeout_at};
use tuffet_config::{ArtifactReference, RegistrySpec, Sha256Digest, VerifyConfig};

use super::cache::Cache;
use super::client::{Access, Client, Trouble};
use super::manifest::{ACCEPTED, Manifest};
use super::signature::{self, Signature};
use super::{MAX_COMPONENT, Pulled, Registries, longest};

/// The largest manifest that registries have to accept.
const MAX_MANIFEST: u64 = 4 << 20;

/// How a component begins.
const COMPONENT: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];

/// One pull.
struct Pull<'a> {
    reference: &'a ArtifactReference,
    verify: Option<&'a VerifyConfig>,
    spec: RegistrySpec,
    cache: Option<Cache>,
    /// Created when something is missing; `None` if the registry is not to be asked.
    client: Option<OnceCell<Client>>,
    until: Deadline,
}

/// What is to be kept once all of it is verified.
#[derive(Default)]
struct New {
    blobs: Vec<(Sha256Digest, Bytes)>,
    /// The one that was verified, then others.
    signatures: Option<Vec<Signature>>,
}

pub(super) async fn fetch(
    registries: &Registries,
    reference: &ArtifactReference,
    verify: Option<&VerifyConfig>,
) -> Result<Pulled, String> {
    let spec = registries.spec(&reference.registry);
    let pull = Pull {
        reference,
        verify,
        until: Deadline::now() + longest(&spec),
        spec,
        cache: registries.cache.as_deref().map(Cache::at),
        client: registries.online.then(OnceCell::new),
    };
    pull.run().await.map_err(|why| format!("the component {reference} cannot be had: {why}"))
}

impl Pull<'_> {
    async fn run(&self) -> Result<Pulled, String> {
        let started = Instant::now();
        let reference = self.reference;
        let last = match &reference.digest {
            Some(_) => None,
            None => self.cached(|cache, reference| cache.tag(reference)).await.flatten(),
        };
        let pulled = match (&reference.digest, &last) {
            (Some(digest), _) => self.complete(digest, None, None).await,
            (None, Some(last)) if self.client.is_none() => self.complete(last, None, Some(last)).await,
            (None, last) => self.by_tag(last.as_ref()).await,
        };
        let pulled = match (pulled, last) {
            // Whatever answers in the place of the registry: a portal, a proxy, or the registry with something else. A
            // signature that fails is no trouble of the network.
            (Err(trouble), Some(last))
                if self.client.is_some() && !matches!(trouble, Trouble::Unsigned(_)) =>
            {
                let why = self.explain(trouble);
                self.offline(&last, why).await?
            }
            (pulled, _) => pulled.map_err(|trouble| self.explain(trouble))?,
        };
        if !pulled.kept {
            tracing::info!(
                target: "tuffet::policy",
                component = %reference,
                manifest = %pulled.manifest,
                bytes = pulled.component.len(),
                took_ms = started.elapsed().as_millis() as u64,
                "component pulled"
            );
        }
        Ok(pulled)
    }

    /// Asks what the tag stands for now.
    async fn by_tag(&self, last: Option<&Sha256Digest>) -> Result<Pulled, Trouble> {
        let tag = self.reference.tag.as_deref().unwrap_or("latest");
        let bytes = self.ask(format!("manifests/{tag}"), MAX_MANIFEST).await?;
        self.complete(&Sha256Digest::of(&bytes), Some(bytes), last).await
    }

    /// Works from what was pulled last, because the registry does not give what the tag stands for.
    async fn offline(&self, last: &Sha256Digest, why: String) -> Result<Pulled, String> {
        let Pull { reference, verify, spec, cache, until, .. } = self;
        let (spec, cache) = (spec.clone(), cache.clone());
        let offline = Pull { reference, verify: *verify, spec, cache, client: None, until: *until };
        let mut pulled = offline.complete(last, None, Some(last)).await.map_err(|trouble| {
            format!("{why}; and what was pulled last cannot be used: {}", offline.explain(trouble))
        })?;
        pulled.warnings.push(format!(
            "{why}; {reference} stays what was pulled last, sha256:{last}: name that digest to need no registry"
        ));
        Ok(pulled)
    }

    /// Gets the artifact with this digest, verifies it, and keeps what is new. `manifest` is it, if it is known;
    /// `last` what the tag stood for.
    async fn complete(
        &self,
        top: &Sha256Digest,
        manifest: Option<Bytes>,
        last: Option<&Sha256Digest>,
    ) -> Result<Pulled, Trouble> {
        let mut new = New::default();
        let bytes = self.part("manifests", top, MAX_MANIFEST, manifest, &mut new).await?;
        let mut manifest = Manifest::parse(&bytes).map_err(Trouble::Wrong)?;
        if let Some(entry) = manifest.chosen().map_err(Trouble::Wrong)? {
            let digest = entry.digest().map_err(Trouble::Wrong)?;
            let bytes = self.part("manifests", &digest, MAX_MANIFEST, None, &mut new).await?;
            manifest = Manifest::parse(&bytes).map_err(Trouble::Wrong)?;
        }
        if let Some(verify) = self.verify {
            self.verified(verify, top, &mut new).await?;
        }
        let layer = manifest.component().map_err(Trouble::Wrong)?;
        if layer.size > MAX_COMPONENT {
            let size = layer.size;
            return Err(Trouble::Wrong(format!(
                "it has {size} bytes, and a component has at most {MAX_COMPONENT}; check that it is one"
            )));
        }
        let digest = layer.digest().map_err(Trouble::Wrong)?;
        let component = self.part("blobs", &digest, layer.size, None, &mut new).await?;
        if component.len() as u64 != layer.size {
            let (size, its) = (component.len(), layer.size);
            return Err(Trouble::Wrong(format!(
                "it has {size} bytes, and its manifest says {its}; push it again"
            )));
        }
        let kept = new.blobs.is_empty();
        // Loading says what it is instead; a tag is not to stand for it.
        let warning = match component.starts_with(&COMPONENT) {
            true => self.keep(new, top, last).await,
            false => None,
        };
        let config = manifest.config.as_ref().map(|config| config.media_type.clone());
        Ok(Pulled {
            component,
            manifest: top.clone(),
            kept,
            verified: self.verify.is_some(),
            media_types: [config.unwrap_or_default(), layer.media_type.clone()],
            annotations: manifest.annotations.clone(),
            warnings: warning.into_iter().collect(),
        })
    }

    /// Returns a part of the artifact: from the folder, else from the registry.
    async fn part(
        &self,
        kind: &str,
        digest: &Sha256Digest,
        most: u64,
        given: Option<Bytes>,
        new: &mut New,
    ) -> Result<Bytes, Trouble> {
        let its = digest.clone();
        if let Some(content) = self.cached(move |cache, _| cache.blob(&its)).await.flatten() {
            return Ok(content.into());
        }
        let content = match given {
            Some(content) => content,
            None => self.ask(format!("{kind}/sha256:{digest}"), most).await?,
        };
        let (its, text) = (digest.clone(), content.clone());
        let same = spawn_blocking(move || Sha256Digest::of(&text) == its).await.unwrap_or(false);
        if !same {
            let host = &self.spec.host;
            return Err(Trouble::Wrong(format!(
                "{host} sends something else under the digest sha256:{digest}"
            )));
        }
        new.blobs.push((digest.clone(), content.clone()));
        Ok(content)
    }

    /// Requires a signature: one that was kept, else one that the registry has.
    async fn verified(
        &self,
        verify: &VerifyConfig,
        top: &Sha256Digest,
        new: &mut New,
    ) -> Result<(), Trouble> {
        let (name, its) = (self.reference.name(), top.clone());
        let kept = self.cached(move |cache, _| cache.signatures(&its)).await.unwrap_or_default();
        let judged = signature::verify(&kept, verify, &name, top);
        if judged.is_ok() || self.client.is_none() {
            return judged.map(drop).map_err(Trouble::Unsigned);
        }
        let client = self.client().await?;
        let mut found =
            timeout_at(self.until, signature::find(client, top)).await.map_err(|_| self.too_late())??;
        let good = signature::verify(&found, verify, &name, top).map_err(Trouble::Unsigned)?;
        found.swap(0, good);
        new.signatures = Some(found);
        Ok(())
    }

    /// Keeps what is new; returns what an operator should know if that fails.
    async fn keep(&self, new: New, top: &Sha256Digest, last: Option<&Sha256Digest>) -> Option<String> {
        let tagged = self.reference.digest.is_none() && self.client.is_some() && last != Some(top);
        if new.blobs.is_empty() && new.signatures.is_none() && !tagged {
            return None;
        }
        let top = top.clone();
        let kept = self.cached(move |cache, reference| -> io::Result<()> {
            cache.make()?;
            for (digest, content) in &new.blobs {
                cache.put_blob(digest, content)?;
            }
            if let Some(signatures) = &new.signatures {
                cache.put_signatures(&top, signatures)?;
            }
            if tagged {
                cache.put_tag(reference, &top)?;
            }
            cache.sweep();
            Ok(())
        });
        let error = kept.await?.err()?;
        Some(format!(
            "{} is not kept, so that the next start needs the registry again: {error}; let this user write below `state`",
            self.reference
        ))
    }

    /// Works on the folder, on a thread that may block; `None` without one.
    async fn cached<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Cache, &ArtifactReference) -> T + Send + 'static,
    ) -> Option<T> {
        let (cache, reference) = (self.cache.clone()?, self.reference.clone());
        spawn_blocking(move || work(&cache, &reference)).await.ok()
    }

    async fn ask(&self, path: String, most: u64) -> Result<Bytes, Trouble> {
        let client = self.client().await?;
        let got = timeout_at(self.until, client.get(&path, ACCEPTED, most)).await;
        got.map_err(|_| self.too_late())?.map(Bytes::from)
    }

    async fn client(&self) -> Result<&Client, Trouble> {
        match &self.client {
            Some(client) => {
                client.get_or_try_init(async || Client::new(&self.spec, self.reference, Access::Pull)).await
            }
            None => Err(Trouble::Missing),
        }
    }

    fn too_late(&self) -> Trouble {
        Trouble::Away(format!("{} has not sent it within {:?}", self.spec.host, longest(&self.spec)))
    }

    fn explain(&self, trouble: Trouble) -> String {
        match (trouble, &self.client, &self.cache) {
            (
                Trouble::Away(why) | Trouble::Denied(why) | Trouble::Wrong(why) | Trouble::Unsigned(why),
                ..,
            ) => why,
            (Trouble::Missing, Some(_), _) => {
                format!("{} does not have it; correct the reference, or push it", self.spec.host)
            }
            (Trouble::Missing, None, Some(_)) => {
                "it has not been pulled, and nothing is pulled here: `tuffet plugin pull --config FILE` and `tuffet check \
                 --pull FILE` pull it, and so does a start of the server"
                    .into()
            }
            (Trouble::Missing, None, None) => {
                let reference = self.reference;
                format!("nothing is pulled here; `tuffet plugin pull {reference} -o FILE`, and name that file")
            }
        }
    }
}
