"""What a real editor makes of our schema: starts the language server that VS Code and vim use for YAML, with the settings
that docs/configuration.md gives, and looks at what it underlines and completes.

    python3 host/tests/suites/editor/run.py BINARY FOLDER

FOLDER keeps the language server. If it cannot be had, the check says that it skips.
"""

import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

VERSION = "1.19.2"
HERE = pathlib.Path(__file__).resolve().parents[4]
# How long one answer may take on a busy machine.
SOON = 60


def language_server(folder):
    """The command of the language server, or None with a reason."""
    if not shutil.which("node"):
        return None, "node is not installed"
    script = folder / "node_modules/yaml-language-server/bin/yaml-language-server"
    if not script.exists():
        if not shutil.which("npm"):
            return None, "npm is not installed"
        folder.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder),
                   f"yaml-language-server@{VERSION}"]
        try:
            subprocess.run(install, capture_output=True, timeout=180, check=True)
        except subprocess.SubprocessError:
            return None, "npm cannot install yaml-language-server"
    return ["node", str(script), "--stdio"], None


class Editor:
    """A client of the language server, in a folder with the schema."""

    def __init__(self, command, folder, settings):
        self.folder, self.settings, self.number = folder, settings, 0
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.answers, self.underlined = queue.Queue(), queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()
        root = folder.as_uri()
        self.ask("initialize", {
            "processId": os.getpid(), "rootUri": root, "workspaceFolders": [{"uri": root, "name": "files"}],
            "capabilities": {"workspace": {"configuration": True}, "textDocument": {
                "completion": {"completionItem": {"documentationFormat": ["plaintext"]}}}},
        })
        self.send({"method": "initialized", "params": {}})
        self.send({"method": "workspace/didChangeConfiguration", "params": {"settings": None}})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def listen(self):
        while True:
            length = 0
            while (line := self.process.stdout.readline()).strip():
                name, value = line.decode().split(":", 1)
                length = int(value) if name.lower() == "content-length" else length
            if not length:
                return
            message = json.loads(self.process.stdout.read(length))
            if message.get("method") == "textDocument/publishDiagnostics":
                self.underlined.put(message["params"])
            elif "method" not in message:
                self.answers.put(message)
            elif "id" in message:
                self.send({"id": message["id"], "result": self.reply(message)})

    def reply(self, request):
        if request["method"] != "workspace/configuration":
            return None
        sections = [item.get("section") for item in request["params"]["items"]]
        return [self.settings if section == "yaml" else None for section in sections]

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        answer = self.answers.get(timeout=SOON)
        assert answer["id"] == self.number and "error" not in answer, answer
        return answer["result"]

    def open(self, name, text):
        """Opens a file; what is underlined in it, as (line, message), counted from 1."""
        uri = (self.folder / name).as_uri()
        self.send({"method": "textDocument/didOpen", "params": {
            "textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}}})
        end = time.monotonic() + SOON
        while (left := end - time.monotonic()) > 0:
            found = self.underlined.get(timeout=left)
            if found["uri"] == uri:
                return [(one["range"]["start"]["line"] + 1, one["message"]) for one in found["diagnostics"]]
        raise TimeoutError(name)

    def at(self, method, name, line, column):
        document = {"uri": (self.folder / name).as_uri()}
        return self.ask(method, {"textDocument": document, "position": {"line": line - 1, "character": column}})

    def completes(self, name, line, column):
        found = self.at("textDocument/completion", name, line, column)
        return {item["label"] for item in (found["items"] if isinstance(found, dict) else found)}

    def explains(self, name, line, column):
        found = self.at("textDocument/hover", name, line, column)
        return json.dumps(found["contents"], ensure_ascii=False) if found else ""


def documented():
    """The settings of editors and the first line of a file, as the documentation gives them."""
    text = (HERE / "docs/configuration.md").read_text(encoding="utf-8")
    section = text[text.index("## In an editor"):]
    lines = re.search(r"```json\n(.*?)```", section, re.S)[1]
    settings = {}
    for key, value in json.loads("{" + lines + "}").items():
        settings[key.removeprefix("yaml.")] = value
    return settings, re.search(r"```yaml\n(.*?\n)```", section, re.S)[1]


MISTAKES = """\
listeners:
  - adress: 127.0.0.1:6969
roots:
  - { name: boot, path: ., writable: "true" }
policy: { authorize: [acl], default: alow }
plugins:
  acl:
    component: builtin:acl
    settings:
      denny: []
      deny:
        - operations: [raed]
limits: { cache: 12 parsecs }
"""
WRONG = {2: "adress", 4: "boolean", 5: "allow", 10: "denny", 12: "read", 13: ""}

BEGUN = """\
listeners:
  - address: 127.0.0.1:6969
    
roots: [{ name: boot, path: . }]
policy: { authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    settings:
      
"""


def check(editor, name, first):
    """`name` makes a name of a file for each number; `first` is the beginning of each."""
    shift = first.count("\n")
    lines = {line - shift: message for line, message in editor.open(name(1), first + MISTAKES)}
    for line, word in WRONG.items():
        assert word in lines.get(line, "nothing"), f"line {line}: {word!r} is not in {lines}"
    assert lines.keys() == WRONG.keys(), lines

    underlined = editor.open(name(2), first + (HERE / "host/config/src/example.yaml").read_text(encoding="utf-8"))
    assert underlined == [], underlined
    explained = editor.explains(name(2), 4 + shift, 6)
    assert "Whether transfers use the listening port" in explained, explained

    editor.open(name(3), first + BEGUN)
    offered = editor.completes(name(3), 3 + shift, 4)
    assert {"name", "single-port", "burst"} <= offered, offered
    offered = editor.completes(name(3), 10 + shift, 6)
    assert {"deny", "allow", "otherwise"} <= offered, offered


def examples(editor):
    paths = sorted((HERE / "examples").rglob("tuffet.yaml"))
    assert paths, "there is no example"
    for number, path in enumerate(paths):
        found = editor.open(f"example-{number}/tuffet.yaml", path.read_text(encoding="utf-8"))
        assert found == [], f"{path}: {found}"


def main():
    binary, kept = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    command, reason = language_server(kept)
    if not command:
        print(f"skipped: {reason}, so the schema was not tried in an editor")
        return
    began = time.monotonic()
    settings, first_line = documented()
    with tempfile.TemporaryDirectory(prefix="tuffet-editor-") as name:
        folder = pathlib.Path(name).resolve()
        schema = subprocess.run([binary, "schema"], capture_output=True, check=True).stdout
        (folder / "tuffet.schema.json").write_bytes(schema)
        with Editor(command, folder, settings) as editor:
            check(editor, "{}/tuffet.yaml".format, "")
            examples(editor)
        # Without the setting that names the schema, the file names it.
        with Editor(command, folder, {"yamlVersion": settings["yamlVersion"]}) as editor:
            check(editor, "other-{}.yaml".format, first_line)
    print(f"editor: good, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
