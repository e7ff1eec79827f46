# Several nodes on one machine: a network and a UTS namespace each.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emulated nodes for MPI: host names, network paths and shared-memory communicators are separate as on real nodes.

Each node is a network namespace with one interface, e0, all on a bridge in a namespace of its own; a process on a node also
gets a UTS namespace with the node's name. Nothing of the machine's own network is touched. Needs root and iproute2.

    with Nodes(["nodeA", "nodeB"]) as nodes:
        launch.run(nodes.command({"nodeA": 2, "nodeB": 2}, ["./program"]), 60)

If the process that made the nodes dies in whatever way, a watcher takes them down.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "harness"))
import launch  # noqa: E402

NETNS_ETC = Path("/etc/netns")  # `ip netns exec` lays NETNS_ETC/<name>/hosts over /etc/hosts


def missing():
    """Why there can be no nodes here, or None."""
    if launch.missing():
        return launch.missing()
    if os.geteuid() != 0:
        return "emulated nodes need root"
    for program, package in (("ip", "iproute2"), ("unshare", "util-linux")):
        if not shutil.which(program):
            return f"emulated nodes need {program} (package {package})"
    probe = f"smap{os.getpid()}-probe"
    if _quiet("ip", "netns", "add", probe) != 0:
        return "this machine does not let root make network namespaces"
    works = _quiet("ip", "netns", "exec", probe, "unshare", "--uts", "hostname", "probe")
    _quiet("ip", "netns", "del", probe)
    return None if works == 0 else "this machine does not let root make UTS namespaces"


def _quiet(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).returncode


def _ip(*words):
    subprocess.run(["ip", *words], check=True, stdin=subprocess.DEVNULL)


def _take_down(names, folder):
    """Ends what runs in the namespaces and removes them. Harmless when some of it is gone."""
    for _ in range(50):
        pids = [int(pid) for name in names
                for pid in subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split()]
        if not pids:
            break
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)
    for name in names:
        _quiet("ip", "netns", "del", name)
        shutil.rmtree(NETNS_ETC / name, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


class Nodes:
    def __init__(self, hosts):
        self.hosts = list(hosts)
        self.prefix = f"smap{os.getpid()}"
        self.names = {host: f"{self.prefix}-{host}" for host in [*self.hosts, "start", "switch"]}
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.prefix}-"))

    def __enter__(self):
        self._watch()
        try:
            self._set_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        os.close(self._alive)  # the watcher takes everything down
        os.waitpid(self._watcher, 0)

    def _watch(self):
        """Starts a process that cleans up when this one closes its end of a pipe, which dying does too."""
        read_end, self._alive = os.pipe()
        os.set_inheritable(self._alive, False)
        sys.stdout.flush()
        self._watcher = os.fork()
        if self._watcher:
            os.close(read_end)
            return
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.close(self._alive)
        try:
            os.read(read_end, 1)
            _take_down(list(self.names.values()), self.folder)
        finally:
            os._exit(0)

    def _set_up(self):
        switch = self.names["switch"]
        for name in self.names.values():
            _ip("netns", "add", name)
            _ip("-n", name, "link", "set", "lo", "up")
        _ip("-n", switch, "link", "add", "br0", "type", "bridge")
        _ip("-n", switch, "link", "set", "br0", "up")
        table = "127.0.0.1 localhost\n"
        for number, host in enumerate(["start", *self.hosts], 1):
            name, port = self.names[host], f"v{number}"
            _ip("-n", switch, "link", "add", port, "type", "veth", "peer", "name", "e0", "netns", name)
            _ip("-n", switch, "link", "set", port, "master", "br0", "up")
            _ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "e0")
            _ip("-n", name, "link", "set", "e0", "up")
            table += f"10.77.0.{number} {host}\n"
        for host in ["start", *self.hosts]:
            etc = NETNS_ETC / self.names[host]
            etc.mkdir(parents=True)
            (etc / "hosts").write_text(table)
        self._agent = self.folder / "agent"
        self._agent.write_text(f'#!/bin/sh\nhost=$1; shift\nexec ip netns exec "{self.prefix}-$host" '
                               'unshare --uts sh -c "hostname $host; $*"\n')
        self._agent.chmod(0o755)

    def command(self, slots, words, options=()):
        """The command line that starts `words` on so many ranks a node, {host: ranks}."""
        hosts = ",".join(f"{host}:{count}" for host, count in slots.items())
        mpirun = launch.on_ranks(sum(slots.values()), words, [
            "--mca", "plm_rsh_agent", str(self._agent), "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "e0",
            "--mca", "oob_tcp_if_include", "e0", "--host", hosts, *options])
        return ["ip", "netns", "exec", self.names["start"], "unshare", "--uts", "sh", "-c", 'hostname start; exec "$@"', "sh", *mpirun]

    def cut(self, host):
        """Takes the node's network away."""
        _ip("-n", self.names[host], "link", "set", "e0", "down")
