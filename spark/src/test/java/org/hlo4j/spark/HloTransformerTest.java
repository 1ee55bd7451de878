package org.hlo4j.spark;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.base.Throwables;
import com.google.common.collect.Maps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables through functions of JAX, in a session with two threads. */
final class HloTransformerTest {
  /** Classifiers of f32[b,8]: of 4 labels and of 8. */
  static final String FIRST = "../examples/data/mlp.bin";

  static final String SECOND =
      "../tools/src/test/resources/org/hlo4j/tools/exports/multi_platform/export.bin";

  private static final String OWN = "src/test/resources/org/hlo4j/spark/";

  private SparkSession spark;

  @BeforeEach
  void start() {
    spark = Sessions.local();
  }

  /** A table with an id and eight features. */
  static Dataset<Row> table(SparkSession spark, int rows) {
    return spark
        .range(rows)
        .selectExpr("id", "transform(sequence(1, 8), i -> float(sin(id * i))) as features");
  }

  static HloTransformer classifier(String model) throws IOException {
    return new HloTransformer().setModel(model);
  }

  /** Returns the scores of {@link #table}, of a function that is called once for all. */
  static List<List<Float>> wanted(Dataset<Row> table, String model) throws IOException {
    float[][] features =
        table.collectAsList().stream()
            .map(row -> {
              List<Float> given = row.getList(1);
              float[] values = new float[given.size()];
              for (int i = 0; i < values.length; i++) {
                values[i] = given.get(i);
              }
              return values;
            })
            .toArray(float[][]::new);
    Evaluator evaluator = Interpreter.compiled();
    JaxFunction function =
        new JaxFunction(
            JaxExport.read(Path.of(model)),
            (module, bound) -> evaluator.compile(module).bind(bound)::run);
    float[][] scores = ((Literal) function.call(Literal.of(features))).toArray(float[][].class);
    return Arrays.stream(scores).map(HloTransformerTest::list).toList();
  }

  private static List<Float> list(float[] values) {
    Float[] boxed = new Float[values.length];
    Arrays.setAll(boxed, i -> values[i]);
    return List.of(boxed);
  }

  /** Returns the values of a column, in the order of the ids. */
  static List<List<Float>> scores(Dataset<Row> scored) {
    return scored.orderBy("id").select("prediction").collectAsList().stream()
        .map(row -> row.isNullAt(0) ? null : row.<Float>getList(0))
        .map(list -> list == null ? null : List.copyOf(list))
        .toList();
  }

  @Test
  void bitsDependNeitherOnBatchesNorOnPartitions() throws IOException {
    Dataset<Row> table = table(spark, 2500);
    List<List<Float>> wanted = wanted(table, FIRST);
    for (int partitions : new int[] {1, 3, 8, 64}) {
      for (int rows : new int[] {17, 1000, 100_000}) {
        assertWithMessage("%s partitions, batches of %s", partitions, rows)
            .that(
                scores(
                    classifier(FIRST).setBatchSize(rows).transform(table.repartition(partitions))))
            .isEqualTo(wanted);
      }
    }
  }

