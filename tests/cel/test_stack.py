"""Room on Python's stack, for several threads at a time."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from threading import Thread

import pytest

from crdlint.cel.stack import more_frames, run_with_large_stack


def test_the_limit_is_as_before_in_whatever_order_frames_are_given_back() -> None:
    before = sys.getrecursionlimit()
    first, second = ExitStack(), ExitStack()
    first.enter_context(more_frames(100))
    second.enter_context(more_frames(50))
    assert sys.getrecursionlimit() == before + 150
    first.close()
    assert sys.getrecursionlimit() == before + 50
    second.close()
    assert sys.getrecursionlimit() == before


def test_other_code_may_set_the_limit_meanwhile() -> None:
    before = sys.getrecursionlimit()
    run_with_large_stack(lambda: sys.setrecursionlimit(before + 7))
    assert sys.getrecursionlimit() == before


def test_deep_work_in_several_threads() -> None:
    def depth(left: int) -> int:
        return 0 if left == 0 else 1 + depth(left - 1)

    found: list[int] = []
    threads = [
        Thread(target=lambda: found.append(run_with_large_stack(lambda: depth(9_000))))
        for _ in range(4)
    ]
    before = sys.getrecursionlimit()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [9_000] * 4
    assert sys.getrecursionlimit() == before


def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        run_with_large_stack(lambda: 1 // 0)
