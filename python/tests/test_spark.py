"""Stages of PySpark, by the wheel that carries the jars."""

import pathlib

import pytest

pytest.importorskip("pyspark")

import hlo4j.spark
from hlo4j.spark import HloTransformer
from pyspark.errors import IllegalArgumentException
from pyspark.ml import Pipeline, PipelineModel
from pyspark.sql import SparkSession

MODEL = pathlib.Path(__file__).parents[2] / "examples" / "data" / "mlp.bin"

try:
  hlo4j.spark.jars()
except RuntimeError as none:
  pytest.skip(str(none), allow_module_level=True)


@pytest.fixture(name="spark", scope="module")
def fixture_spark():
  builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
  with builder.getOrCreate() as spark:
    spark.sparkContext.setLogLevel("OFF")
    yield spark


@pytest.fixture(name="table")
def fixture_table(spark):
  return spark.range(0, 100, 1, 1).selectExpr(
      "id", "transform(sequence(1, 8), i -> float(sin(id * i))) as features")


def rows(table):
  return table.orderBy("id").collect()


def test_each_way_to_give_a_model(table):
  by_path = HloTransformer(model=MODEL).transform(table)
  by_bytes = HloTransformer(model=MODEL.read_bytes(), batchSize=7).transform(table)
  assert rows(by_path) == rows(by_bytes)
  assert by_path.columns == ["id", "features", "prediction"]
  assert len(by_path.first().prediction) == 4


def test_an_exported_function_of_jax(table):
  jax = pytest.importorskip("jax")
  rows_of_8 = jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, 8"), "float32")
  twice = jax.export.export(jax.jit(lambda x: x * 2))(rows_of_8)
  scored = HloTransformer(model=twice, feed=["features"], fetch=["twice"]).transform(table)
  for row in scored.collect():
    assert row.twice == [2 * x for x in row.features]


def test_pipelines_are_saved_and_loaded(table, tmp_path):
  stage = HloTransformer(
      model=MODEL, feed={"features": "args[0]"}, fetch=["scores"], batchSize=10, vectors=["scores"],
      handleInvalid="skip", evaluator="reference")
  model = Pipeline(stages=[stage]).fit(table)
  model.save(str(tmp_path / "model"))
  loaded = PipelineModel.load(str(tmp_path / "model"))
  again = loaded.stages[0]
  assert isinstance(again, HloTransformer)
  assert again.uid == stage.uid
  assert again.getModel() == MODEL.read_bytes()
  assert again.getFeed() == {"features": "args[0]"}
  assert again.getFetch() == {"scores": "0"}
  assert again.getVectors() == ["scores"]
  assert (again.getBatchSize(), again.getHandleInvalid()) == (10, "skip")
  assert again.getEvaluator() == "reference"
  assert rows(loaded.transform(table)) == rows(model.transform(table))
  stage.save(str(tmp_path / "stage"))
  assert HloTransformer.load(str(tmp_path / "stage")).getBatchSize() == 10


def test_weights(table, tmp_path):
  jax = pytest.importorskip("jax")
  import numpy as np
  rows_of_8 = jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, 8"), "float32")
  weights = {"w": jax.ShapeDtypeStruct((8, 3), "float32"), "b": jax.ShapeDtypeStruct((3,), "float32")}
  dense = jax.export.export(jax.jit(lambda params, x: x @ params["w"] + params["b"]))(
      weights, rows_of_8)
  np.savez(tmp_path / "w.npz", w=np.eye(8, 3, dtype="float32"), b=np.float32([1, 0, 2]))
  scorer = HloTransformer(model=dense, weights=tmp_path / "w.npz", fetch=["y"])
  for row in scorer.transform(table).collect():
    assert row.y == (np.float32(row.features[:3]) + np.float32([1, 0, 2])).tolist()
  scorer.save(str(tmp_path / "stage"))
  loaded = HloTransformer.load(str(tmp_path / "stage"))
  assert loaded.getWeights() == (tmp_path / "w.npz").read_bytes()
  assert rows(loaded.transform(table)) == rows(scorer.transform(table))
  with pytest.raises(IllegalArgumentException, match="weights: got .*, want a .safetensors or"):
    HloTransformer(model=dense, weights=b"no weights")


def test_refusals(table):
  with pytest.raises(IllegalArgumentException, match="got no x in .id, features., want one for args"):
    HloTransformer(model=MODEL, feed=["x"]).transform(table)
  with pytest.raises(IllegalArgumentException, match="want what Exported.serialize.. gives"):
    HloTransformer(model=b"no model")
  short = table.selectExpr("id", "slice(features, 1, int(8 - id % 2)) as features")
  with pytest.raises(Exception, match="row 1 of partition 0 .id 1.: column features: got 7 numbers"):
    HloTransformer(model=MODEL).transform(short).collect()
  assert HloTransformer(model=MODEL, handleInvalid="skip").transform(short).count() == 50


def test_function_of_sql(spark, table):
  HloTransformer(model=MODEL).register("classify")
  table.createOrReplaceTempView("rows")
  wanted = [row.prediction for row in rows(HloTransformer(model=MODEL).transform(table))]
  assert [row.p for row in rows(spark.sql("select id, classify(features) p from rows"))] == wanted
