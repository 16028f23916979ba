"""The stand-ins of native tests answer as the server does."""

from tuffet import Abstain, Allow, Denied, Invalid, Plugin, Problem, Problems, TooLarge, files, http, kv, log, sinks
from tuffet import testing


class Tests(testing.Case):
    def test_keys(self) -> None:
        self.assertIsNone(kv.get("a"))
        kv.set("a", "größe")
        self.assertEqual(kv.get("a"), "größe".encode())
        with self.assertRaises(Invalid):
            kv.increment("a")
        kv.delete("a")
        kv.delete("a")
        self.assertEqual([kv.increment("a", 3, ttl=60), kv.increment("a", -5)], [3, -2])
        most = (1 << 63) - 1
        self.assertEqual([kv.increment("b", most), kv.increment("b")], [most, most])
        for bad in (lambda: kv.increment("a", 1 << 63), lambda: kv.set("a", b"", ttl=-1)):
            self.assertRaises(ValueError, bad)

    def test_files(self) -> None:
        testing.put_file("boot", "a/b", "\ufeffcontent")
        self.assertEqual(files.read_text("boot", "a/b"), "content")
        found = files.stat("boot", "a/b")
        assert found
        self.assertEqual(found.bytes, 10)
        with self.assertRaises(TooLarge) as raised:
            files.read("boot", "a/b", 9)
        self.assertEqual(raised.exception.bytes, 10)
        self.assertIsNone(files.read("boot", "a"))
        self.assertIsNone(files.read_text("boot", "a"))
        self.assertIsNone(files.stat("boot", "a"))

    def test_sinks(self) -> None:
        sinks.emit("audit", {"a": ["é", None]})
        sinks.emit_line("other", "1")
        self.assertEqual(testing.take_emitted("audit"), [{"a": ["é", None]}])
        self.assertEqual(testing.take_emitted("audit"), [])
        self.assertEqual(testing.take_emitted("other"), [1])

    def test_http(self) -> None:
        there = http.Response(200, b"there")
        testing.put_response("http://a/b", there)
        self.assertEqual(http.get("http://a/b", 5), there)
        self.assertRaises(TooLarge, http.get, "http://a/b", 4)
        self.assertRaises(Denied, http.get, "http://a/c")
        for bad in ("a/b", "ftp://a/", "http://", "http:///b", "http://[::1/"):
            self.assertRaises(Invalid, http.get, bad)

    def test_log(self) -> None:
        log.info("counted", count=3)
        log.error("broken")
        self.assertEqual(testing.take_logged(), [("info", "counted", {"count": "3"}), ("error", "broken", {})])

    def test_requests(self) -> None:
        request = testing.request("a", macs=["02:00:5e:10:00:01"], options={"tsize": "0"})
        self.assertEqual((request.option("tsize"), request.option("blksize")), ("0", None))
        self.assertEqual(request.client.macs[0].source, "neighbour-table")
        self.assertEqual(testing.upload("a", "ab").sha256[:8], "fb8e20fc")

    def test_a_plugin_without_settings_refuses_them(self) -> None:
        class Nothing(Plugin):
            def authorize(self, request):
                return Abstain()

        testing.configured(Nothing)
        with self.assertRaises(Problems) as raised:
            testing.configured(Nothing, {"a/b": 1})
        self.assertEqual(raised.exception.problems, [Problem("/a~1b", "this plugin has no settings")])

    def test_ceilings_are_numbers_that_fit(self) -> None:
        Allow(65535, 0, (1 << 64) - 1)
        for bad in ({"blksize": 65536}, {"windowsize": -1}, {"bytes": 1 << 64}):
            self.assertRaises(ValueError, Allow, **bad)
