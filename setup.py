"""The one compiled file. Everything else about the project stands in pyproject.toml."""

from setuptools import Extension, setup

# optional: where it cannot be compiled, the package installs all the same and uses the Python twins of its loops
setup(ext_modules=[Extension("edrew_torch._compiled", ["edrew_torch/_compiled.c"], optional=True)])
