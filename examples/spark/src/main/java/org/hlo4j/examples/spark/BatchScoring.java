package org.hlo4j.examples.spark;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.sin;
import static org.hlo4j.hlo.ElementType.F32;

import com.google.common.collect.Iterators;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;

/**
 * Batch scoring: the rows of a table go through a classifier that jax.export saved. The file is
 * broadcast to the executors, each of which compiles it once and keeps it by its content; each task
 * runs its rows in batches.
 */
public final class BatchScoring {
  private static final int FEATURES = 8;
  private static final int BATCH = 1024;
  private static final StructType SCORED =
      new StructType().add("id", DataTypes.LongType).add("label", DataTypes.IntegerType);

  private BatchScoring() {}

  /** The classifiers of this JVM by their files, each of which all its tasks share. */
  private static final class Classifiers {
    private static final ConcurrentMap<ByteBuffer, JaxFunction> BY_FILE = new ConcurrentHashMap<>();

    static JaxFunction of(byte[] file) {
      return BY_FILE.computeIfAbsent(ByteBuffer.wrap(file), _ -> read(file));
    }

    private static JaxFunction read(byte[] file) {
      // Spark runs a task on each core already.
      Evaluator evaluator = Interpreter.compiled(EvaluatorOptions.builder().threads(1).build());
      return new JaxFunction(
          JaxExport.read(file), (module, bound) -> evaluator.compile(module).bind(bound)::run);
    }
  }

  /**
   * @param arguments the path of the classifier, a function of {@code f32[b,8]}
   */
  public static void main(String[] arguments) throws IOException {
    byte[] file = Files.readAllBytes(Path.of(arguments[0]));
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("batch scoring")
            .config("spark.ui.enabled", false)
            .getOrCreate()) {
      Dataset<Row> scored = score(spark, file, table(spark, 100_000));
      scored.groupBy("label").count().orderBy("label").show();
    }
  }

  /** A table with an id and features in each row. */
  private static Dataset<Row> table(SparkSession spark, int rows) {
    Column[] features =
        IntStream.range(0, FEATURES)
            .mapToObj(i -> sin(col("id").multiply(i + 1)).cast("float"))
            .toArray(Column[]::new);
    return spark.range(rows).select(col("id"), array(features).as("features"));
  }

  /** The label of each row. */
  static Dataset<Row> score(SparkSession spark, byte[] file, Dataset<Row> table) {
    Broadcast<byte[]> model =
        JavaSparkContext.fromSparkContext(spark.sparkContext()).broadcast(file);
    MapPartitionsFunction<Row, Row> task = rows -> labels(Classifiers.of(model.value()), rows);
    return table.mapPartitions(task, Encoders.row(SCORED));
  }

  private static Iterator<Row> labels(JaxFunction classify, Iterator<Row> rows) {
    return Iterators.concat(
        Iterators.transform(
            Iterators.partition(rows, BATCH), batch -> labels(classify, batch).iterator()));
  }

  /** Of one batch. The last one is smaller, and a shape of its own. */
  private static List<Row> labels(JaxFunction classify, List<Row> batch) {
    float[] features = new float[batch.size() * FEATURES];
    for (int i = 0; i < batch.size(); i++) {
      put(batch.get(i), features, i * FEATURES);
    }
    Literal scores =
        (Literal) classify.call(Literal.of(Shape.of(F32, batch.size(), FEATURES), features));
    return IntStream.range(0, batch.size())
        .mapToObj(i -> RowFactory.create(batch.get(i).getLong(0), argmax(scores, i)))
        .toList();
  }

  /** Puts the features of a row in its place; one too few would shift all the rows after it. */
  private static void put(Row row, float[] features, int start) {
    List<Float> given = row.isNullAt(1) ? List.of() : row.getList(1);
    if (given.size() != FEATURES || given.contains(null)) {
      throw new IllegalArgumentException(
          "row " + row.getLong(0) + ": got the features " + given + ", want " + FEATURES);
    }
    for (int i = 0; i < FEATURES; i++) {
      features[start + i] = given.get(i);
    }
  }

  /** The column of the greatest score in a row. */
  private static int argmax(Literal scores, int row) {
    int columns = (int) scores.arrayShape().size(1);
    int best = 0;
    for (int column = 1; column < columns; column++) {
      if (scores.getDouble(row, column) > scores.getDouble(row, best)) {
        best = column;
      }
    }
    return best;
  }
}
