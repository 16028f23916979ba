"""All of the build but componentize-py itself."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tuffet.build import component, main, project
from tuffet.build.errors import BuildError



class Tests(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def assert_refused(self, *words: str) -> None:
        with self.assertRaises(BuildError) as raised:
            component.build(self.folder)
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_the_form_that_it_shows_is_a_good_one(self) -> None:
        self.assert_refused("pyproject.toml is not there", "[tool.tuffet]")
        self.write("pyproject.toml", project.FORM)
        its = project.read(self.folder)
        self.assertEqual((its.module, its.class_, its.asked), ("firmware", "Firmware", {"files", "client-mac"}))
        manifest = json.loads(its.manifest())
        self.assertEqual((manifest["name"], manifest["version"]), ("firmware", "1.0.0"))
        self.assertEqual(
            manifest["grants"],
            [
                {"grant": "files", "reason": "reads the list of versions"},
                {"grant": "client-mac", "reason": "tells machines apart", "optional": True},
            ],
        )
        self.assertNotIn("empty-batches", manifest)
        self.write("pyproject.toml", project.FORM.replace("[tool.tuffet]\n", "[tool.tuffet]\nempty-batches = true\n"))
        self.assertIs(json.loads(project.read(self.folder).manifest())["empty-batches"], True)
        self.assertNotIn("reuse", manifest)
        self.write("pyproject.toml", project.FORM.replace("[tool.tuffet]\n", "[tool.tuffet]\nreuse = true\n"))
        self.assertIs(json.loads(project.read(self.folder).manifest())["reuse"], True)
        self.assertNotIn("events", manifest)
        self.write("pyproject.toml", project.FORM.replace("[tool.tuffet.gr", 'events = ["finished"]\n[tool.tuffet.gr', 1))
        self.assertEqual(json.loads(project.read(self.folder).manifest())["events"], ["finished"])
        lists = 'facts = ["interface"]\ndepends-on = ["interface", "path"]\n[tool.tuffet.gr'
        self.write("pyproject.toml", project.FORM.replace("[tool.tuffet.gr", lists, 1))
        manifest = json.loads(project.read(self.folder).manifest())
        self.assertEqual((manifest["facts"], manifest["depends-on"]), (["interface"], ["interface", "path"]))

    def test_what_is_wrong_with_the_project_is_told_at_once(self) -> None:
        self.write(
            "pyproject.toml",
            '[project]\nversion = 1\n[tool.tuffet]\nplugin = "it"\nplug = 1\nempty-batches = 1\nevents = ["ended"]\nfacts = [1]\n[tool.tuffet.grants]\ntape = "x"\nkv = " "\n'
            '[tool.tuffet.optional]\nkv = "x"\n',
        )
        self.assert_refused(
            "`name` in [project] must be a text",
            "`version` in [project] must be a text",
            "MODULE:CLASS is wanted",
            "unknown key `plug`",
            "`empty-batches` in [tool.tuffet] must be true or false",
            "must be a list of started, progressed, finished",
            "`facts` in [tool.tuffet] must be a list of texts",
            "there is no grant 'tape'",
            "kv needs a reason",
            "both needed and optional",
        )
        self.write("pyproject.toml", "[project")
        self.assert_refused("pyproject.toml: ")

    def test_a_module_that_holds_no_plugin(self) -> None:
        name = f"it_{os.getpid()}"
        self.addCleanup(sys.modules.pop, name, None)
        self.write("pyproject.toml", f'[project]\nname = "it"\n[tool.tuffet]\nplugin = "{name}:It"\n')
        for text, said in (
            (None, "cannot be imported: ModuleNotFoundError"),
            ("1 / 0", "cannot be imported: ZeroDivisionError"),
            ("class It: pass", "derives from tuffet.Plugin"),
            ("from tuffet import Plugin\nclass It(Plugin): pass", "has no hook: it needs one of the methods authorize"),
            (
                "from tuffet import Plugin\nclass It(Plugin):\n resolve = part = print",
                "It has the method part, and no begin: content in parts needs resolve, begin and part",
            ),
            (
                "from tuffet import Plugin\nclass It(Plugin):\n observe = begin = print",
                "It has the method begin, and no resolve and no part",
            ),
        ):
            if text is not None:
                self.write(f"{name}.py", text)
            sys.modules.pop(name, None)
            with mock.patch.object(sys, "dont_write_bytecode", True):
                component.importlib.invalidate_caches()
                self.assert_refused(said)

    def test_the_tool_is_looked_for_and_its_version_checked(self) -> None:
        remedy = "-m pip install 'componentize-py==0.25.*'"
        self.write("tool", "#!/bin/sh\necho componentize-py 0.26.0\n")
        (self.folder / "tool").chmod(0o755)
        for named, said in ((str(self.folder / "tool"), "0.26.0"), ("/no/such/tool", "cannot be run")):
            with mock.patch.dict(os.environ, COMPONENTIZE_PY=named), self.assertRaises(BuildError) as raised:
                component._tool()
            self.assertIn(said, str(raised.exception))
            self.assertIn(remedy, str(raised.exception))
            self.assertEqual(raised.exception.code, 69)

    def test_the_world_has_what_the_plugin_has_and_asks_for(self) -> None:
        form = '[project]\nname = "it"\n[tool.tuffet]\nplugin = "it:It"\n[tool.tuffet.optional]\nhttp = "x"\nkv = "y"\n'
        self.write("pyproject.toml", form)
        component._write_world(self.folder / "wit", project.read(self.folder), ["accept_upload"])
        world = (self.folder / "wit" / "world.wit").read_text("utf-8")
        lines = [line.strip() for line in world.splitlines() if "port " in line]
        self.assertEqual(
            lines,
            [
                "import tuffet:policy/log@0.2.0;",
                "import tuffet:policy/kv@0.2.0;",
                "import tuffet:policy/shared-kv@0.2.0;",
                "import wasi:http/outgoing-handler@0.2.0;",
                "export tuffet:policy/lifecycle@0.2.0;",
                "export tuffet:policy/accept-upload@0.2.0;",
            ],
        )

    def test_content_in_parts_is_an_export(self) -> None:
        self.write("pyproject.toml", '[project]\nname = "it"\n[tool.tuffet]\nplugin = "it:It"\n')
        its = project.read(self.folder)
        component._write_world(self.folder / "wit", its, ["resolve", "render_parts"])
        world = (self.folder / "wit" / "world.wit").read_text("utf-8")
        self.assertIn("    export tuffet:policy/render-parts@0.2.0;\n", world)
        component._write_entry(self.folder / "app", its, ["resolve", "render_parts"])
        entry = (self.folder / "app" / "tuffet_entry.py").read_text("utf-8")
        self.assertIn("import Lifecycle, Resolve, RenderParts\n", entry)

    def test_the_world_has_the_interfaces_of_the_other_grants(self) -> None:
        grants = 'metrics = "x"\nupload = "y"\nclient-history = "z"\nfiles = "x"\nsinks = "y"\nclock = "z"\n'
        form = f'[project]\nname = "it"\n[tool.tuffet]\nplugin = "it:It"\n[tool.tuffet.grants]\n{grants}'
        self.write("pyproject.toml", form)
        component._write_world(self.folder / "wit", project.read(self.folder), ["observe"])
        world = (self.folder / "wit" / "world.wit").read_text("utf-8")
        imported = [line.split("/")[1].split("@")[0] for line in world.splitlines() if "import " in line]
        self.assertEqual(imported, ["log", "files", "sinks", "metrics", "upload-content", "history"])

    def test_the_section_has_the_form_of_the_documentation(self) -> None:
        self.assertEqual(component._section(b"{}"), b"\0\x12\x0ftuffet:manifest{}")
        self.assertEqual(component._section(b"x" * 200)[:3], b"\0\xd8\x01")

    def test_the_command_line_says_what_is_wrong(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertEqual(main([str(self.folder)]), 64)
        self.assertTrue(said.getvalue().startswith("tuffet.build: "), said.getvalue())
