"""The order in which Go's sort.Slice leaves elements, including equal ones. Upstream: package sort (Go 1.22 and later).

A quicksort that falls back to insertion sort and heap sort. It sorts indices, and pushes larger parts on an explicit stack.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_INSERTION: Final = 12
_NINTHER: Final = 50
_MAX_SWAPS: Final = 12
_PARTIAL_STEPS: Final = 5
_UINT64: Final = 2**64 - 1


def sort(length: int, less: Callable[[int, int], bool]) -> list[int]:
    """Return the indices 0 to length-1 in Go's order; `less(i, j)` compares the elements originally at i and j."""
    data = _Data(length, less)
    data.sort()
    return data.order


class _Data:
    """The indices being sorted; `a` (inclusive) and `b` (exclusive) bound a part."""

    __slots__ = ("_less", "order")

    def __init__(self, length: int, less: Callable[[int, int], bool]) -> None:
        self.order = list(range(length))
        self._less = less

    def less(self, i: int, j: int) -> bool:
        return self._less(self.order[i], self.order[j])

    def swap(self, i: int, j: int) -> None:
        order = self.order
        order[i], order[j] = order[j], order[i]

    def sort(self) -> None:
        """Sort parts until none is left; each pending part has its limit and the result of its last partition."""
        length = len(self.order)
        stack = [(0, length, length.bit_length(), True, True)]
        while stack:
            a, b, limit, balanced, partitioned = stack.pop()
            if b - a <= _INSERTION:
                for i in range(a + 1, b):
                    self._shift(range(i, a, -1))
                continue
            if limit == 0:
                self._heap_sort(a, b)
                continue
            if not balanced:
                self._break_patterns(a, b)
                limit -= 1
            pivot, swaps = self._choose_pivot(a, b)
            if swaps == _MAX_SWAPS:
                self.order[a:b] = self.order[a:b][::-1]
                pivot = (b - 1) - (pivot - a)
                swaps = 0
            if balanced and partitioned and swaps == 0 and self._partial_insertion_sort(a, b):
                continue
            if a > 0 and not self.less(a - 1, pivot):
                stack.append((self._partition_equal(a, b, pivot), b, limit, balanced, partitioned))
                continue
            mid, partitioned = self._partition(a, b, pivot)
            left, right = mid - a, b - mid
            balanced = min(left, right) >= (b - a) // 8
            # The smaller part is sorted first, with new state, then the rest of this one.
            if left < right:
                stack += ((mid + 1, b, limit, balanced, partitioned), (a, mid, limit, True, True))
            else:
                stack += ((a, mid, limit, balanced, partitioned), (mid + 1, b, limit, True, True))

    def _sift_down(self, low: int, high: int, first: int) -> None:
        root = low
        while (child := 2 * root + 1) < high:
            if child + 1 < high and self.less(first + child, first + child + 1):
                child += 1
            if not self.less(first + root, first + child):
                return
            self.swap(first + root, first + child)
            root = child

    def _heap_sort(self, a: int, b: int) -> None:
        length = b - a
        for i in range((length - 1) // 2, -1, -1):
            self._sift_down(i, length, a)
        for i in range(length - 1, -1, -1):
            self.swap(a, a + i)
            self._sift_down(0, i, a)

    def _partition(self, a: int, b: int, pivot: int) -> tuple[int, bool]:
        """Move elements less than the pivot before the rest; return the pivot's new index and whether nothing was moved."""
        self.swap(a, pivot)
        rest, moved = self._divide(a + 1, b - 1, lambda index: self.less(index, a))
        self.swap(rest - 1, a)
        return rest - 1, not moved

    def _partition_equal(self, a: int, b: int, pivot: int) -> int:
        """Move elements equal to the pivot, which is the minimum, to the front; return the start of the rest."""
        self.swap(a, pivot)
        return self._divide(a + 1, b - 1, lambda index: not self.less(a, index))[0]

    def _divide(self, i: int, j: int, is_first: Callable[[int], bool]) -> tuple[int, bool]:
        """Move elements to the front of the part from i to j; return the start of the rest and whether any was moved."""
        moved = False
        while True:
            while i <= j and is_first(i):
                i += 1
            while i <= j and not is_first(j):
                j -= 1
            if i > j:
                return i, moved
            self.swap(i, j)
            i, j, moved = i + 1, j - 1, True

    def _partial_insertion_sort(self, a: int, b: int) -> bool:
        """Swap a few pairs of neighbours; return whether the part is sorted."""
        i = a + 1
        for _ in range(_PARTIAL_STEPS):
            while i < b and not self.less(i, i - 1):
                i += 1
            if i == b:
                return True
            if b - a < _NINTHER:
                return False
            self.swap(i, i - 1)
            if i - a >= 2:
                self._shift(range(i - 1, 0, -1))
            if b - i >= 2:
                self._shift(range(i + 1, b))
        return False

    def _shift(self, indices: range) -> None:
        """Swap the element at each index with the one before it while it is less."""
        for j in indices:
            if not self.less(j, j - 1):
                return
            self.swap(j, j - 1)

    def _break_patterns(self, a: int, b: int) -> None:
        """Scatter three elements around the middle, by xorshift seeded with the length."""
        length = b - a
        random = length
        mask = (1 << length.bit_length()) - 1
        middle = a + length // 4 * 2
        for index in (middle - 1, middle, middle + 1):
            random ^= random << 13 & _UINT64
            random ^= random >> 7
            random ^= random << 17 & _UINT64
            other = random & mask
            self.swap(index, a + (other - length if other >= length else other))

    def _choose_pivot(self, a: int, b: int) -> tuple[int, int]:
        """Return the index of the pivot, and the number of swaps among the candidates."""
        quarter = (b - a) // 4
        candidates = [a + quarter, a + quarter * 2, a + quarter * 3]
        swaps = 0
        if b - a >= _NINTHER:
            for index, candidate in enumerate(candidates):
                candidates[index], more = self._median(candidate - 1, candidate, candidate + 1)
                swaps += more
        median, more = self._median(*candidates)
        return median, swaps + more

    def _median(self, a: int, b: int, c: int) -> tuple[int, int]:
        swaps = 0
        if self.less(b, a):
            a, b = b, a
            swaps += 1
        if self.less(c, b):
            b = c
            swaps += 1
        if self.less(b, a):
            b = a
            swaps += 1
        return b, swaps
