package org.hlo4j.examples.spark;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TrainingTest {
  /** A task that fails is run again, and tasks end in any order. */
  @Test
  void lossesHaveTheSameBits(@TempDir Path folder) throws IOException {
    SparkConf conf =
        new SparkConf().setMaster("local[3,4]").setAppName("test").set("spark.ui.enabled", "false");
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      spark.setLogLevel("OFF");
      JavaRDD<List<Literal>> rows = Training.rows(spark, 500, 11);
      List<Float> losses = Training.train(spark, rows, 12, folder.resolve("a"));
      assertThat(losses.get(11)).isLessThan(losses.get(0) / 2);
      JavaRDD<List<Literal>> failing =
          rows.map(batch -> {
            TaskContext task = TaskContext.get();
            if (task.attemptNumber() == 0 && task.partitionId() % 3 == 0) {
              throw new IllegalStateException("once");
            }
            return batch;
          });
      assertThat(Training.train(spark, failing, 12, folder.resolve("b"))).isEqualTo(losses);
      assertThat(params(folder.resolve("a"))).isEqualTo(params(folder.resolve("b")));
    }
  }

  private static Literal params(Path folder) throws IOException {
    return Safetensors.open(folder.resolve("step11.safetensors")).read("w1");
  }
}
