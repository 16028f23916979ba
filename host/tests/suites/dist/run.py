#!/usr/bin/env python3
"""What `make dist` made: complete, of this commit, and each form serves a file in a root that has nothing else.

    host/tests/suites/dist/run.py FOLDER

FOLDER is target/dist. The tarballs run in an empty folder with /proc, the images as an engine would start them: by their own
configuration, without a privilege. Those for another processor run through QEMU. The Debian package has a suite, `deb`.

Needs root, for network namespaces and chroot; says what it skips."""

import gzip
import hashlib
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from skipping import skip  # noqa: E402

ROOT = Path(__file__).resolve().parents[4]
INSIDE = "TUFFET_DIST_NAMESPACE"
LARGEST_IMAGE = 40_000_000
# Seconds until a server serves: an emulated one is slow.
PATIENCE = 120
GO_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
IN_TARBALL = [
    "README.md", "LICENSE", "CHANGELOG.md", "tuffet", "man/man1/tuffet.1", "man/man1/tuffet-serve.1",
    "man/man5/tuffet.yaml.5", "completions/tuffet.bash", "completions/tuffet.zsh", "completions/tuffet.fish",
    "packaging/install.sh", "packaging/tuffet.tmpfiles", "examples/quickstart/tuffet.yaml",
    "examples/systemd/tuffet.service", "examples/systemd/tuffet.socket", "examples/systemd/tuffet-admin.socket",
    "examples/systemd/tuffet.sysusers", "examples/systemd/tuffet.yaml",
]  # fmt: skip


class Trial:
    """A folder as the root of a server, for the processor of `architecture`."""

    def __init__(self, root: Path, architecture: str):
        self.root, self.emulator = root, []
        if architecture != platform.machine():
            emulator = shutil.which(f"qemu-{architecture}-static")
            shutil.copy(emulator, root / "emulator")
            self.emulator = ["/emulator"]

    def __enter__(self) -> "Trial":
        (self.root / "proc").mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "proc", "proc", self.root / "proc"], check=True)
        return self

    def __exit__(self, *_) -> None:
        subprocess.run(["umount", "--lazy", self.root / "proc"], check=True)

    def command(self, words: list, user: int) -> list:
        return [shutil.which("chroot"), f"--userspec={user}:{user}", str(self.root), *self.emulator, *words]

    @property
    def _limits(self) -> dict:
        """QEMU keeps a table of the addresses that are reserved; as in host/tests/suites/static/run.sh."""
        if not self.emulator:
            return {}
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (9_000_000 << 10, 9_000_000 << 10))}

    def serves(self, server: list, client: list, content: bytes, *, user: int = 0, environment: dict | None = None,
               checks: tuple = ()) -> None:  # fmt: skip
        """Starts the server, and expects that the client prints the content, and that the checks succeed."""
        environment = {**(environment or {}), "QEMU_RESERVED_VA": "4G"}
        running = subprocess.Popen(self.command(server, user), env=environment, stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, **self._limits)  # fmt: skip
        timer = threading.Timer(PATIENCE, running.kill)
        timer.start()
        said = []
        try:
            for line in running.stderr:
                said.append(line)
                if '"serving"' in line:
                    break
            else:
                raise SystemExit(f"the server does not serve: {''.join(said)}")
            # Else it would wait for a reader of its log.
            threading.Thread(target=lambda: said.extend(running.stderr), daemon=True).start()
            for words, expected in [(client, content), *((check, None) for check in checks)]:
                done = subprocess.run(self.command(words, user), env=environment, capture_output=True, timeout=PATIENCE,
                                      **self._limits)  # fmt: skip
                if done.returncode or expected not in (None, done.stdout):
                    raise SystemExit(f"{words} ended with {done.returncode}: {done.stdout!r} {done.stderr!r} {''.join(said)}")
            running.terminate()
            if running.wait(PATIENCE):
                raise SystemExit(f"the server ended with {running.returncode}: {''.join(said)}")
        finally:
            timer.cancel()
            running.kill()
            running.wait()


def check(condition, why: str) -> None:
    if not condition:
        raise SystemExit(why)


