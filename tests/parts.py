"""Parts of kernels cannot be called from Python; a kernel around one of them can."""

import numba


def from_python(part):
    """Return a function that calls the `part` with positional arguments."""

    @numba.njit(error_model="numpy")
    def call(*arguments):
        return part(*arguments)

    return call
