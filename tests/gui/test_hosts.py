"""The hosts page on a real SSH server of this computer: unknown and changed keys, questions, doctor, jobs."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import paramiko
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from remote.connection.connection import ConnectionState
from remote.connection.ssh.asking import Secrets
from remote.connection.ssh.authentication import authenticate
from remote.connection.ssh.config import SshTarget, known_aliases
from remote.hosts.cards import Cards
from remote.hosts.npu_smi import read_npu_smi
from remote.hosts.registry import HostRegistry
from sage_desktop.panels.hosts.editing import AddHostDialog, HostSettingsDialog
from sage_desktop.panels.hosts.panel import HostsPanel
from sage_desktop.panels.hosts.questions import QuestionDialog, TrustDialog, WindowAsker
from sage_desktop.panels.hosts.service import HostsService
from sage_desktop.panels.hosts.summary import HostsSummary
from sage_desktop.services.wiring import calibrations
from sage_desktop.ui import theme
from sage_desktop.ui.actions import ActionRegistry
from sage_desktop.ui.preferences import Preferences
from tests.remote.calibration.test_folder import calibration
from tests.remote.sshd import ALIAS, Sshd, make_key, start_sshd
from tests.remote.test_cards import A2
from tests.remote.test_ssh_access import _TwoFactors as TwoFactors

WAIT_MS = 30_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    made = start_sshd(tmp_path_factory.mktemp("sshd"))
    yield made
    made.stop()


@pytest.fixture
def hosts(tmp_path: Path, server: Sshd) -> HostRegistry:
    """The user's hosts: one, with a folder of this test."""
    made = HostRegistry(tmp_path)
    made.ssh.config = server.config
    made.change(
        ALIAS,
        python=sys.executable,
        base=str(tmp_path / "base"),
        locks=str(tmp_path / "locks"),
    )
    (server.folder / "known_hosts").write_text(
        f"[127.0.0.1]:{server.port} {server.host_key}\n"
    )
    return made


@pytest.fixture
def panel(
    hosts: HostRegistry,
    registry: ActionRegistry,
    preferences: Preferences,
    qtbot: QtBot,
) -> Iterator[HostsPanel]:
    service = HostsService(hosts)
    problems: list[object] = []
    service.crashed.connect(problems.append)
    made = HostsPanel(service, registry, preferences)
    made.service = service  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    made.resize(1000, 600)
    made.show()
    yield made
    service.close()
    assert not problems


def _state(panel: HostsPanel) -> ConnectionState:
    return panel.service.status(ALIAS).state


def test_in_large_text_the_page_and_the_queue_fit_a_window_of_1280(
    panel: HostsPanel, look: theme.Theme
) -> None:
    look.set_zoom(4)
    QApplication.processEvents()
    assert panel.minimumSizeHint().width() <= 1280 - 412 - 1, "the queue needs 412"
    panel.resize(panel.minimumSizeHint().width(), 600)
    QApplication.processEvents()
    words = [
        button.text()
        for button in panel.findChildren(QToolButton)
        if button.property("offer")
    ]
    assert "Host Settings…" in words


