"""Where PySpark looks for the Python side of the Java class of a stage that it loads."""

from hlo4j.spark import HloTransformer

__all__ = ["HloTransformer"]
