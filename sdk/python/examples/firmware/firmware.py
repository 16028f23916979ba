"""Which firmware a device gets, from a table that operators edit in a spreadsheet."""

import csv
import ipaddress
from dataclasses import dataclass
from typing import Any

from tuffet import Abstain, Deny, ErrorCode, Plugin, Problem, Request, Resolution, Target, files, log, parse

COLUMNS = ("model", "clients", "file")


@dataclass
class Settings:
    root: str
    """Where the table and the images are."""
    table: str = "models.csv"
    folder: str = "firmware"
    """``firmware/MODEL.bin`` is what devices ask for."""


@dataclass
class Row:
    model: str
    clients: ipaddress.IPv4Network | ipaddress.IPv6Network | None
    """``None`` are all."""
    file: str

    def fits(self, model: str, client: str) -> bool:
        return model == self.model and (self.clients is None or ipaddress.ip_address(client) in self.clients)


class Firmware(Plugin):
    def configure(self, settings: dict[str, Any]) -> None:
        self.settings = parse(Settings, settings)
        # What is wrong with the table today is an error of `tuffet check`.
        _, wrong = self.rows()
        if wrong:
            raise Problem("/table", "; ".join(wrong))

    def resolve(self, request: Request) -> Resolution:
        folder, _, name = request.path.rpartition("/")
        if folder != self.settings.folder or not name.endswith(".bin"):
            return Abstain()
        model = name.removesuffix(".bin")
        rows, wrong = self.rows()
        for what in wrong:
            log.warn(what)
        for row in rows:
            if row.fits(model, request.client.address):
                return Target(self.settings.root, row.file)
        reason = f"no row of {self.settings.table} fits {model} of {request.client.address}"
        return Deny(f"no firmware for {model}", reason, ErrorCode.FILE_NOT_FOUND)

    def rows(self) -> tuple[list[Row], list[str]]:
        """The rows that can be read, and what is wrong with the others."""
        table = files.read_text(self.settings.root, self.settings.table)
        if table is None:
            return [], [f"{self.settings.table} is not there"]
        lines = csv.DictReader(table.splitlines(), skipinitialspace=True)
        if tuple(lines.fieldnames or ()) != COLUMNS:
            return [], [f"{self.settings.table}: the first line must be {','.join(COLUMNS)}"]
        rows, wrong = [], []
        for line in lines:
            where = f"{self.settings.table}:{lines.line_num}"
            try:
                rows.append(row(line))
            except ValueError as error:
                wrong.append(f"{where}: {error}")
        return rows, wrong


def row(line: dict[str, str | None]) -> Row:
    model, clients, file = (line[column] or "" for column in COLUMNS)
    if not model or not file:
        raise ValueError("a model and a file are needed")
    return Row(model, None if clients in ("", "any") else ipaddress.ip_network(clients), file)