  /** In one session, and the first one once more; each is read once. */
  @Test
  void eachModelIsAFunctionOfItsOwn() throws IOException {
    Dataset<Row> table = table(spark, 100);
    HloTransformer stage = classifier(FIRST);
    assertThat(scores(stage.transform(table))).isEqualTo(wanted(table, FIRST));
    assertThat(scores(classifier(SECOND).transform(table))).isEqualTo(wanted(table, SECOND));
    assertThat(scores(stage.transform(table))).isEqualTo(wanted(table, FIRST));
    stage.setModel(SECOND);
    assertThat(scores(stage.transform(table))).isEqualTo(wanted(table, SECOND));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "array(1f, 2f) | 2 numbers",
        "array_repeat(1f, 9) | 9 numbers",
        "null | null",
        "array(1f, null, 1f, 1f, 1f, 1f, 1f, 1f) | null in an array"
      })
  void aRowThatDoesNotSuit(String features, String got) throws IOException {
    Dataset<Row> table = table(spark, 10).repartition(1).orderBy("id");
    Dataset<Row> wrong =
        table.selectExpr("id", "if(id = 3, " + features + ", features) as features");
    List<List<Float>> wanted = new java.util.ArrayList<>(wanted(table, FIRST));
    HloTransformer stage = classifier(FIRST);
    Exception refusal = assertThrows(Exception.class, () -> stage.transform(wrong).collectAsList());
    assertThat(Throwables.getRootCause(refusal))
        .hasMessageThat()
        .contains(
            "row 3 of partition 0 (id 3): column features: got "
                + got
                + ", want 8 numbers of f32 for args[0] float32[b,8]");
    wanted.set(3, null);
    assertThat(scores(stage.setHandleInvalid("keep").transform(wrong))).isEqualTo(wanted);
    wanted.remove(3);
    assertThat(scores(stage.setHandleInvalid("skip").transform(wrong))).isEqualTo(wanted);
  }

  /** Each of Spark's types is each element type that it suits, and comes back as one. */
  @Test
  void types() throws IOException {
    Dataset<Row> table =
        spark.sql(
            "select 1.5d bfloat16, true bool_, 2.5f float16, 7 float32, 1e-3f float64,"
                + " 300 int16, 70000L int32, 5S int64, 127 int8, 65534L uint16, 4294967294L uint32,"
                + " 200 uint8");
    Row row =
        new HloTransformer()
            .setModel(OWN + "types.bin")
            .setFetch("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
            .transform(table)
            .select("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
            .first();
    assertThat(row.toSeq().mkString(" "))
        .isEqualTo("2.5 false 3.5 8.0 1.0010000000474975 301 70001 6 -128 65535 4294967295 201");
    assertThat(row.schema().catalogString())
        .isEqualTo(
            "struct<a:float,b:boolean,c:float,d:float,e:double,f:smallint,g:int,h:bigint,"
                + "i:tinyint,j:int,k:bigint,l:smallint>");
  }

  /** Batches of five rows, and no others: of nested arrays, flat ones, vectors, arrays of them. */
  @Test
  void aFunctionOfACertainNumberOfRows() throws IOException {
    String nested = "array(array(id, 1, 2), array(3, 4, 5))";
    HloTransformer stage =
        new HloTransformer().setModel(OWN + "fixed.bin").setFeed("x").setFetch("y");
    for (String x : List.of(nested, "flatten(" + nested + ")", "v", "array(first, second)")) {
      Dataset<Row> table = spark.range(7).selectExpr("id", "1 a", "2 b", "3 c", "4 d", "5 e");
      table = vectors(table, "first", "id", "a", "b");
      table = vectors(table, "second", "c", "d", "e");
      table = vectors(table, "v", "first", "second").selectExpr("id", x + " as x");
      List<Row> rows = stage.transform(table).orderBy("id").select("y").collectAsList();
      for (int i = 0; i < 7; i++) {
        assertThat(rows.get(i).getSeq(0).mkString(" "))
            .isEqualTo("ArraySeq(" + 2 * i + ".0, 6.0) ArraySeq(2.0, 8.0) ArraySeq(4.0, 10.0)");
      }
    }
  }

  private static Dataset<Row> vectors(Dataset<Row> table, String name, String... columns) {
    return new VectorAssembler().setInputCols(columns).setOutputCol(name).transform(table);
  }

  /** A function of x and of two layers with a matrix w and a vector b each. */
  private static HloTransformer dense(Map<String, Literal> weights, Path folder)
      throws IOException {
    Path file = folder.resolve("weights.safetensors");
    Safetensors.write(file, weights);
    return new HloTransformer()
        .setModel(OWN + "dense.bin")
        .setWeights(file.toString())
        .setFetch("y");
  }

  private static final Map<String, Literal> WEIGHTS =
      Map.of(
          "0.w", Literal.of(new float[][] {{1, 2, 3, 4}, {5, 6, 7, 8}, {-1, -2, -3, -4}}),
          "[0]['b']", Literal.of(new float[] {1, 0, -1, 0}),
          "args[1][1]['w']", Literal.of(new float[][] {{1, -1}, {2, 1}, {0, 1}, {1, 0}}),
          "3", Literal.of(new float[] {0, 1}),
          "unused", Literal.of(7));

  /** By the end of a path, by a path, and by position; the argument that is left is fed. */
  @Test
  void weightsByName(@TempDir Path folder) throws IOException {
    Dataset<Row> table =
        spark.range(9).selectExpr("id", "array(id * 0.1f, 0.2f, id * 0.3f) as features");
    HloTransformer stage = dense(WEIGHTS, folder).setBatchSize(4);
    List<Row> scored = stage.transform(table).collectAsList();
    assertThat(scored.get(5).getList(2).toString()).isEqualTo("[-0.9138109, -0.88847923]");
    assertThat(stage.modelReads()).isEqualTo(1);
    stage.write().overwrite().save(folder + "/stage");
    HloTransformer loaded = HloTransformer.load(folder + "/stage");
    assertThat(loaded.getWeights()).isEqualTo(stage.getWeights());
    assertThat(loaded.transform(table).collectAsList()).isEqualTo(scored);
    Path npz = folder.resolve("weights.npz");
    Npz.write(npz, Maps.filterKeys(WEIGHTS, name -> !name.equals("unused")));
    stage.setWeights(npz.toString());
    assertThat(stage.transform(table).collectAsList()).isEqualTo(scored);
    Map<String, Literal> others = new HashMap<>(WEIGHTS);
    others.put("3", Literal.of(new float[] {0, 0}));
    assertThat(dense(others, folder).transform(table).collectAsList()).isNotEqualTo(scored);
  }

  /** A weight is missing, ambiguous, there twice, or of another shape or type; a column is none. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3  |         | model: args[1][1]['b']: got float32[2], want its first size, and no other,"
            + " to be the number of rows, b",
        "   | w       | weights: array w: got w, want one of [args[0], args[1][0]['b'],"
            + " args[1][0]['w'], args[1][1]['b'], args[1][1]['w']], or their positions",
        "   | 2       | weights: array 2: got 2, want another than for 0.w",
        "3  | [1]['b'] | weights: array [1]['b']: got f32[3], want float32[2] for args[1][1]['b']",
      })
  void wrongWeights(String without, String with, String told, @TempDir Path folder)
      throws IOException {
    Map<String, Literal> weights = new HashMap<>(WEIGHTS);
    weights.remove(without);
    if (with != null) {
      weights.put(with, Literal.of(new float[3]));
    }
    HloTransformer stage = dense(weights, folder);
    assertThat(assertThrows(HloException.class, () -> stage.transform(table(spark, 1))))
        .hasMessageThat()
        .isEqualTo(told);
  }

  @Test
  void vectorsOut() throws IOException {
    Row row =
        classifier(FIRST)
            .setVectors("prediction")
            .transform(table(spark, 1))
            .select("prediction")
            .first();
    assertThat(row.get(0).toString())
        .isEqualTo(
            "[0.02705773152410984,0.8450206518173218,0.12610331177711487,0.001818330492824316]");
  }

  /** Rows of 1 to 7 ids; the order of the table is kept. */
  @Test
  void rowsOfAnyLength() throws IOException {
    Dataset<Row> table =
        spark
            .range(0, 40, 1, 1)
            .selectExpr("id", "slice(sequence(0L, 9L), 1, int(1 + id % 7)) as ids")
            .selectExpr("id", "ids", "transform(ids, i -> i % 2 = 0) as mask");
    HloTransformer stage = new HloTransformer().setModel(OWN + "tokens.bin").setBatchSize(4);
    List<Row> together = stage.transform(table).collectAsList();
    List<Row> alone = stage.setBatchSize(1).transform(table).collectAsList();
    assertThat(together).isEqualTo(alone);
    assertThat(together.stream().map(row -> row.getLong(0)).toList()).isInStrictOrder();
    assertThat(together.stream().map(row -> row.<Integer>getAs("count")).limit(8).toList())
        .containsExactly(1, 1, 2, 2, 3, 3, 4, 1)
        .inOrder();
    assertThat(together.get(4).<scala.collection.Seq<?>>getAs("each").size()).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "array(1, 2) | array(true) | tokens: kwargs['mask'] got pred[4,1], want bool[b,s] with"
            + " b = 4 of kwargs['ids'], s = 2 of kwargs['ids']",
        "slice(array(1), 1, 0) | slice(array(true), 1, 0) | Input shapes do not match the"
            + " polymorphic shapes specification. Expected value >= 1 for dimension variable 's'.",
        "array(1, 3000000000) | array(true, true) | column ids: got 3000000000, want numbers of"
            + " s32 for kwargs['ids'] int32[b,s]",
      })
  void aRowOfUnsuitableLengthOrValue(String ids, String mask, String told) throws IOException {
    HloTransformer stage = new HloTransformer().setModel(OWN + "tokens.bin");
    Dataset<Row> table = spark.sql("select " + ids + " ids, " + mask + " mask");
    Exception refusal = assertThrows(Exception.class, () -> stage.transform(table).collectAsList());
    assertThat(Throwables.getRootCause(refusal))
        .hasMessageThat()
        .contains("row 0 of partition 0: " + told);
    assertThat(stage.setHandleInvalid("skip").transform(table).count()).isEqualTo(0);
  }

  /** Before a job starts. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 a | feed: got no features in [a], want one for args[0] float32[b,8]",
        "string(1) features | column features: got STRING, want arrays of numbers for args[0]"
            + " float32[b,8]",
        "1f features | column features: got FLOAT, want arrays of numbers for args[0]"
            + " float32[b,8]",
        "array(array(1f)) features | column features: got ARRAY<ARRAY<FLOAT>>, want arrays of"
            + " numbers for args[0] float32[b,8]",
        "array(true) features | column features: got ARRAY<BOOLEAN>, want arrays of numbers for"
            + " args[0] float32[b,8]",
        "array(1) features, 2 prediction | fetch: column prediction is there already, want another"
            + " name for result float32[b,4]",
      })
  void refusedSchemas(String columns, String told) throws IOException {
    Dataset<Row> table = spark.sql("select " + columns);
    HloTransformer stage = classifier(FIRST);
    HloException refusal = assertThrows(HloException.class, () -> stage.transform(table));
    assertThat(refusal).hasMessageThat().isEqualTo(told);
  }

  @Test
  void refusedParams() throws IOException {
    Dataset<Row> table = table(spark, 1);
    Map<String, HloTransformer> refused =
        Map.of(
            "feed: column features: got x, want one of [args[0]], or their positions",
            classifier(FIRST).setFeed(Map.of("features", "x")),
            "feed: column b: got 0, want another than for a",
            classifier(FIRST).setFeed(new java.util.TreeMap<>(Map.of("a", "0", "b", "0"))),
            "fetch: column y: got 1, want one of [result], or their positions",
            classifier(FIRST).setFetch("x", "y"),
            "vectors: got x, want one of [prediction]",
            classifier(FIRST).setVectors("x"));
    refused.forEach((told, stage) ->
        assertThat(assertThrows(HloException.class, () -> stage.transform(table)))
            .hasMessageThat()
            .isEqualTo(told));
  }

  @Test
  void vectorsOfAnotherLengthAreRefusedBeforeAJob() throws IOException {
    Dataset<Row> table =
        new VectorAssembler()
            .setInputCols(new String[] {"id", "id"})
            .setOutputCol("features")
            .transform(spark.range(1).toDF());
    HloTransformer stage = classifier(FIRST);
    assertThat(assertThrows(HloException.class, () -> stage.transform(table)))
        .hasMessageThat()
        .isEqualTo("column features: got vectors of 2, want 8 for args[0] float32[b,8]");
  }

  @Test
  void pipelinesAreSavedAndLoaded(@TempDir Path folder) throws IOException {
    HloTransformer stage =
        classifier(FIRST)
            .setFeed(Map.of("features", "args[0]"))
            .setFetch(Map.of("prediction", "result"))
            .setBatchSize(7)
            .setHandleInvalid("skip")
            .setEvaluator("reference");
    HloTransformer next = classifier(SECOND).setFetch("second").setVectors("second");
    Dataset<Row> table = table(spark, 20);
    PipelineModel model = new Pipeline().setStages(new PipelineStage[] {stage, next}).fit(table);
    model.write().overwrite().save(folder.resolve("model").toString());
    PipelineModel loaded = PipelineModel.load(folder.resolve("model").toString());
    HloTransformer again = (HloTransformer) loaded.stages()[0];
    assertThat(again.uid()).isEqualTo(stage.uid());
    assertThat(again.getModel()).isEqualTo(Files.readAllBytes(Path.of(FIRST)));
    assertThat(again.getFeed()).containsExactly("features", "args[0]");
    assertThat(again.getBatchSize()).isEqualTo(7);
    assertThat(again.getHandleInvalid()).isEqualTo("skip");
    assertThat(again.getEvaluator()).isEqualTo("reference");
    assertThat(loaded.transform(table).collectAsList())
        .isEqualTo(model.transform(table).collectAsList());
    assertThat(loaded.transform(table).columns())
        .asList()
        .containsExactly("id", "features", "prediction", "second")
        .inOrder();
  }

  @Test
  void streams(@TempDir Path folder) throws Exception {
    Dataset<Row> table = table(spark, 50);
    table.repartition(3).write().parquet(folder.resolve("in").toString());
    StreamingQuery query =
        classifier(FIRST)
            .transform(
                spark.readStream().schema(table.schema()).parquet(folder.resolve("in").toString()))
            .writeStream()
            .format("memory")
            .queryName("scored")
            .trigger(Trigger.AvailableNow())
            .option("checkpointLocation", folder.resolve("checkpoint").toString())
            .start();
    query.awaitTermination();
    assertThat(scores(spark.table("scored"))).isEqualTo(wanted(table, FIRST));
  }

  @Test
  void functionOfSql() throws IOException {
    Dataset<Row> table = table(spark, 10);
    classifier(FIRST).register(spark, "classify");
    table.createOrReplaceTempView("rows");
    assertThat(scores(spark.sql("select id, classify(features) as prediction from rows")))
        .isEqualTo(wanted(table, FIRST));
    new HloTransformer()
        .setModel(OWN + "tokens.bin")
        .setHandleInvalid("keep")
        .register(spark, "tokens");
    assertThat(
            spark
                .sql(
                    "select tokens(array(1, 2), array(true, true)).count, tokens(array(1),"
                        + " array(true, true))")
                .first()
                .toString())
        .isEqualTo("[2,null]");
    assertThat(
            assertThrows(
                HloException.class, () -> spark.sql("select classify(1, 2)").collectAsList()))
        .hasMessageThat()
        .isEqualTo("classify: got 2 operands, want [features]");
  }

  @Test
  void emptyTablesAndPartitions() throws IOException {
    Dataset<Row> table = table(spark, 3);
    assertThat(classifier(FIRST).transform(table.filter("id < 0")).count()).isEqualTo(0);
    assertThat(scores(classifier(FIRST).transform(table.repartition(20, col("id")))))
        .isEqualTo(wanted(table, FIRST));
  }

  @Test
  void pluginAsEvaluator() throws IOException {
    assumeTrue(Files.exists(Path.of(System.getProperty("hlo4j.pjrt.plugin", ""))), "no plugin");
    Dataset<Row> table = table(spark, 100);
    HloTransformer stage =
        classifier(FIRST).setEvaluator("pjrt:" + System.getProperty("hlo4j.pjrt.plugin"));
    List<List<Float>> scores = scores(stage.transform(table));
    List<List<Float>> wanted = wanted(table, FIRST);
    for (int i = 0; i < 100; i++) {
      for (int j = 0; j < 4; j++) {
        assertThat(scores.get(i).get(j)).isWithin(1e-6f).of(wanted.get(i).get(j));
      }
    }
  }
}
