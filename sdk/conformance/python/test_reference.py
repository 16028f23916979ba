"""The reference guest natively: python3 -m unittest"""

import json

from reference import Reference

from tuffet import (
    Abstain,
    Allow,
    Content,
    Deny,
    Event,
    Files,
    FilesElseNext,
    Finished,
    LargeContent,
    Outcome,
    Problems,
    Rename,
    Rendered,
    Rendering,
    SessionValues,
    Target,
    Whole,
    testing,
)


def rule(hook: str, path: str, answer: object, *do: list[object]) -> dict[str, object]:
    return {"hook": hook, "path": path, "answer": answer, "do": do}


class Tests(testing.Case):
    def test_answers(self) -> None:
        rules = [
            rule("authorize", "a*", {"allow": {"blksize": 512}}),
            rule("resolve", "a", {"files": ["boot:x:y"]}),
            rule("resolve", "b", {"bytes": 257}),
            rule("accept-upload", "a", {"rename": "{sha256}"}),
        ]
        plugin = testing.configured(Reference, {"rules": rules})
        self.assertEqual(plugin.authorize(testing.request("abc")), Allow(blksize=512))
        self.assertEqual(plugin.authorize(testing.request("b")), Abstain())
        self.assertEqual(plugin.resolve(testing.request("a")), Files(Target("boot", "x:y")))
        self.assertEqual(plugin.resolve(testing.request("b")), Content(bytes(range(256)) + b"\0"))
        upload = testing.upload("a", "ab")
        self.assertEqual(plugin.accept_upload(testing.request("a"), upload), Rename(upload.sha256))

    def test_answers_of_0_2_0(self) -> None:
        profile = {"floors": {"windowsize": 4}, "rate": 2048, "refuse-options": ["tsize"]}
        rules = [
            rule("authorize", "a", {"allow": profile}),
            rule("resolve", "a", {"files-else-next": ["boot:x"]}),
            rule("resolve", "b", {"named": {"name": "n", "content": "c"}}),
            rule("resolve", "c", {"rendered": "menu/{path}"}),
        ]
        renders = {"menu/c": {"do": [["kv-add", "n", 1]], "ttl-seconds": 9}, "d": {"bytes": 2, "name": "n"}}
        plugin = testing.configured(Reference, {"rules": rules, "renders": renders})
        allowed = Allow(floors=SessionValues(windowsize=4), rate=2048, refuse_options=("tsize",))
        self.assertEqual(plugin.authorize(testing.request("a")), allowed)
        self.assertEqual(plugin.resolve(testing.request("a")), FilesElseNext(Target("boot", "x")))
        self.assertEqual(plugin.resolve(testing.request("b")), Content("c", "n"))
        self.assertEqual(plugin.resolve(testing.request("c")), Rendered("menu/c"))
        self.assertEqual(plugin.render("menu/c"), Rendering(Content("[1]"), 9))
        self.assertEqual(plugin.render("d"), Rendering(Content(b"\0\1", "n")))
        self.assertIsInstance(plugin.render("e"), Deny)

    def test_content_in_parts(self) -> None:
        renders = {
            "a": {"parts": 600, "name": "n", "ttl-seconds": 9, "part-bytes": 3, "ends-at": 300},
            "b": {"content": "text"},
        }
        plugin = testing.configured(Reference, {"renders": renders})
        self.assertEqual(plugin.begin("a"), LargeContent(600, name="n", ttl=9))
        self.assertEqual(plugin.begin("b"), Whole())
        self.assertIsInstance(plugin.begin("c"), Deny)
        self.assertEqual(plugin.part("a", 250, 100), bytes([250, 0, 1]))
        self.assertIsInstance(plugin.part("a", 300, 100), Deny)

    def test_commands(self) -> None:
        testing.put_file("boot", "f", "text")
        do = [["kv-add", "n", 2], ["read", "boot", "f", 3], ["emit", "out", [1]], ["log", "warn", "m", {"a": "b"}]]
        plugin = testing.configured(Reference, {"rules": [rule("authorize", "a", "tell", *do)]})
        told = plugin.authorize(testing.request("a"))
        assert isinstance(told, Deny)
        self.assertEqual(json.loads(told.reason), [2, {"error": "too-large"}, None, None])
        self.assertEqual(testing.take_emitted("out"), [[1]])
        self.assertEqual(testing.take_logged(), [("warn", "m", {"a": "b"})])

    def test_problems(self) -> None:
        with self.assertRaises(Problems) as raised:
            testing.configured(Reference, {"rules": [rule("resolve", "", "drop")]})
        pointers = [problem.pointer for problem in raised.exception.problems]
        self.assertEqual(pointers, ["/rules/0/path", "/rules/0/answer"])

    def test_events(self) -> None:
        plugin = testing.configured(Reference, {"observe": "out"})
        plugin.observe([Event(5, Finished(testing.request("a"), Outcome.SERVED, bytes=7))])
        (line,) = testing.take_emitted("out")
        self.assertEqual((line["outcome"], line["bytes"], line["ms"]), ("served", 7, 5))
