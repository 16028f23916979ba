//! The section `privileges`.

use super::super::privileges::{Privileges, Who};
use super::super::written;
use super::Resolver;

impl Resolver<'_> {
    pub(super) fn privileges(&mut self, written: written::Privileges) -> Privileges {
        let user = written.user.and_then(|user| self.who("/privileges/user", user));
        let group = written.group.and_then(|group| self.who("/privileges/group", group));
        if group.is_some() && user.is_none() {
            let message = "`group` needs a `user`; add one, or remove it";
            self.wrong("/privileges/group", message);
        }
        let absolute =
            |paths: Vec<std::path::PathBuf>| paths.iter().map(|path| self.absolute(path)).collect();
        Privileges {
            user,
            group,
            seccomp: written.seccomp,
            landlock: written.landlock,
            require: written.require,
            readable: absolute(written.readable),
            writable: absolute(written.writable),
        }
    }

    fn who(&mut self, pointer: &str, who: Who) -> Option<Who> {
        let who = match who {
            Who::Name(name) => Who::of(&name),
            number => number,
        };
        match &who {
            Who::Name(name) if name.trim().is_empty() => {
                self.wrong(pointer, "the name is empty; give a name or a number");
                None
            }
            Who::Number(u32::MAX) => {
                self.wrong(pointer, "4294967295 is not a valid id; give another");
                None
            }
            _ => Some(who),
        }
    }
}
