package org.hlo4j.examples.spark;

import static com.google.common.truth.Truth.assertThat;
import static java.util.Collections.nCopies;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Throwables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Scores tables with Spark in local mode: two partitions, each of more than one batch. */
final class BatchScoringTest {
  private static final StructType TABLE =
      new StructType()
          .add("id", DataTypes.LongType)
          .add("features", DataTypes.createArrayType(DataTypes.FloatType));

  private static SparkSession spark;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("test")
            .config("spark.ui.enabled", false)
            .getOrCreate();
    spark.sparkContext().setLogLevel("OFF"); // it would tell of each refusal
  }

  @AfterAll
  static void stop() throws IOException {
    spark.close();
  }

  /** Two classifiers of f32[b,8]: of 4 labels and of 8. */
  private static byte[] classifier(String path) throws IOException {
    return Files.readAllBytes(Path.of("../..").resolve(path));
  }

  private static byte[] first() throws IOException {
    return classifier("examples/data/mlp.bin");
  }

  private static byte[] second() throws IOException {
    return classifier("tools/src/test/resources/org/hlo4j/tools/exports/multi_platform/export.bin");
  }

  private static List<Row> rows(int count) {
    Random random = new Random(1);
    return IntStream.range(0, count)
        .mapToObj(i -> {
          Float[] features = new Float[8];
          Arrays.setAll(features, _ -> (float) random.nextGaussian());
          return RowFactory.create((long) i, features);
        })
        .toList();
  }

  private static List<Integer> scored(byte[] file, List<Row> rows) {
    Dataset<Row> table = spark.createDataFrame(rows, TABLE).repartition(2);
    return BatchScoring.score(spark, file, table).orderBy("id").collectAsList().stream()
        .map(row -> row.getInt(1))
        .toList();
  }

  /** Returns the labels of rows, one run for each. */
  private static List<Integer> wanted(byte[] file, List<Row> rows) {
    JaxFunction classify =
        new JaxFunction(
            JaxExport.read(file),
            (module, bound) -> Interpreter.reference().compile(module).bind(bound)::run);
    List<Integer> labels = new ArrayList<>();
    for (Row row : rows) {
      Object[] features = (Object[]) row.get(1);
      float[][] values = new float[1][features.length];
      for (int i = 0; i < features.length; i++) {
        values[0][i] = (Float) features[i];
      }
      double[] scores = ((Literal) classify.call(Literal.of(values))).toDoubles();
      labels.add(
          IntStream.range(0, scores.length).reduce(0, (a, b) -> scores[b] > scores[a] ? b : a));
    }
    return labels;
  }

  /** In one application, and the first one once more. */
  @Test
  void eachFileIsAClassifierOfItsOwn() throws IOException {
    List<Row> rows = rows(2500);
    List<Integer> ofFirst = wanted(first(), rows);
    List<Integer> ofSecond = wanted(second(), rows);
    assertThat(ofFirst).isNotEqualTo(ofSecond);
    assertThat(scored(first(), rows)).isEqualTo(ofFirst);
    assertThat(scored(second(), rows)).isEqualTo(ofSecond);
    assertThat(scored(first(), rows)).isEqualTo(ofFirst);
  }

  @Test
  void aRowOfOtherFeaturesIsRefused() throws IOException {
    refuses(nCopies(7, 1f), "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]");
    refuses(nCopies(9, 1f), "[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]");
    refuses(
        Arrays.asList(1f, null, 1f, 1f, 1f, 1f, 1f, 1f),
        "[1.0, null, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]");
    refuses(null, "[]");
  }

  private static void refuses(List<Float> features, String told) throws IOException {
    byte[] file = first();
    List<Row> rows = new ArrayList<>(rows(5));
    rows.set(3, RowFactory.create(3L, features == null ? null : features.toArray()));
    Exception refusal = assertThrows(Exception.class, () -> scored(file, rows));
    assertThat(Throwables.getRootCause(refusal))
        .hasMessageThat()
        .isEqualTo("row 3: got the features " + told + ", want 8");
  }
}
