"""The random numbers of kernels, in plain Python."""


def splitmix64(seed):
    """Yield the 64-bit numbers of Steele, Lea & Flood's generator."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        bits = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
        yield bits ^ (bits >> 31)


def random_order(seed, groups, length):
    """Which row takes the place of each: blocks of `length` rows change places within each of the groups."""
    numbers, order = splitmix64(seed), {}
    for rows in groups:
        blocks = [rows[first : first + length] for first in range(0, len(rows), length)]
        for last in range(len(blocks) - 1, 0, -1):
            other = (next(numbers) >> 32) * (last + 1) >> 32
            blocks[last], blocks[other] = blocks[other], blocks[last]
        order |= dict(zip(rows, [row for block in blocks for row in block], strict=True))
    return [order[row] for row in range(len(order))]
