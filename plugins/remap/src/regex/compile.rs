//! From an expression to its automaton.
//!
//! Which groups a match has depends on the order in which the ways through the automaton are preferred. It is
//! that of glibc: the first alternative before the second, unless it is empty, and another repetition before
//! none.

use super::ast::{Ast, Bytes};
use super::program::{Context, Node, Place, Program};

/// The largest automaton: counted repetitions are written out.
const MAX_NODES: usize = 4000;

pub(super) const TOO_LARGE: &str = "the expression is too large: use smaller counts in { }";

pub(super) fn compile(ast: &Ast, groups: u16) -> Result<Program, String> {
    let mut compiler = Compiler { nodes: vec![Node::Match], states: 0, asks: 0, copies: false };
    let start = compiler.emit(ast, 0)?;
    let Compiler { nodes, states, asks, .. } = compiler;
    Ok(Program { nodes, start, groups: groups.into(), states: states.into(), asks: Context(asks) })
}

struct Compiler {
    nodes: Vec<Node>,
    states: u16,
    asks: u8,
    /// Whether a repetition that was written out is written once more.
    copies: bool,
}

impl Compiler {
    fn push(&mut self, node: Node) -> Result<Place, String> {
        if self.nodes.len() == MAX_NODES {
            return Err(TOO_LARGE.into());
        }
        self.nodes.push(node);
        Ok((self.nodes.len() - 1) as Place)
    }

    /// Returns where the expression begins, which goes on at `next`.
    fn emit(&mut self, ast: &Ast, next: Place) -> Result<Place, String> {
        self.emit_marked(ast, next, false)
    }

    /// `optional`: this is what a repetition repeats that may be passed without it.
    fn emit_marked(&mut self, ast: &Ast, next: Place, optional: bool) -> Result<Place, String> {
        match ast {
            Ast::Empty => Ok(next),
            Ast::Bytes(bytes) => self.byte(*bytes, next),
            Ast::Assert(what) => {
                self.asks |= Context::asked_by(*what);
                self.push(Node::Assert { what: *what, next })
            }
            Ast::Group(group, inner) => {
                let close = self.push(Node::Close { group: *group, optional, next })?;
                let inner = self.emit(inner, close)?;
                self.push(Node::Open { group: *group, next: inner })
            }
            Ast::Concat(parts) => parts.iter().rev().try_fold(next, |next, part| self.emit(part, next)),
            Ast::Either(branches) => {
                let mut places = Vec::with_capacity(branches.len());
                for branch in branches {
                    places.push(self.emit(branch, next)?);
                }
                if matches!(branches.first(), Some(Ast::Empty)) {
                    places.swap(0, 1);
                }
                let last = places.pop().unwrap_or(next);
                places
                    .into_iter()
                    .rev()
                    .try_fold(last, |second, first| self.push(Node::Split { first, second }))
            }
            Ast::Repeat { of, least, most, lazy } => {
                let rest = match most {
                    None => self.star(of, next, *least > 0, *lazy)?,
                    Some(most) => self.optional(of, most - least, next, *least > 0, *lazy)?,
                };
                (0..*least).rev().try_fold(rest, |next, copy| self.repeated(of, next, copy > 0, false))
            }
        }
    }

    fn byte(&mut self, bytes: Bytes, next: Place) -> Result<Place, String> {
        let state = self.states;
        self.states += 1;
        self.push(Node::Byte { bytes, state, next })
    }

    /// One of the repetitions of `of`. glibc forgets in copies which groups are optional; `marked`: what is
    /// repeated is marked as such after it was copied.
    fn repeated(&mut self, of: &Ast, next: Place, copy: bool, marked: bool) -> Result<Place, String> {
        let outer = self.copies;
        self.copies |= copy;
        let place = self.emit_marked(of, next, marked && !outer);
        self.copies = outer;
        place
    }

    fn split(&mut self, body: Place, past: Place, lazy: bool) -> Result<Place, String> {
        let (first, second) = if lazy { (past, body) } else { (body, past) };
        self.push(Node::Split { first, second })
    }

    fn star(&mut self, of: &Ast, next: Place, copy: bool, lazy: bool) -> Result<Place, String> {
        let split = self.split(next, next, lazy)?;
        let body = self.repeated(of, split, copy, true)?;
        let (first, second) = if lazy { (next, body) } else { (body, next) };
        self.nodes[usize::from(split)] = Node::Split { first, second };
        Ok(split)
    }

    /// `e{0,3}` is `((e?e)?e)?` in glibc, and `(e(e(e)?)?)?` in Perl. Both match the same; the groups are
    /// those of the first form.
    fn optional(
        &mut self,
        of: &Ast,
        times: u32,
        next: Place,
        copy: bool,
        lazy: bool,
    ) -> Result<Place, String> {
        let mut splits = Vec::new();
        let mut behind = next;
        for left in (1..=times).rev() {
            let split = self.split(next, next, lazy)?;
            // The innermost one, which comes last here, is the original.
            let body = self.repeated(of, behind, copy || left > 1, left == 1)?;
            splits.push((split, behind, body));
            behind = body;
        }
        // The innermost one repeats `e` itself; each other one what is inside of it.
        let mut inner = None;
        for (split, behind, body) in splits.into_iter().rev() {
            let body = inner.unwrap_or(body);
            let (first, second) = if lazy { (behind, body) } else { (body, behind) };
            self.nodes[usize::from(split)] = Node::Split { first, second };
            inner = Some(split);
        }
        Ok(inner.unwrap_or(next))
    }
}
