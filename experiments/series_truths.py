"""Transfer entropies whose truth is known: KSG and auto beside infomeasure and ennemi.

    python experiments/series_truths.py [--sets 10]

Mean ± standard deviation of the estimates, in nats; KSG with k = 4. The truth of Gaussian series is half the logarithm
of two conditional variances, from their joint covariance. infomeasure and ennemi must be installed. Writes
experiments/results/series-truths.md.
"""

import argparse
import warnings
from pathlib import Path

import ennemi
import infomeasure
import numpy as np
from scipy.linalg import solve_discrete_lyapunov
from scipy.signal import lfilter

import infold

RESULTS = Path(__file__).parent / "results" / "series-truths.md"
BURN = 200
GAUSSIAN = {  # memory of x, memory of y, coupling, noise of y
    "x white, coupling 1": (0.0, 0.5, 1.0, 1.0),
    "x white, coupling .4, noise .5": (0.0, 0.5, 0.4, 0.5),
    "x of AR(.6), coupling .4": (0.6, 0.5, 0.4, 1.0),
    "x of AR(.5), y of AR(.6), coupling .4": (0.5, 0.6, 0.4, 1.0),
    "x of AR(.9), coupling .3": (0.9, 0.8, 0.3, 1.0),
}


def gaussian(n, rng, memory, alpha, gamma, sigma):
    """Return x of AR(memory) and y that follows it one step later."""
    noise = rng.standard_normal((2, n + BURN))
    x = lfilter([1], [1, -memory], noise[0])
    y = lfilter([1], [1, -alpha], sigma * noise[1] + gamma * np.r_[0.0, x[:-1]])
    return x[BURN:], y[BURN:]


def gaussian_truth(memory, alpha, gamma, sigma):
    """Return I(x before; y | y before): y has the variance σ² given both, and more given its own past alone."""
    step, noise = np.array([[memory, 0.0], [gamma, alpha]]), np.diag([1.0, sigma**2])
    cov = solve_discrete_lyapunov(step, noise)
    x_given_y = cov[0, 0] - cov[0, 1] ** 2 / cov[1, 1]
    return 0.5 * np.log1p(gamma**2 * x_given_y / sigma**2)


def logistic(n, rng, coupling):
    """Return two logistic maps, of which the first drives the second."""
    state = rng.uniform(0.2, 0.8, 2)
    out = np.empty((n + BURN, 2))
    for t in range(n + BURN):
        x, y = state
        mixed = (1 - coupling) * y + coupling * x
        state = out[t] = 4 * x * (1 - x), 4 * mixed * (1 - mixed)
    return out[BURN:].T


def estimates(x, y, seed):
    """Return the transfer entropy x → y by KSG, auto, infomeasure and ennemi."""
    ask = {"n_surrogates": 0, "n_jobs": 1, "verbose": 0}
    a, b = ((v - v.mean()) / v.std(ddof=1) for v in (x, y))
    return (
        infold.transfer_entropy(x, y, **ask).te,
        infold.transfer_entropy(x, y, method="auto", random_state=seed, **ask).te,
        float(infomeasure.transfer_entropy(a, b, approach="ksg", k=4, noise_level=0)),
        float(np.ravel(ennemi.estimate_mi(b[1:], a[:-1], cond=b[:-1], k=4, preprocess=False))[0]),
    )


def main() -> None:
    """Measure all cases, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=10)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    cases = [(f"{name} {way}", lambda n, rng, own=own: gaussian(n, rng, *own), way, truth)
             for name, own in GAUSSIAN.items()
             for way, truth in (("→", f"{gaussian_truth(*own):.4f}"), ("←", "0"))]  # fmt: skip
    cases += [(f"logistic maps, coupling .3 {way}", lambda n, rng: logistic(n, rng, 0.3), way, truth)
              for way, truth in (("→", "large"), ("←", "near 0"))]  # fmt: skip
    lines = ["| | n | truth | KSG | auto | infomeasure | ennemi |", "|---|--:|--:|--:|--:|--:|--:|"]
    for name, make, way, truth in cases:
        for n in (500, 2000):
            found = []
            for seed in range(arguments.sets):
                x, y = make(n, np.random.default_rng([seed, n, 22]))
                found.append(estimates(*((x, y) if way == "→" else (y, x)), seed))
            cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(np.mean(found, axis=0), np.std(found, axis=0), strict=True)]
            lines.append(f"| {name} | {n:,} | {truth} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
