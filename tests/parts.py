"""Parts of kernels can be called by kernels alone; a kernel around one of them can be called from Python."""

from infold.core.jit import uncached

kernel = uncached()


def from_python(part):
    """Return a function that calls the `part` with positional arguments."""

    @kernel
    def call(*arguments):
        return part(*arguments)

    return call
