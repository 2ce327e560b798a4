"""An integer that knows what was done with it: operation counts of an answer."""

from typing import Any

ONES = (1 << 64) - 1


class CountedBits:
    """An integer of 64 bits that counts what is done with it.

    :param value: 0 to 2**64 - 1.
    :param count: a list of one number, which is shared with all that is made from it.

    >>> bits = CountedBits(0b1100, [0])
    >>> (bits & -bits).bit_length(), bits.n_operations
    (3, 3)
    """

    def __init__(self, value: int, count: list[int]) -> None:
        self.value, self.count = value & ONES, count

    @property
    def n_operations(self) -> int:
        """How many operations there were."""
        return self.count[0]

    def made(self, value: int) -> "CountedBits":
        """Return another integer, the result of one operation.

        :param value: any; what is above 64 bits is lost.
        """
        self.count[0] += 1
        return CountedBits(value, self.count)

    def __and__(self, other: Any) -> "CountedBits":
        return self.made(self.value & value_of(other))

    def __or__(self, other: Any) -> "CountedBits":
        return self.made(self.value | value_of(other))

    def __xor__(self, other: Any) -> "CountedBits":
        return self.made(self.value ^ value_of(other))

    def __add__(self, other: Any) -> "CountedBits":
        return self.made(self.value + value_of(other))

    def __sub__(self, other: Any) -> "CountedBits":
        return self.made(self.value - value_of(other))

    def __rsub__(self, other: Any) -> "CountedBits":
        return self.made(value_of(other) - self.value)

    def __lshift__(self, other: Any) -> "CountedBits":
        return self.made(self.value << value_of(other))

    def __rlshift__(self, other: Any) -> "CountedBits":
        return self.made(value_of(other) << self.value)

    def __rshift__(self, other: Any) -> "CountedBits":
        return self.made(self.value >> value_of(other))

    def __floordiv__(self, other: Any) -> "CountedBits":
        return self.made(self.value // value_of(other))

    def __mod__(self, other: Any) -> "CountedBits":
        return self.made(self.value % value_of(other))

    def __neg__(self) -> "CountedBits":
        return self.made(-self.value)

    def __invert__(self) -> "CountedBits":
        return self.made(~self.value)

    __rand__, __ror__, __rxor__, __radd__ = __and__, __or__, __xor__, __add__

    def __bool__(self) -> bool:
        return self.made(self.value).value != 0

    def __eq__(self, other: object) -> bool:
        return self.made(self.value).value == value_of(other)

    def __lt__(self, other: Any) -> bool:
        return self.made(self.value).value < value_of(other)

    def __gt__(self, other: Any) -> bool:
        return self.made(self.value).value > value_of(other)

    def __hash__(self) -> int:
        return hash(self.made(self.value).value)

    def bit_length(self) -> int:
        """Return the number of bits up to the highest one."""
        return self.made(self.value).value.bit_length()

    def bit_count(self) -> int:
        """Return the number of ones."""
        return self.made(self.value).value.bit_count()

    def __index__(self) -> int:
        # `bin` and its like go through all bits.
        self.count[0] += 64
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.__index__(), spec)


def value_of(number: Any) -> int:
    """Return a plain integer.

    >>> value_of(CountedBits(3, [0])), value_of(4)
    (3, 4)
    """
    return number.value if isinstance(number, CountedBits) else int(number)
