"""Runs that end early: by a token, a time limit, fuel, or Ctrl-C."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ENDLESS

import brolga


def test_a_token_stops_a_run_from_another_thread(endless: brolga.Shader) -> None:
    token = brolga.CancelToken()
    threading.Timer(0.05, token.cancel).start()
    with pytest.raises(brolga.StoppedError, match="cancelled"):
        endless.dispatch(4096, {"u0": np.zeros(4096, np.uint32)}, cancel=token)
    assert token.cancelled


def test_limits_stop_a_run_and_leave_what_was_done(endless: brolga.Shader) -> None:
    for limits in ({"time_limit": 0.05}, {"fuel": 100_000}):
        numbers = np.zeros(4096, np.uint32)
        with pytest.raises(brolga.StoppedError):
            endless.dispatch(4096, {"u0": numbers}, **limits)
        assert (numbers[:4095] == np.arange(4095)).all()
    with pytest.raises(brolga.CallError, match="seconds"):
        endless.dispatch(1, {"u0": numbers}, time_limit=-1)


def interrupt_after(seconds: float) -> None:
    thread = threading.Timer(seconds, signal.raise_signal, (signal.SIGINT,))
    thread.start()


def test_ctrl_c_stops_a_run(endless: brolga.Shader) -> None:
    numbers = np.zeros(4096, np.uint32)
    bound = endless.bind({"u0": numbers})
    for run in (lambda: endless.dispatch(4096, {"u0": numbers}), lambda: bound.dispatch(4096)):
        interrupt_after(0.05)
        with pytest.raises(KeyboardInterrupt):
            run()
    bound.dispatch(4095)
    assert (numbers[:4095] == np.arange(4095)).all()


def test_a_handler_that_raises_nothing_lets_the_run_go_on(endless: brolga.Shader) -> None:
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(time.monotonic()))
    try:
        interrupt_after(0.02)
        began = time.monotonic()
        with pytest.raises(brolga.StoppedError):
            endless.dispatch(4096, {"u0": np.zeros(4096, np.uint32)}, time_limit=0.3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(calls) == 1 and calls[0] - began < 0.25


def test_ctrl_c_ends_a_program() -> None:
    """From outside, as a terminal does it."""
    program = (
        "import brolga, numpy, sys\n"
        "shader = brolga.Device(2).compile(sys.stdin.read())\n"
        "print('runs', flush=True)\n"
        "shader.dispatch(4096, {'u0': numpy.zeros(4096, numpy.uint32)})\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", program], **pipes)
    process.stdin.write(ENDLESS)
    process.stdin.close()
    assert process.stdout.readline() == "runs\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == -signal.SIGINT
    assert "KeyboardInterrupt" in process.stderr.read()
