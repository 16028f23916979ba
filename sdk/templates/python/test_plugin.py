"""Run natively: PYTHONPATH=sdk/python python3 -m unittest"""

from plugin import Policy

from tuffet import Problem, testing

SETTINGS = {
    "version": "1.4.2",
    #% resolve
    "root": "boot",
    #% end
    #% observe
    "sink": "downloads",
    #% end
}


class Tests(testing.Case):
    def test_a_version_is_needed(self) -> None:
        testing.configured(Policy, SETTINGS)
        with self.assertRaises(Problem) as raised:
            testing.configured(Policy, {**SETTINGS, "version": ""})
        self.assertEqual(raised.exception.pointer, "/version")
