"""The stand-ins of native tests answer as the server does."""

from collections.abc import Callable
from typing import Any

from tuffet import (
    label,
    Abstain,
    Allow,
    Code,
    Content,
    HostError,
    LargeContent,
    Mac,
    MacSource,
    Operation,
    Outcome,
    PastRequest,
    Plugin,
    Problem,
    Problems,
    Profile,
    Rendering,
    Request,
    SessionValues,
    Verdict,
    files,
    history,
    http,
    kv,
    log,
    metrics,
    sinks,
    testing,
)


class Tests(testing.Case):
    def assert_fails(self, code: Code, call: Callable[..., Any], *arguments: Any) -> None:
        with self.assertRaises(HostError) as raised:
            call(*arguments)
        self.assertEqual((raised.exception.code, str(raised.exception)), (code, raised.exception.message))

    def test_errors(self) -> None:
        self.assertIs(HostError("changed", "it changed").code, Code.CHANGED)
        self.assertEqual(HostError("new-code", "").code, "new-code")

    def test_keys(self) -> None:
        self.assertIsNone(kv.get("a"))
        kv.set("a", "größe")
        self.assertEqual(kv.get("a"), "größe".encode())
        self.assert_fails(Code.BAD_ARGUMENT, kv.increment, "a")
        kv.delete("a")
        kv.delete("a")
        self.assertEqual([kv.increment("a", 3, ttl=60), kv.increment("a", -5)], [3, -2])
        most = (1 << 63) - 1
        self.assertEqual([kv.increment("b", most), kv.increment("b")], [most, most])
        self.assertRaises(ValueError, kv.increment, "a", 1 << 63)
        self.assertRaises(ValueError, kv.set, "a", b"", -1)

    def test_revisions(self) -> None:
        first = kv.swap("a", None, "one")
        assert first
        self.assertEqual(kv.entry("a"), kv.Entry(b"one", first))
        self.assertIsNone(kv.swap("a", None, "two"), "it is there already")
        second = kv.swap("a", first, "two", ttl=60)
        assert second
        self.assertGreater(second, first)
        self.assertIsNone(kv.swap("a", first, "three"), "its revision is another one")
        self.assertEqual(kv.get("a"), b"two")
        self.assertRaises(ValueError, kv.swap, "a", -1, "")

    def test_pages_of_keys(self) -> None:
        for key in ("host/b", "host/a", "other", "host/ä"):
            kv.set(key, "")
        self.assertEqual([its.key for its in kv.list("host/", limit=2)], ["host/a", "host/b"])
        (last,) = kv.list("host/", after="host/b")
        self.assertEqual((last.key, last.value, last.revision), ("host/ä", b"", 4))
        self.assertEqual(kv.list("host/", after="host/ä"), [])
        self.assertEqual(len(kv.list()), 4)
        self.assertEqual([kv.delete_prefix("host/"), kv.delete_prefix("host/")], [3, 0])
        self.assertEqual([its.key for its in kv.list()], ["other"])

    def test_labels(self) -> None:
        label("canary")
        self.assertEqual([testing.take_label(), testing.take_label()], ["canary", None])
        request = testing.request("a", labels={"classify": "canary"})
        self.assertEqual([request.label_of("classify"), request.label_of("other")], ["canary", None])

    def test_shared_namespaces(self) -> None:
        leases = kv.Shared("leases")
        kv.set("a", "mine")
        leases.set("a", "ours")
        self.assertEqual((kv.get("a"), leases.get("a")), (b"mine", b"ours"))
        self.assertEqual((leases.increment("n"), kv.get("n"), kv.Shared("other").get("n")), (1, None, None))
        entry = leases.entry("a")
        assert entry
        self.assertIsNotNone(leases.swap("a", entry.revision, "theirs"))
        self.assertEqual([its.key for its in leases.list()], ["a", "n"])
        leases.delete("a")
        self.assertIsNone(leases.entry("a"))

    def test_metrics(self) -> None:
        metrics.add("hits", labels={"a": "x", "b": "y"})
        metrics.add("hits", 2, {"b": "y", "a": "x"})
        metrics.set("size", 1.5)
        self.assertEqual(testing.metric("hits", {"a": "x", "b": "y"}), 3)
        self.assertEqual((testing.metric("size"), testing.metric("hits")), (1.5, None))
        self.assertRaises(ValueError, metrics.add, "hits", -1)

    def test_history(self) -> None:
        self.assertEqual(history.recent(), [])
        past = PastRequest(Operation.READ, "a", Outcome.TIMED_OUT, 1000)
        testing.put_history(past)
        self.assertEqual(history.recent(), [past])

    def test_the_content_of_an_upload(self) -> None:
        upload = testing.upload("a", "content")
        self.assertEqual((upload.read(3, 2), upload.read(5, 9), upload.read(9, 1)), (b"te", b"nt", b""))
        self.assertRaises(ValueError, upload.read, 0, 1 << 32)
        testing.HOST.reset()
        self.assert_fails(Code.WRONG_PHASE, upload.read, 0, 1)

    def test_files(self) -> None:
        testing.put_file("boot", "a/b", "\ufeffcontent")
        self.assertEqual(files.read_text("boot", "a/b"), "content")
        found = files.stat("boot", "a/b")
        assert found
        self.assertEqual(found.size, 10)
        self.assert_fails(Code.TOO_LARGE, files.read, "boot", "a/b", 9)
        self.assertIsNone(files.read("boot", "a"))
        self.assertIsNone(files.read_text("boot", "a"))
        self.assertIsNone(files.stat("boot", "a"))

    def test_versions_of_files(self) -> None:
        testing.put_file("boot", "a", "content")
        found = files.stat("boot", "a")
        assert found
        self.assertEqual(files.read_at("boot", "a", found.version, 3, 9), b"tent")
        self.assertEqual(files.read_at("boot", "a", found.version, 9, 9), b"")
        self.assertRaises(ValueError, files.read_at, "boot", "a", found.version, 0, 1 << 32)
        testing.put_file("boot", "a", "content")
        self.assert_fails(Code.CHANGED, files.read_at, "boot", "a", found.version, 0, 1)
        self.assert_fails(Code.CHANGED, files.read_at, "boot", "b", found.version, 0, 1)

    def test_sinks(self) -> None:
        sinks.emit("audit", {"a": ["é", None]})
        sinks.emit_line("other", "1")
        self.assertEqual(testing.take_emitted("audit"), [{"a": ["é", None]}])
        self.assertEqual(testing.take_emitted("audit"), [])
        self.assertEqual(testing.take_emitted("other"), [1])
        testing.fill("audit")
        self.assert_fails(Code.FULL, sinks.emit, "audit", 1)

    def test_http(self) -> None:
        there = http.Response(200, b"there")
        testing.put_response("http://a/b", there)
        self.assertEqual(http.get("http://a/b", 5), there)
        self.assert_fails(Code.TOO_LARGE, http.get, "http://a/b", 4)
        self.assert_fails(Code.NOT_GRANTED, http.get, "http://a/c")
        for bad in ("a/b", "ftp://a/", "http://", "http:///b", "http://[::1/"):
            self.assert_fails(Code.BAD_ARGUMENT, http.get, bad)

    def test_log(self) -> None:
        log.info("counted", count=3)
        log.error("broken")
        self.assertEqual(testing.take_logged(), [("info", "counted", {"count": "3"}), ("error", "broken", {})])

    def test_requests(self) -> None:
        request = testing.request("a", options={"tsize": "0"}, attributes={"raw-name": "ff"})
        self.assertEqual((request.option("tsize"), request.option("blksize")), ("0", None))
        self.assertEqual((request.attribute("raw-name"), request.attribute("x")), ("ff", None))
        self.assertEqual((request.client.macs, request.client.lease, request.arrival), (None, None, None))
        self.assertEqual(testing.upload("a", "ab").sha256[:8], "fb8e20fc")

    def test_mac_addresses(self) -> None:
        client = testing.request("a", macs=["02:00:5e:10:00:0a"], claimed=["02:00:5e:10:00:0b"]).client
        for same in ("02:00:5e:10:00:0a", "02-00-5E-10-00-0A", "0200.5e10.000a", "02005E10000A"):
            self.assertTrue(client.has_mac(same), same)
        for other in ("02:00:5e:10:00:0b", "02:00:5e:10:00", ""):
            self.assertFalse(client.has_mac(other), other)
        network, claimed = (
            Mac("02:00:5e:10:00:0a", MacSource.NEIGHBOUR_TABLE),
            Mac("02:00:5e:10:00:0b", MacSource.REQUESTED_NAME),
        )
        self.assertEqual((client.network_macs(), client.claimed_macs()), ([network], [claimed]))
        self.assertEqual(client.any_macs(), [network, claimed])
        self.assertFalse(testing.request("a", macs=[]).client.has_mac("02:00:5e:10:00:0a"))

    def test_a_forgotten_grant_fails_the_call(self) -> None:
        client = testing.request("a").client
        self.assertEqual(client.any_macs(), [])
        for forgotten in (client.network_macs, client.claimed_macs, lambda: client.has_mac("02:00:5e:10:00:0a")):
            with self.assertRaises(RuntimeError) as raised:
                forgotten()
            self.assertIn("does not ask for the grant client-mac", str(raised.exception))

    def test_a_plugin_without_settings_refuses_them(self) -> None:
        class Nothing(Plugin):
            def authorize(self, request: Request) -> Verdict:
                return Abstain()

        testing.configured(Nothing)
        with self.assertRaises(Problems) as raised:
            testing.configured(Nothing, {"a/b": 1})
        self.assertEqual(raised.exception.problems, [Problem("/a~1b", "this plugin has no settings")])

    def test_profiles_have_numbers_that_fit(self) -> None:
        SessionValues(65535, 0, 255)
        Profile(max_size=(1 << 64) - 1)
        for bad in ({"max_size": 1 << 64}, {"burst": 65536}, {"rate": -1}, {"refuse_options": "tsize"}):
            self.assertRaises(ValueError, Profile, **bad)
        for bad in ({"blksize": 65536}, {"windowsize": -1}, {"timeout": 256}):
            self.assertRaises(ValueError, SessionValues, **bad)
        self.assertRaises(ValueError, Rendering, Content(""), -1)
        self.assertRaises(ValueError, LargeContent, -1)
        self.assertRaises(ValueError, LargeContent, 1, ttl=1 << 32)
        self.assertEqual(Profile(refuse_options=["tsize"]), Profile(refuse_options=("tsize",)))
        self.assertEqual(Allow(), Allow(Profile()))

    def test_names_of_content_are_one_line(self) -> None:
        self.assertEqual(Content.named("a\nb\x85", "x"), Content("x", "a b "))
        self.assertEqual(len((Content.named("ä" * 150, "x").name or "").encode()), 200)
        self.assertEqual(Content.named("a" + "ä" * 150, "x").name, "a" + "ä" * 99)
