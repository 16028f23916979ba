"""Run natively: PYTHONPATH=sdk/python python3 -m unittest"""

from plugin import Policy, Settings

from tuffet import (
    #% authorize accept-upload
    Deny,
    #% end
    #% observe
    Event,
    Finished,
    Outcome,
    #% end
    Problem,
    #% resolve observe
    Target,
    #% end
    testing,
)

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
    def test_the_schema_is_that_of_the_settings(self) -> None:
        # After a change of the settings: TUFFET_BLESS=1.
        testing.check_settings_schema(Settings)

    def test_a_version_is_needed(self) -> None:
        with self.assertRaises(Problem) as raised:
            testing.configured(Policy, {**SETTINGS, "version": ""})
        self.assertEqual(raised.exception.pointer, "/version")
    #% authorize

    def test_an_old_version_is_denied(self) -> None:
        plugin = testing.configured(Policy, SETTINGS)
        self.assertIsInstance(plugin.authorize(testing.request("firmware/1.4.1.bin")), Deny)
    #% end
    #% resolve

    def test_the_latest_is_the_current_version(self) -> None:
        plugin = testing.configured(Policy, SETTINGS)
        answer = plugin.resolve(testing.request("firmware/latest.bin"))
        self.assertEqual(answer, Target("boot", "firmware/1.4.2.bin"))
    #% end
    #% accept-upload

    def test_an_empty_file_is_not_accepted(self) -> None:
        plugin = testing.configured(Policy, SETTINGS)
        upload = testing.upload("firmware/1.4.3.bin", "")
        self.assertIsInstance(plugin.accept_upload(testing.request(upload.path), upload), Deny)
    #% end
    #% observe

    def test_a_download_is_recorded(self) -> None:
        plugin = testing.configured(Policy, SETTINGS)
        request = testing.request("firmware/latest.bin")
        end = Finished(request, Target("boot", "firmware/1.4.2.bin"), outcome=Outcome.SERVED, transferred=14)
        plugin.observe([Event(1, 0, end)])
        line = {"client": "192.0.2.1", "path": "firmware/latest.bin", "bytes": 14, "current": True}
        self.assertEqual(testing.take_emitted("downloads"), [line])
    #% end
