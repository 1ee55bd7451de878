"""Functions of JAX as stages of PySpark's pipelines.

    from hlo4j.spark import HloTransformer
    scorer = HloTransformer(model="mlp.bin", feed=["features"], fetch=["scores"])
    scored = scorer.transform(spark.read.parquet("rows.parquet"))

The class runs on the JVM, on the driver and on the executors, which need a Java 25 and no Python.
Its jars come with the wheel. They get into a session with its first stage; before a pipeline is
loaded into a new session, by `hlo4j.spark.load()`, or by `spark.jars` from the start.
"""

import contextlib
import os
import pathlib

from py4j.protocol import Py4JJavaError
from pyspark import keyword_only
from pyspark.errors import IllegalArgumentException
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import JavaMLReadable, JavaMLReader, JavaMLWritable
from pyspark.ml.wrapper import JavaTransformer
from pyspark.sql import SparkSession

_CLASS = "org.hlo4j.spark.HloTransformer"
_LIB = pathlib.Path(__file__).resolve().parent / "lib"
_WANT = 25


def jars():
  """Returns the paths of the jars, for `--jars` and `spark.jars`."""
  names = ["hlo", "builder", "stablehlo", "interpreter"]
  found = [*_LIB.glob("spark/hlo4j-spark-*.jar")]
  found += [jar for name in names for jar in _LIB.glob(f"hlo4j-{name}-*.jar")]
  if len(found) <= len(names):
    raise RuntimeError(
        f"found no hlo4j-spark in {_LIB}: want a wheel with the jars of Spark's module, as .ci/wheel"
        " makes it, or the jars in spark.jars")
  return [str(jar) for jar in found]


def load():
  """Returns the active session, which has the jars then."""
  spark = SparkSession.active()
  jvm = getattr(spark, "_jvm", None)
  if jvm is None:
    raise RuntimeError("got a session of Spark Connect, want one with a JVM")
  java = jvm.java.lang.System.getProperty("java.specification.version")
  if int(java.split(".")[0]) < _WANT:
    raise RuntimeError(f"Spark runs on Java {java}, want {_WANT} or later: set JAVA_HOME to one")
  if not _is_loaded(jvm):
    loader = spark._jsparkSession.sessionState().resourceLoader()
    for jar in jars():
      loader.addJar(jar)
  return spark


@contextlib.contextmanager
def _refusals():
  """Raises what hlo4j refuses as PySpark raises what Spark refuses, without Java's stack."""
  try:
    yield
  except Py4JJavaError as error:
    if error.java_exception.getClass().getName() != "org.hlo4j.hlo.HloException":
      raise
    raise IllegalArgumentException(error.java_exception.getMessage()) from None


def _is_loaded(jvm):
  loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
  return loader.getResource(_CLASS.replace(".", "/") + ".class") is not None


def _arguments(value):
  """Columns one to one, or a dict of what each belongs to."""
  if isinstance(value, str):
    value = [value]
  if hasattr(value, "items"):
    return {str(column): str(name) for column, name in value.items()}
  return {str(column): str(i) for i, column in enumerate(value)}


def _bytes_or_path(value):
  return bytes(value) if isinstance(value, (bytes, bytearray)) else os.fspath(value)


class _Reader(JavaMLReader):
  """Loads a stage into a session that may have no jars yet."""

  def __init__(self, clazz):
    load()
    super().__init__(clazz)

  @classmethod
  def _java_loader_class(cls, clazz):
    return _CLASS


