"""The reference guest natively: python3 -m unittest"""

import json
from typing import Any

from reference import Reference

from tuffet import (
    Abstain,
    Allow,
    Arrival,
    Content,
    Deny,
    Drop,
    Event,
    Finished,
    LargeContent,
    Lease,
    Other,
    Outcome,
    Problems,
    Profile,
    Rename,
    Rendered,
    Rendering,
    Serve,
    SessionValues,
    Target,
    Whole,
    testing,
)


def rule(hook: str, path: str, answer: object, *do: list[object]) -> dict[str, object]:
    return {"hook": hook, "path": path, "answer": answer, "do": do}


class Tests(testing.Case):
    def test_verdicts(self) -> None:
        profile = {"ceilings": {"blksize": 512}, "floors": {"windowsize": 4}, "rate": 2048, "refuse-options": ["tsize"]}
        rules = [rule("authorize", "a*", {"allow": profile}), rule("authorize", "d", {"drop": "r"})]
        plugin = testing.configured(Reference, {"rules": rules})
        ceilings, floors = SessionValues(blksize=512), SessionValues(windowsize=4)
        allowed = Allow(Profile(ceilings=ceilings, floors=floors, rate=2048, refuse_options=["tsize"]))
        self.assertEqual(plugin.authorize(testing.request("abc")), allowed)
        self.assertEqual(plugin.authorize(testing.request("b")), Abstain())
        self.assertEqual(plugin.authorize(testing.request("d")), Drop("r"))

    def test_resolutions(self) -> None:
        candidates = ["boot:x:y", {"rendering": "menu/{path}"}, {"bytes": 257}, {"content": "c", "name": "n"}]
        more = {"candidates": [], "else-next": True, "profile": {"max-size": 7, "attributes": {"a": "b"}}}
        rules = [
            rule("resolve", "a", {"serve": {"candidates": candidates}}),
            rule("resolve", "b", {"serve": more}),
            rule("resolve", "c", {"drop": "r"}),
        ]
        plugin = testing.configured(Reference, {"rules": rules})
        content = Content(bytes(range(256)) + b"\0")
        served = Serve(Target("boot", "x:y"), Rendered("menu/a"), content, Content("c", "n"))
        self.assertEqual(plugin.resolve(testing.request("a")), served)
        profile = Profile(max_size=7, attributes={"a": "b"})
        self.assertEqual(plugin.resolve(testing.request("b")), Serve(else_next=True, profile=profile))
        self.assertEqual(plugin.resolve(testing.request("c")), Drop("r"))

    def test_acceptances(self) -> None:
        renames = {"rename": {"path": "{sha256}", "next-free": True}}
        plugin = testing.configured(Reference, {"rules": [rule("accept-upload", "a", renames)]})
        upload = testing.upload("a", "ab")
        self.assertEqual(plugin.accept_upload(testing.request("a"), upload), Rename(upload.sha256, next_free=True))

    def test_renderings(self) -> None:
        renders = {"a": {"do": [["kv-add", None, "n", 1]], "ttl-seconds": 9}, "b": {"bytes": 2, "name": "n"}}
        plugin = testing.configured(Reference, {"renders": renders})
        self.assertEqual(plugin.render("a"), Rendering(Content("[1]"), 9))
        self.assertEqual(plugin.render("b"), Rendering(Content(b"\0\1", "n")))
        self.assertIsInstance(plugin.render("c"), Deny)

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

    def told(self, *do: list[object], **request: Any) -> Any:
        plugin = testing.configured(Reference, {"rules": [rule("authorize", "a", "tell", *do)]})
        told = plugin.authorize(testing.request("a", **request))
        assert isinstance(told, Deny)
        return json.loads(told.reason)

    def test_commands(self) -> None:
        testing.put_file("boot", "f", "text")
        came_to = self.told(
            ["kv-add", "shared", "n", 2],
            ["read", "boot", "f", 3],
            ["read-at", "boot", "f", 1, 9],
            ["read-version", "boot", "f", "other", 1, 9],
            ["emit", "out", [1]],
            ["log", "warn", "m", {"a": "b"}],
        )
        self.assertEqual(came_to, [2, {"error": "too-large"}, "ext", {"error": "changed"}, None, None])
        self.assertEqual(testing.take_emitted("out"), [[1]])
        self.assertEqual(testing.take_logged(), [("warn", "m", {"a": "b"})])

    def test_requests(self) -> None:
        (shown,) = self.told(["request"])
        self.assertEqual((shown["arrival"], shown["lease"], shown["macs"]), (None, None, None))
        mac = "02:00:5e:10:00:01"
        shown, has = self.told(
            ["request"], ["has-mac", mac.upper()], macs=[mac], lease=Lease(client_id="01"), arrival=Arrival(vlan=7)
        )
        self.assertEqual(shown["arrival"], {"address": None, "interface-name": None, "vlan": 7})
        self.assertEqual((shown["lease"]["client-id"], shown["lease"]["age"]), ("01", 0))
        self.assertEqual((shown["macs"], has), ({"claimed": [], "network": [[mac, "neighbour-table"]]}, True))

    def test_problems(self) -> None:
        with self.assertRaises(Problems) as raised:
            testing.configured(Reference, {"rules": [rule("resolve", "", "accept")]})
        pointers = [problem.pointer for problem in raised.exception.problems]
        self.assertEqual(pointers, ["/rules/0/path", "/rules/0/answer"])

    def test_events(self) -> None:
        plugin = testing.configured(Reference, {"observe": "out"})
        end = Finished(testing.request("a"), Target("boot", "a"), outcome=Outcome.SERVED, transferred=7)
        plugin.observe([Event(1, 5, end), Event(2, 6, Other("paused"))])
        line, other = testing.take_emitted("out")
        self.assertEqual((line["outcome"], line["transferred"], line["ms"]), ("served", 7, 5))
        self.assertEqual((line["resolved"], line["sequence"]), ({"file": ["boot", "a"]}, 1))
        self.assertEqual(other, {"attributes": {}, "ms": 6, "other": "paused", "request-id": None, "sequence": 2})
