"""Use every kernel; after `infold compile` nothing is left to compile, and `.ci/smoke` checks that nothing was."""

import warnings

import numpy as np

import infold

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 8))
Y = X + rng.normal(size=X.shape)
X.flags.writeable = Y.flags.writeable = False  # as those that another process sent
for d_x, d_y in ((1, 1), (1, 3), (8, 8)):
    for n in (60, 4000):
        infold.KSG().fit(X[:n, :d_x], Y[:n, :d_y])
        infold.GeodesicKSG(n_estimators=3, random_state=0).fit(X[:n, :d_x], Y[:n, :d_y])
    x, y = X[:200, :d_x].copy(), Y[:200, :d_y].copy()
    infold.Adaptive(random_state=0).fit(x, y)
    infold.KSG(metric="euclidean").fit(x, y)
    infold.KSG(metric=("chebyshev", "euclidean"), standardize=False, n_jobs=2).fit(x, y)
    infold.GKNN().fit(x, y)
    for variant in ("defined", "rmi"):
        infold.LNN(variant=variant).fit(x, y)
    for local_distance in ("paper", "released", "everywhere"):
        for criterion in ("fast_bic", "two_means"):
            for split_search in ("fast", "exact"):
                infold.GeodesicKSG(
                    n_estimators=3,
                    local_distance=local_distance,
                    criterion=criterion,
                    split_search=split_search,
                    max_queries=20,
                    max_samples=0.5,
                    min_samples_split=9,
                    n_jobs=2,
                ).fit(x, y)
        forest = infold.GeodesicForest(n_estimators=3, local_distance=local_distance).fit(x)
        forest.apply(x[:5], columns=[0]), forest.proximity(), forest.distance(x[:5]), forest.kneighbors()
for method in ("ksg", "gksg", "auto"):
    options = {"n_estimators": 3} if method == "gksg" else {}
    infold.independence_test(X[:90], Y[:90], method=method, n_permutations=4, verbose=0, **options)
    infold.confidence_interval(X[:90], Y[:90], method=method, n_subsamples=8, verbose=0, **options)