class HloTransformer(JavaTransformer, JavaMLReadable, JavaMLWritable):
  """A stage that calls a function of JAX with the rows of a table, in batches.

  Args:
    model: the function: what `jax.export.export(jax.jit(f))(...)` gives, the bytes of its
      `serialize()`, or the path of a file with them.
    weights: arguments without a column: the path of a .safetensors or .npz file, or its bytes. An
      array is found by the path of its argument, `args[0]['w']`, the end of one, `w`, also with
      dots, `0.w`, or its position.
    feed: the column of each argument; a list in the order of the arguments, or a dict of columns and
      the names or positions of arguments.
    fetch: the column of each result, in the same way.
    batchSize: how many rows are a batch.
    handleInvalid: what happens to a row that does not suit the function: error, skip or keep.
    evaluator: compiled or reference.
    vectors: which new columns are vectors of ml.linalg.
  """

  feed = Param(
      Params._dummy(), "feed", "which argument a column is, by name or position", _arguments)
  fetch = Param(
      Params._dummy(), "fetch", "which result a new column is, by name or position", _arguments)
  batchSize = Param(
      Params._dummy(), "batchSize", "how many rows are a batch", TypeConverters.toInt)
  handleInvalid = Param(
      Params._dummy(), "handleInvalid", "what happens to a row that does not suit the function:"
      " error, skip or keep", TypeConverters.toString)
  evaluator = Param(
      Params._dummy(), "evaluator", "compiled or reference", TypeConverters.toString)
  vectors = Param(
      Params._dummy(), "vectors", "which new columns are of vectors", TypeConverters.toListString)

  @keyword_only
  def __init__(self, *, model=None, weights=None, feed=None, fetch=None, batchSize=1024,
               handleInvalid="error", evaluator="compiled", vectors=()):
    super().__init__()
    load()
    self._java_obj = self._new_java_obj(_CLASS, self.uid)
    self._setDefault(batchSize=1024, handleInvalid="error", evaluator="compiled", vectors=[])
    self.setParams(**self._input_kwargs)

  @keyword_only
  def setParams(self, *, model=None, weights=None, feed=None, fetch=None, batchSize=1024,
                handleInvalid="error", evaluator="compiled", vectors=()):
    """Sets the params that are given."""
    given = dict(self._input_kwargs)
    model, weights = given.pop("model", None), given.pop("weights", None)
    if model is not None:
      self.setModel(model)
    if weights is not None:
      self.setWeights(weights)
    return self._set(**given)

  def setModel(self, value):
    """Sets the function: an Exported of JAX, its bytes, or the path of a file with them."""
    if hasattr(value, "serialize"):
      value = value.serialize()
    with _refusals():
      self._java_obj.setModel(_bytes_or_path(value))
    return self

  def getModel(self):
    """Returns the bytes of the function."""
    return bytes(self._java_obj.getModel())

  def setWeights(self, value):
    """Sets the arguments without a column: the path of a .safetensors or .npz file, or its bytes."""
    with _refusals():
      self._java_obj.setWeights(_bytes_or_path(value))
    return self

  def getWeights(self):
    """Returns the bytes of the file of weights; none if there is none."""
    return bytes(self._java_obj.getWeights())

  def setFeed(self, value):
    """Sets the column of each argument."""
    return self._set(feed=value)

  def getFeed(self):
    """Returns columns and the names or positions of arguments."""
    return self.getOrDefault(self.feed)

  def setFetch(self, value):
    """Sets the column of each result."""
    return self._set(fetch=value)

  def getFetch(self):
    """Returns columns and the names or positions of results."""
    return self.getOrDefault(self.fetch)

  def setBatchSize(self, value):
    """Sets how many rows are a batch."""
    return self._set(batchSize=value)

  def getBatchSize(self):
    """Returns how many rows are a batch."""
    return self.getOrDefault(self.batchSize)

  def setHandleInvalid(self, value):
    """Sets what happens to a row that does not suit the function: error, skip or keep."""
    return self._set(handleInvalid=value)

  def getHandleInvalid(self):
    """Returns what happens to a row that does not suit the function."""
    return self.getOrDefault(self.handleInvalid)

  def setEvaluator(self, value):
    """Sets the evaluator: compiled or reference."""
    return self._set(evaluator=value)

  def getEvaluator(self):
    """Returns the evaluator."""
    return self.getOrDefault(self.evaluator)

  def setVectors(self, value):
    """Sets which new columns are of vectors."""
    return self._set(vectors=value)

  def getVectors(self):
    """Returns which new columns are of vectors."""
    return self.getOrDefault(self.vectors)

  def _transform(self, dataset):
    with _refusals():
      return super()._transform(dataset)

  def register(self, name):
    """Registers a function of SQL, which calls the model once for each row."""
    self._transfer_params_to_java()
    self._java_obj.register(SparkSession.active()._jsparkSession, name)
    return self

  def modelReads(self):
    """Returns how often executors have read the model for tables of this stage."""
    return self._java_obj.modelReads()

  @classmethod
  def read(cls):
    """Returns what reads a stage from files."""
    return _Reader(cls)


if SparkSession.getActiveSession() is not None:
  load()
