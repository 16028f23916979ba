"""Network namespaces and the links between them."""

import itertools
import os
import subprocess


class Space:
    """A network namespace. What runs in it ends with the `with` block of its network."""

    def __init__(self, name: str):
        self.name = f"tuffet-{os.getpid()}-{name}"
        call("ip", "netns", "add", self.name)
        self.run("ip", "link", "set", "lo", "up")
        self.running: list[subprocess.Popen] = []

    def words(self, *command: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, *command]

    def run(self, *command: str, given: str | None = None, check: bool = True) -> str:
        return call(*self.words(*command), given=given, check=check)

    def start(self, *command: str, **how) -> subprocess.Popen:
        process = subprocess.Popen(self.words(*command), **how)
        self.running.append(process)
        return process

    def sysctl(self, **values: int) -> None:
        for key, value in values.items():
            self.run("sysctl", "-qw", f"net.ipv4.{key.replace('__', '.')}={value}")

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.wait()
        call("ip", "netns", "delete", self.name, check=False)


class Network:
    """Namespaces by name, all removed at the end."""

    def __init__(self, *names: str):
        self.numbers = itertools.count()
        self.spaces: dict[str, Space] = {}
        try:
            for name in names:
                self.spaces[name] = Space(name)
        except BaseException:
            self.__exit__()
            raise

    def __getitem__(self, name: str) -> Space:
        return self.spaces[name]

    def __enter__(self) -> "Network":
        return self

    def __exit__(self, *_) -> None:
        for space in self.spaces.values():
            space.end()

    def link(self, one: str, its: str, other: str, others: str, addresses: tuple[str | None, str | None]) -> None:
        """Joins two spaces by interfaces with these names and addresses."""
        ends = [f"t{os.getpid() % 100000}-{next(self.numbers)}" for _ in range(2)]
        call("ip", "link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for space, end, name, address in zip((self[one], self[other]), ends, (its, others), addresses):
            call("ip", "link", "set", "dev", end, "netns", space.name)
            space.run("ip", "link", "set", "dev", end, "name", name, "up")
            if address:
                space.run("ip", "address", "add", address, "dev", name)


def call(*command: str, given: str | None = None, check: bool = True) -> str:
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done.stdout
