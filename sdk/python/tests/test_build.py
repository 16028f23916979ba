"""All of the build but componentize-py itself."""

import contextlib
import importlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tuffet import Plugin
from tuffet.build import component, main, project
from tuffet.build.errors import BuildError
from tuffet.plugin import exports


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
        self.write(
            "pyproject.toml", project.FORM.replace("[tool.tuffet.gr", 'events = ["finished"]\n[tool.tuffet.gr', 1)
        )
        self.assertEqual(json.loads(project.read(self.folder).manifest())["events"], ["finished"])
        lists = 'facts = ["interface"]\ndepends-on = ["interface", "path"]\n[tool.tuffet.gr'
        self.write("pyproject.toml", project.FORM.replace("[tool.tuffet.gr", lists, 1))
        manifest = json.loads(project.read(self.folder).manifest())
        self.assertEqual((manifest["facts"], manifest["depends-on"]), (["interface"], ["interface", "path"]))

    def test_licence_and_homepage_are_those_of_the_project(self) -> None:
        self.write("pyproject.toml", project.FORM)
        manifest = json.loads(project.read(self.folder).manifest())
        self.assertFalse({"license", "homepage"} & manifest.keys())
        about = '[project]\nlicense = "MIT"\nurls = { Homepage = "https://example.org/" }\n'
        self.write("pyproject.toml", project.FORM.replace("[project]\n", about, 1))
        manifest = json.loads(project.read(self.folder).manifest())
        self.assertEqual((manifest["license"], manifest["homepage"]), ("MIT", "https://example.org/"))
        older = '[project]\nlicense = { file = "LICENSE" }\n'
        self.write("pyproject.toml", project.FORM.replace("[project]\n", older, 1))
        self.assertNotIn("license", json.loads(project.read(self.folder).manifest()))

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
                "It has the method part, and no begin: resolve and begin and part belong together",
            ),
            (
                "from tuffet import Plugin\nclass It(Plugin):\n observe = begin = print",
                "It has the method begin, and no resolve and no part",
            ),
            (
                "from tuffet import Plugin\nclass It(Plugin):\n observe = render = print",
                "It has the method render, and no resolve",
            ),
        ):
            if text is not None:
                self.write(f"{name}.py", text)
            sys.modules.pop(name, None)
            with mock.patch.object(sys, "dont_write_bytecode", True):
                importlib.invalidate_caches()
                self.assert_refused(said)

    def test_what_the_code_imports_needs_its_grant(self) -> None:
        for number, (text, grant) in enumerate(
            (
                ("import tuffet.kv", "kv"),
                ("from tuffet.kv import Shared", "kv"),
                ("from tuffet import history as past", "client-history"),
                ("import tuffet\ndef late(): tuffet.http.get('x')", "http"),
            )
        ):
            name = f"it_{os.getpid()}_{number}"
            self.addCleanup(sys.modules.pop, name, None)
            self.write(f"{name}.py", f"from tuffet import Plugin\nclass It(Plugin):\n resolve = print\n{text}\n")
            form = f'[project]\nname = "it"\n[tool.tuffet]\nplugin = "{name}:It"\n[tool.tuffet.optional]\n'
            self.write("pyproject.toml", form + 'files = "x"\n')
            with mock.patch.object(sys, "dont_write_bytecode", True):
                importlib.invalidate_caches()
                self.assert_refused(f"{name}.py:", f"does not ask for the grant {grant}: add {grant} = ")
                sys.modules.pop(name)
                self.write("pyproject.toml", form + f'{grant} = "x"\n')
                self.assertEqual(component._exports(project.read(self.folder)), ["resolve"])

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
        version = component._version()
        lines = [line.strip() for line in world.splitlines() if "port " in line]
        self.assertEqual(
            lines,
            [
                f"import tuffet:policy/log@{version};",
                f"import tuffet:policy/kv@{version};",
                "import wasi:http/outgoing-handler@0.2.0;",
                f"export tuffet:policy/lifecycle@{version};",
                f"export tuffet:policy/accept-upload@{version};",
            ],
        )

    def test_what_the_plugin_renders_is_exported(self) -> None:
        class Whole(Plugin):
            resolve = render = print

        class Parts(Plugin):
            resolve = begin = part = print

        class Neither(Plugin):
            observe = resolve = print

        self.assertEqual(exports(Whole), ["resolve", "render"])
        self.assertEqual(exports(Parts), ["resolve", "render_parts"])
        self.assertEqual(exports(Neither), ["resolve", "observe"])
        self.write("pyproject.toml", '[project]\nname = "it"\n[tool.tuffet]\nplugin = "it:It"\n')
        its = project.read(self.folder)
        component._write_world(self.folder / "wit", its, exports(Parts))
        world = (self.folder / "wit" / "world.wit").read_text("utf-8")
        self.assertIn(f"    export tuffet:policy/render-parts@{component._version()};\n", world)
        component._write_entry(self.folder / "app", its, exports(Parts))
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
