"""Tables with known dependence."""


def correlated(rng, n, p, q, strength=0.5):
    z = rng.normal(size=(n, p + q))
    return z[:, :p], z[:, p:] + strength * z[:, :1]
