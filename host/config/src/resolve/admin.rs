//! The admin listener.

use super::super::address::parse_address;
use super::super::admin::{SHORTEST, UNIX};
use super::super::tree::join;
use super::super::written::{self, SecretText};
use super::super::{Admin, AdminAddress, AdminToken};
use super::Resolver;
use std::path::Path;

const PLACE: &str = "/admin";

impl Resolver<'_> {
    pub(super) fn admin(&mut self, written: &written::Admin) -> Option<Admin> {
        let address = match written.address.strip_prefix(UNIX) {
            Some(path) => AdminAddress::Unix(self.absolute(Path::new(path))),
            None => parse_address(&written.address)
                .map(AdminAddress::Tcp)
                .map_err(|complaint| self.wrong(join(PLACE, "address"), complaint))
                .ok()?,
        };
        let token = match (&written.token, &address) {
            (Some(token), _) => Some(self.token(token)?),
            (None, AdminAddress::Tcp(address)) if !address.ip().is_loopback() => {
                let message = format!(
                    "{address} is not a loopback address, so everyone could look; add `token: ${{NAME}}` or \
                     `token: {{ file: PATH }}`, or listen on `127.0.0.1:{}` or `unix:PATH`",
                    address.port()
                );
                self.wrong(join(PLACE, "address"), message);
                return None;
            }
            (None, _) => None,
        };
        Some(Admin { address, token })
    }

    fn token(&mut self, written: &SecretText) -> Option<AdminToken> {
        let secret = self.secret("/admin/token", written, Some("a token"))?;
        let token = secret.reveal().trim();
        let complaint = if token.len() < SHORTEST {
            format!(
                "the token has {} characters and could be guessed; take at least {SHORTEST}, such as those of \
                 `openssl rand -hex 16`",
                token.len()
            )
        } else if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            "the token is sent in a header, so it must be visible ASCII without spaces; choose another"
                .to_owned()
        } else {
            return Some(AdminToken::new(token));
        };
        self.wrong("/admin/token", complaint);
        None
    }
}
