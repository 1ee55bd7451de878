package org.hlo4j.examples.spark;

import static org.apache.spark.sql.functions.expr;

import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.hlo4j.spark.HloTransformer;

/** Batch scoring: the rows of a table go through a classifier that jax.export saved. */
public final class BatchScoring {
  private BatchScoring() {}

  /**
   * Scores a table.
   *
   * @param arguments the path of the classifier, a function of {@code f32[b,8]}
   * @throws IOException if the classifier cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .appName("batch scoring")
            .config("spark.ui.enabled", false)
            .getOrCreate()) {
      Dataset<Row> table =
          spark
              .range(100_000)
              .withColumn("features", expr("transform(sequence(1, 8), i -> sin(id * i))"));
      labels(arguments[0], table).groupBy("label").count().orderBy("label").show();
    }
  }

  /** The label of each row, which is the one with the greatest score. */
  static Dataset<Row> labels(String path, Dataset<Row> table) throws IOException {
    HloTransformer scorer =
        new HloTransformer().setModel(path).setFeed("features").setFetch("scores");
    return scorer
        .transform(table)
        .withColumn("label", expr("array_position(scores, array_max(scores)) - 1"));
  }
}
