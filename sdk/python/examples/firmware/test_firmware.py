"""Run natively: python3 -m unittest"""

from firmware import Firmware

from tuffet import Abstain, Deny, ErrorCode, Problem, Problems, Resolution, Target, testing

TABLE = """\
model,clients,file
ap,10.0.9.0/24,new.bin
ap,any,old.bin
phone,,phone.bin
"""


class Tests(testing.Case):
    def setUp(self) -> None:
        super().setUp()
        testing.put_file("boot", "models.csv", TABLE)

    def ask(self, path: str, client: str = "192.0.2.1") -> Resolution:
        return testing.configured(Firmware, {"root": "boot"}).resolve(testing.request(path, client=client))

    def test_the_first_row_that_fits_counts(self) -> None:
        self.assertEqual(self.ask("firmware/ap.bin", "10.0.9.7"), Target("boot", "new.bin"))
        self.assertEqual(self.ask("firmware/ap.bin"), Target("boot", "old.bin"))
        self.assertEqual(self.ask("firmware/phone.bin", "2001:db8::1"), Target("boot", "phone.bin"))

    def test_other_files_are_not_its_business(self) -> None:
        for path in ("ap.bin", "firmware/ap.txt", "firmware/old/ap.bin"):
            self.assertEqual(self.ask(path), Abstain())

    def test_a_model_without_a_row_gets_none(self) -> None:
        answer = self.ask("firmware/toaster.bin")
        assert isinstance(answer, Deny)
        self.assertEqual(answer.code, ErrorCode.FILE_NOT_FOUND)

    def test_a_byte_order_mark_and_windows_lines_are_read(self) -> None:
        testing.put_file("boot", "models.csv", "\ufeff" + TABLE.replace("\n", "\r\n"))
        self.assertEqual(self.ask("firmware/ap.bin"), Target("boot", "old.bin"))

    def test_what_is_wrong_with_the_table_is_found_by_check(self) -> None:
        for table, said in (
            (TABLE + "ap,nobody,x\n,any,y\n", "models.csv:5: 'nobody' does not appear to be"),
            ("a,b\n", "the first line must be model,clients,file"),
        ):
            testing.put_file("boot", "models.csv", table)
            with self.assertRaises(Problem) as raised:
                self.ask("firmware/ap.bin")
            self.assertEqual(raised.exception.pointer, "/table")
            self.assertIn(said, raised.exception.message)
        with self.assertRaises(Problem):
            testing.configured(Firmware, {"root": "boot", "table": "other.csv"})

    def test_what_becomes_wrong_later_costs_only_its_row(self) -> None:
        plugin = testing.configured(Firmware, {"root": "boot"})
        testing.put_file("boot", "models.csv", TABLE + "ap,nobody,x\n")
        answer = plugin.resolve(testing.request("firmware/ap.bin"))
        self.assertEqual(answer, Target("boot", "old.bin"))
        ((level, line, _),) = testing.take_logged()
        self.assertEqual((level, line.startswith("models.csv:5: ")), ("warn", True))

    def test_settings_point_at_what_is_wrong(self) -> None:
        with self.assertRaises(Problems) as raised:
            testing.configured(Firmware, {"root": 1, "tabel": "x"})
        pointers = [problem.pointer for problem in raised.exception.problems]
        self.assertEqual(pointers, ["/root", "/tabel"])
