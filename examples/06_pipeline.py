"""
Breast cancer: how few columns does a classifier need?
======================================================

Thirty measurements of cell nuclei tell benign from malignant tumours. Many of them say the same thing. Which ones are
enough, and does a model lose anything with them alone?
"""

# %%
# The data come with scikit-learn: 569 tumours, and mean, standard error and worst value of ten measurements.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import infold

tumours = load_breast_cancer(as_frame=True)
rows = tumours.frame.sample(frac=1, random_state=0)  # the file has runs of one class, and order means nothing
X, malignant = rows[tumours.feature_names], rows["target"] == 0

# %%
# Almost everything is relevant
# -----------------------------
# Taken one by one, nearly all columns tell about the class, so a filter that scores single columns removes little:
alone = infold.relevance(X, malignant, random_state=0)
print(f"{alone.relevant_x.sum()} of {X.shape[1]} columns are relevant by themselves")

# %%
# A column may come next only if it tells something that the chosen ones do not
# -----------------------------------------------------------------------------
# `InformationSelector` is a scikit-learn transformer. It adds one column after the other as long as a test, corrected
# for the number of columns, shows that the next one still depends on the class given those chosen before.
selector = infold.selection.InformationSelector(random_state=0).fit(X, malignant)
for step in selector.path_:
    print(f"{step.name:25} {step.score:6.3f} nats   p = {step.pvalue:.3f}")

# %%
# In a pipeline
# -------------
# Selecting columns on all rows and judging the model on the same rows would be cheating. In a pipeline the selector
# is fitted again on each training fold.
folds = StratifiedKFold(5, shuffle=True, random_state=0)
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
few = make_pipeline(
    infold.selection.InformationSelector(min_features_to_select=1, random_state=0), *(step for _, step in model.steps)
)
scores = {
    "all 30 columns": cross_val_score(model, X, malignant, cv=folds, scoring="neg_log_loss"),
    "selected columns": cross_val_score(few, X, malignant, cv=folds, scoring="neg_log_loss"),
    "best single column": cross_val_score(
        model, X[[X.columns[alone.scores_x.argmax()]]], malignant, cv=folds, scoring="neg_log_loss"
    ),
}

fig, ax = plt.subplots(figsize=(6.5, 2.6), layout="constrained")
for row, values in enumerate(scores.values()):
    ax.plot(-values, np.full(len(values), row), "o", color="0.6", markersize=5)
    ax.plot(-values.mean(), row, "D", color="#1f4e79", markersize=9)
ax.set_yticks(range(len(scores)), scores)
ax.set(xlabel="log-loss in nats, less is better (dots: folds, diamonds: mean)", ylim=(-0.5, 2.5))
ax.invert_yaxis()

# %%
# The selected columns do nearly as well as all thirty, and far better than the best single one. Note the second step:
# by itself it tells next to nothing about the class, and a filter would have thrown it away. It counts because it
# makes the first one more precise.