def sums(folder: Path) -> None:
    lines = (line.split("  ", 1) for line in (folder / "SHA256SUMS").read_text().splitlines())
    listed = {name: digest for digest, name in lines}
    check({path.name for path in folder.iterdir()} == {*listed, "SHA256SUMS"}, f"SHA256SUMS lists {sorted(listed)}")
    for name, digest in listed.items():
        check(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, f"{name} has another checksum")


def statement(folder: Path, version: str) -> None:
    """Provenance names every other file, and the commit; the list of components is that of both binaries."""
    document = json.loads((folder / f"tuffet-{version}.provenance.json").read_text())
    subjects = {subject["name"]: subject["digest"]["sha256"] for subject in document["subject"]}
    others = {path.name for path in folder.iterdir()} - {"SHA256SUMS", f"tuffet-{version}.provenance.json"}
    check(set(subjects) == others, f"the provenance is of {sorted(subjects)}")
    for name, digest in subjects.items():
        check(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, f"the provenance has another {name}")
    definition = document["predicate"]["buildDefinition"]
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    source = next(part for part in definition["resolvedDependencies"] if part["name"] == "source")
    check(source["digest"]["gitCommit"] == commit, f"the provenance is of {source}, not of {commit}")
    components = json.loads((folder / f"tuffet-{version}.cdx.json").read_text())
    check(components["metadata"]["component"]["version"] == version, "the list of components is of another version")


def tarball(path: Path, architecture: str) -> bytes:
    """Returns the binary."""
    top = path.name.removesuffix(".tar.gz")
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "root"
        root.mkdir()
        with tarfile.open(path) as archive:
            members = archive.getmembers()
            for member in members:
                check(member.name.split("/")[0] == top and (member.isdir() or member.isfile()), f"{path.name} has {member.name}")
                check((member.uid, member.gid) == (0, 0) and not member.mode & 0o7022, f"{member.name}: {member.mode:o}")
        names = {member.name.removeprefix(f"{top}/") for member in members}
        check(not set(IN_TARBALL) - names, f"{path.name} lacks {set(IN_TARBALL) - names}")
        subprocess.run(["tar", "-xzf", path, "-C", root], check=True)
        binary = (root / top / "tuffet").read_bytes()
        leaked = [folder for folder in (str(ROOT), str(Path.home())) if f"{folder}/".encode() in binary]
        check(not leaked or str(Path.home()) == "/", f"the binary for {architecture} has paths below {leaked}")
        (root / "srv").mkdir()
        (root / "srv/hello").write_bytes(b"hello\n")
        with Trial(root, architecture) as trial:
            trial.serves(
                [f"/{top}/tuffet", "serve", "--root", "/srv", "--listen", "127.0.0.1:69", "--user", "65534", "--log-format", "json"],
                [f"/{top}/tuffet", "get", "--quiet", "-o", "-", "tftp://127.0.0.1/hello"],
                b"hello\n",
            )
        if architecture == platform.machine():
            # With the plugins, as its README says first.
            words = (root / top / "README.md").read_text()
            command = re.search(r"^\./tuffet (serve --config \S+)", words, re.M).group(1).split()
            check((root / top / command[-1]).is_file(), f"README.md names {command[-1]}, which is not in {path.name}")
            command[-1] = f"/{top}/{command[-1]}"
            with Trial(root, architecture) as trial:
                trial.serves(
                    [f"/{top}/tuffet", *command, "--user", "65534", "--log-format", "json"],
                    [f"/{top}/tuffet", "get", "--quiet", "-o", "-", "tftp://127.0.0.1:6969/SEP001122334455.cnf.xml"],
                    (ROOT / "examples/quickstart/files/phones/001122334455.cfg").read_bytes(),
                )
            installed(root / top)
    print(f"ok: {path.name}, {path.stat().st_size} bytes: complete, serves in an empty root", flush=True)
    return binary