def test_an_unknown_key_is_compared_trusted_and_the_host_examined(
    panel: HostsPanel, registry: ActionRegistry, server: Sshd, qtbot: QtBot
) -> None:
    (server.folder / "known_hosts").write_text("")
    panel.check_host.trigger()
    qtbot.waitUntil(
        lambda: _state(panel) is ConnectionState.NEEDS_USER, timeout=WAIT_MS
    )
    assert panel.page.act.text() == "Show Fingerprint…"
    panel.page.act.click()
    dialog = panel.dialog
    assert isinstance(dialog, TrustDialog)
    told = subprocess.run(
        ["ssh-keygen", "-lf", server.folder / "host.pub"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert dialog.fingerprint.text() == told.stdout.split()[1]
    assert not dialog.main_button.isEnabled()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    dialog.compared.setChecked(True)
    dialog.main_button.click()
    qtbot.waitUntil(lambda: _state(panel) is ConnectionState.ONLINE, timeout=WAIT_MS)
    subjects = lambda: [  # noqa: E731
        panel.page.checks.topLevelItem(n).text(0)
        for n in range(panel.page.checks.topLevelItemCount())
    ]
    qtbot.waitUntil(lambda: "C++ compiler" in subjects(), timeout=WAIT_MS)
    with qtbot.waitSignal(panel.service.jobs, timeout=WAIT_MS):
        panel.page.jobs_wanted.emit()
    with qtbot.waitSignal(panel.notice, timeout=WAIT_MS):
        panel.clean_up.trigger()
    assert "Connected" in panel.page.log.toPlainText()
    assert "Waiting for you" in panel.page.log.toPlainText()
    panel.disconnect_host.trigger()
    assert _state(panel) is ConnectionState.OFFLINE
    assert "Not connected" in panel.list.item(0).text()


def test_a_changed_key_has_no_way_through(
    panel: HostsPanel,
    registry: ActionRegistry,
    server: Sshd,
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    other = make_key(tmp_path / "other")
    key = " ".join(other.with_suffix(".pub").read_text().split()[:2])
    (server.folder / "known_hosts").write_text(f"[127.0.0.1]:{server.port} {key}\n")
    panel.connect_host.trigger()
    qtbot.waitUntil(
        lambda: _state(panel) is ConnectionState.NEEDS_USER, timeout=WAIT_MS
    )
    assert not panel.page.act.isVisible()
    assert panel.page.notice.words.text() == str(panel.service.status(ALIAS).fault)
    assert panel.dialog is None


def test_a_passphrase_is_asked_in_a_dialog(
    panel: HostsPanel,
    hosts: HostRegistry,
    registry: ActionRegistry,
    server: Sshd,
    qtbot: QtBot,
    qapp: QApplication,
) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    asker = WindowAsker(owner)
    hosts.ssh.ask = asker
    locked = server.folder / "user"
    plain = locked.read_bytes()
    subprocess.run(
        ["ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", locked],
        check=True,
    )
    try:
        panel.connect_host.trigger()
        qtbot.waitUntil(lambda: asker.dialog is not None, timeout=WAIT_MS)
        dialog = asker.dialog
        assert isinstance(dialog, QuestionDialog)
        assert dialog.fields[0].echoMode() is dialog.fields[0].EchoMode.Password
        qtbot.keyClicks(dialog.fields[0], "open sesame")
        qtbot.keyClick(dialog.fields[0], Qt.Key.Key_Return)
        qtbot.waitUntil(
            lambda: _state(panel) is ConnectionState.ONLINE, timeout=WAIT_MS
        )
    finally:
        locked.write_bytes(plain)


def test_a_second_factor_is_typed_into_a_dialog(tmp_path: Path, qtbot: QtBot) -> None:
    ours, theirs = socket.socketpair()
    serving, client = paramiko.Transport(theirs), paramiko.Transport(ours)
    serving.add_server_key(
        paramiko.Ed25519Key.from_private_key_file(str(make_key(tmp_path / "host")))
    )
    starting = threading.Thread(
        target=lambda: serving.start_server(server=TwoFactors())
    )
    starting.start()
    keys = (make_key(tmp_path / "user"),)
    target = SshTarget("site", "site", user="ada", identity_files=keys, agent="none")
    owner = QWidget()
    qtbot.addWidget(owner)
    asker = WindowAsker(owner)
    used: list[str] = []

    def log_in() -> None:
        client.start_client(timeout=10)
        used.extend(authenticate(client, target, asker, Secrets()))

    person = threading.Thread(target=log_in)
    person.start()
    try:
        qtbot.waitUntil(lambda: asker.dialog is not None, timeout=WAIT_MS)
        dialog = asker.dialog
        assert isinstance(dialog, QuestionDialog)
        assert any(
            "One-time code" in label.text() for label in dialog.findChildren(QLabel)
        )
        assert dialog.fields[0].echoMode() is dialog.fields[0].EchoMode.Normal, (
            "the site lets it be seen"
        )
        qtbot.keyClicks(dialog.fields[0], "4711")
        qtbot.keyClick(dialog.fields[0], Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not person.is_alive(), timeout=WAIT_MS)
        assert used[-1] == "keyboard-interactive"
    finally:
        client.close()
        serving.close()
        starting.join(5)


def test_cards_show_health_memory_people_and_are_set_aside(
    panel: HostsPanel, qtbot: QtBot
) -> None:
    cards = Cards(read_npu_smi(A2))
    panel.service.cards.emit(ALIAS, cards)
    tree = panel.page.cards
    rows = [
        [tree.topLevelItem(n).text(c) for c in range(8)]
        for n in range(tree.topLevelItemCount())
    ]
    assert [row[2] for row in rows] == ["OK", "Alarm"]
    assert rows[0][5] == "3,401 / 65,536 MB"
    assert "1333928" in rows[0][6]
    assert "is used by process 1333928" in rows[0][7]
    assert "reports Alarm" in rows[1][7]
    orders: list[tuple[str, str]] = []
    panel.page.quarantined.disconnect()
    panel.page.quarantined.connect(lambda unit, why: orders.append((unit, why)))
    tree.setCurrentItem(tree.topLevelItem(1))
    panel.page.aside.click()
    panel.page.use.click()
    assert orders == [("npu1", "excluded by you"), ("npu1", "")]


def test_a_calibrated_host_says_when_and_with_which_cann(
    panel: HostsPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_DATA_DIR", str(tmp_path))
    panel.refresh()
    assert not panel.page.calibration.isVisibleTo(panel.page)
    calibrations().keep(calibration(ALIAS, 0.9))
    panel.refresh()
    said = panel.page.calibration.text()
    assert said == "Twin calibrated 2026-11-24, Ascend910B4, CANN 8.5.1"


def test_a_device_set_aside_stays_so_until_it_is_released(
    panel: HostsPanel, hosts: HostRegistry
) -> None:
    panel.service.quarantine(ALIAS, "npu1", "shows wrong results")
    assert hosts.quarantined(ALIAS).units() == {"npu1": "shows wrong results"}
    cards = Cards(read_npu_smi(A2), quarantined=hosts.quarantined(ALIAS).units())
    panel.service.cards.emit(ALIAS, cards)
    assert panel.page.cards.topLevelItem(1).text(7) == "shows wrong results"
    panel.service.quarantine(ALIAS, "npu1", "")
    assert hosts.quarantined(ALIAS).units() == {}


def test_the_status_bar_counts_hosts_and_cards_and_hears_of_the_run(
    panel: HostsPanel, hosts: HostRegistry, qtbot: QtBot
) -> None:
    summary = HostsSummary(hosts)
    texts: list[str] = []
    summary.changed.connect(lambda words, _tip: texts.append(words))
    summary.run_line.connect(panel.log_run_line)
    summary.announce()
    assert texts == ["0 of 1 hosts connected"]
    summary.saw_cards(ALIAS, Cards(read_npu_smi(A2)))
    assert texts[-1] == "0 of 1 hosts connected · 0 of 2 devices free"
    host = hosts.host(ALIAS)  # as a run has it
    try:
        asyncio.run(host.connect())
        qtbot.waitUntil(
            lambda: texts[-1].startswith("1 of 1 hosts connected"), timeout=WAIT_MS
        )
        assert "Run: Connected" in panel.page.log.toPlainText()
    finally:
        host.connection.close()
        summary.close()


def test_settings_of_a_host_are_checked_and_kept(
    panel: HostsPanel, hosts: HostRegistry, registry: ActionRegistry, qtbot: QtBot
) -> None:
    panel.edit_host.trigger()
    dialog = panel.dialog
    assert isinstance(dialog, HostSettingsDialog)
    dialog.devices.setText("0, x")
    dialog.main_button.click()
    assert "not a list of device numbers" in dialog.message.words.text()
    dialog.devices.setText("0, 2")
    assert not dialog.site["gres"].isVisible()
    dialog.scheduler.setCurrentIndex(dialog.scheduler.findData("slurm"))
    dialog.site["gres"].setText("npu:1")
    dialog.main_button.click()
    assert "none is ever guessed" in dialog.message.words.text()
    dialog.site["device_map"].setText("scontrol")
    dialog.texts["setup"].setText("source /opt/set_env.sh")
    dialog.main_button.click()
    kept = hosts.settings()[ALIAS]
    assert (kept.devices, kept.setup, kept.python) == (
        (0, 2),
        "source /opt/set_env.sh",
        sys.executable,
    )
    assert (kept.scheduler, kept.gres, kept.device_map) == (
        "slurm",
        "npu:1",
        "scontrol",
    )
    panel.remove_host.trigger()
    assert hosts.settings() == {}
    assert panel.list.count() == 0


def test_names_of_the_configuration_are_offered(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "more").write_text(
        "Host lab7 lab8\n  User x\nHost *.example.org !bad\n"
    )
    (tmp_path / "config").write_text(
        f"Include {tmp_path}/more\nHost = gate\nHost *\n  Port 22\n"
    )
    assert known_aliases(tmp_path / "config") == ("lab7", "lab8", "gate")
    dialog = AddHostDialog(["lab7", "lab8"])
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.submitted.connect(chosen.append)
    dialog.show()
    qtbot.waitUntil(dialog.isActiveWindow)
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert chosen == [], "Enter adds no host that nobody chose"
    qtbot.keyClicks(dialog.focusWidget(), "gate")
    assert dialog.name.currentText() == "gate", "what is typed at once is the name"
    dialog.name.setCurrentText("-oProxyCommand=x")
    dialog.main_button.click()
    assert "is not a host name" in dialog.message.words.text()
    dialog.name.setCurrentText("lab8")
    dialog.main_button.click()
    assert chosen == ["lab8"]
