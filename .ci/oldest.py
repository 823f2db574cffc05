"""Print the oldest versions that pyproject.toml admits, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
wanted = [*project["dependencies"], *extras["plot"], *extras["report"], *extras["dev"]]
floors = dict(match.groups() for one in wanted if (match := re.fullmatch(r"([\w.-]+)>=([\w.]+)", one)))
tools = {"coverage", "hypothesis", "mypy", "pypdf", "pytest", "ruff", "selenium"}  # they test, and are not tested
print("\n".join(f"{name}=={floor}" for name, floor in floors.items() if name not in tools))