def installed(unpacked: Path) -> None:
    """packaging/install.sh finds all that it installs beside itself."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["sh", unpacked / "packaging/install.sh", "install", unpacked / "tuffet"], check=True,
                       env={"PATH": os.environ["PATH"], "DESTDIR": folder}, capture_output=True)  # fmt: skip
        for name in ("usr/local/bin/tuffet", "usr/local/lib/systemd/system/tuffet.service", "etc/tuffet/tuffet.yaml",
                     "usr/local/share/man/man1/tuffet.1"):  # fmt: skip
            check((Path(folder) / name).is_file(), f"install.sh of the tarball installs no {name}")


def image(path: Path, architecture: str, binary: bytes) -> None:
    """Starts it as its configuration says."""
    check(path.stat().st_size < LARGEST_IMAGE, f"{path.name} has {path.stat().st_size} bytes, and may have {LARGEST_IMAGE}")
    with tarfile.open(path) as archive:
        blobs = {member.name: archive.extractfile(member).read() for member in archive.getmembers()}
    for name, blob in blobs.items():
        if name.startswith("blobs/"):
            check(name == f"blobs/sha256/{hashlib.sha256(blob).hexdigest()}", f"{path.name}: {name} has another digest")

    def blob(descriptor: dict) -> bytes:
        content = blobs[f"blobs/{descriptor['digest'].replace(':', '/')}"]
        check(len(content) == descriptor["size"], f"{path.name}: {descriptor} has {len(content)} bytes")
        return content

    manifest = json.loads(blob(json.loads(blobs["index.json"])["manifests"][0]))
    config = json.loads(blob(manifest["config"]))
    check(config["architecture"] == GO_NAMES[architecture], f"{path.name} is for {config['architecture']}")
    files = gzip.decompress(blob(manifest["layers"][0]))
    check(config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(files).hexdigest()}"], f"{path.name}: another layer")
    of_docker = json.loads(blobs["manifest.json"])[0]
    check(of_docker["Config"] in blobs and of_docker["Layers"][0] in blobs, f"{path.name}: {of_docker}")
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "root"
        root.mkdir()
        subprocess.run(["tar", "-x", "-C", root], input=files, check=True)
        check((root / "usr/bin/tuffet").read_bytes() == binary, f"{path.name} has another binary than the tarball")
        check((root / "etc/ssl/certs/ca-certificates.crt").stat().st_size > 100_000, f"{path.name} has no authorities")
        (root / "srv/tftp/hello").write_bytes(b"hello\n")
        run = config["config"]
        user = int(run["User"].split(":")[0])
        check(user != 0, f"{path.name} runs as root")
        with Trial(root, architecture) as trial:
            trial.serves(
                [*run["Entrypoint"], *run["Cmd"], "--log-format", "json"],
                [*run["Entrypoint"], "get", "--quiet", "-o", "-", "tftp://127.0.0.1/hello"],
                b"hello\n",
                user=user,
                environment=dict(pair.split("=", 1) for pair in run["Env"]),
                checks=(run["Healthcheck"]["Test"][1:],),
            )
    print(f"ok: {path.name}, {path.stat().st_size} bytes ({len(files)} unpacked): serves by its own configuration", flush=True)


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
    if INSIDE not in os.environ:
        sums(folder)
        statement(folder, version)
        # Their commands begin with the name of the file.
        for page in ("README.md", "docs/install.md"):
            name = f"tuffet-{version}-linux-x86_64.tar.gz"
            check(name in (ROOT / page).read_text(), f"{page} does not name {name}")
        print("ok: checksums, provenance and list of components", flush=True)
    if os.geteuid() != 0:
        skip("`make dist` in clean roots: needs root")
        return 0
    if INSIDE not in os.environ:
        # As engines do: every user binds port 69.
        ports = 'ip link set lo up && echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start && exec "$@"'
        command = ["unshare", "--net", "--mount", "sh", "-c", ports, "sh", sys.executable, *sys.argv]
        if subprocess.run(["unshare", "--net", "--mount", "true"], stderr=subprocess.DEVNULL).returncode:
            skip("`make dist` in clean roots: no namespace can be made")
            return 0
        os.environ[INSIDE] = "1"
        os.execvp("unshare", command)
    for path in sorted(folder.glob("tuffet-*-linux-*.tar.gz")):
        architecture = path.name.removesuffix(".tar.gz").rsplit("-", 1)[1]
        if architecture != platform.machine() and not shutil.which(f"qemu-{architecture}-static"):
            skip(f"`make dist` for {architecture}: qemu-{architecture}-static is not installed")
            continue
        binary = tarball(path, architecture)
        image(folder / f"tuffet-{version}-image-{architecture}.tar", architecture, binary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
