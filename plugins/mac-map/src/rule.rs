//! One rule: for which requests it is, and which files it knows for them.

use std::collections::BTreeMap;

use tuffet_sdk::{Glob, Operation, Protocol, Request};

use crate::template::Template;
use tuffet_leases::Mac;

pub(crate) struct Rule {
    pub operations: Vec<Operation>,
    /// `None` is every class of client.
    pub classes: Option<Vec<String>>,
    /// `None` is every protocol.
    pub protocols: Option<Vec<Protocol>>,
    /// `None` is every path.
    pub matches: Option<Glob>,
    pub devices: BTreeMap<Mac, Device>,
    pub templates: Vec<Template>,
    pub fallback: Vec<Template>,
}

/// What a device gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Device {
    /// This file.
    File(String),
    /// The asked path in this folder, which ends in `/`.
    Folder(String),
}

impl Rule {
    pub fn applies(&self, request: &Request) -> bool {
        let is_of = |classes: &Vec<String>| classes.contains(&request.client.class);
        self.operations.contains(&request.operation)
            && self.classes.as_ref().is_none_or(is_of)
            && self.protocols.as_ref().is_none_or(|list| list.contains(&request.protocol()))
            && self.matches.as_ref().is_none_or(|glob| request.matches(glob))
    }

    /// The files to try, in order, each once.
    pub fn candidates(&self, request: &Request, macs: &[Mac]) -> Vec<String> {
        let devices = macs.iter().filter_map(|mac| self.devices.get(mac)).map(|device| match device {
            Device::File(path) => path.clone(),
            Device::Folder(folder) => format!("{folder}{}", request.path),
        });
        let templates = macs.iter().flat_map(|mac| {
            self.templates.iter().filter_map(move |template| template.render(request, Some(*mac)))
        });
        let fallback = self.fallback.iter().filter_map(|template| template.render(request, None));

        let mut files = Vec::new();
        for file in devices.chain(templates).chain(fallback) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }
}
