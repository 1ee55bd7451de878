package org.hlo4j.spark;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** The Spark of the tests. */
final class Sessions {
  private Sessions() {}

  /** Returns a session with two threads, which tests share. */
  static SparkSession local() {
    SparkSession spark = builder("local[2]").getOrCreate();
    spark.sparkContext().setLogLevel("OFF"); // it would tell of each refusal
    return spark;
  }

  static SparkSession.Builder builder(String master) {
    return SparkSession.builder()
        .master(master)
        .appName("test")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.ui.enabled", false);
  }

  /** Ends the shared session: a JVM has one Spark. */
  static void stop() throws IOException {
    if (!SparkSession.getDefaultSession().isEmpty()) {
      SparkSession.getDefaultSession().get().close();
    }
  }
}
