package org.hlo4j.spark;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.base.Splitter;
import com.google.common.collect.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables in a cluster of two executors, each a JVM of its own with one core. Spark starts them by
 * the jars in SPARK_HOME, which the build names: it has links to what is on this class path.
 */
final class ClusterTest {
  private static SparkSession spark;

  @BeforeAll
  static void start() throws IOException {
    Sessions.stop();
    String home = System.getenv("SPARK_HOME");
    Path jars = Files.createDirectories(Path.of(home, "jars"));
    int number = 0;
    for (String entry : Splitter.on(':').split(System.getProperty("java.class.path"))) {
      Path link = jars.resolve(number++ + "-" + Path.of(entry).getFileName());
      if (entry.endsWith(".jar")) {
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of(entry));
      }
    }
    spark =
        Sessions.builder("local-cluster[2,1,1024]")
            .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
            .config("spark.speculation", true)
            .config("spark.speculation.multiplier", 1.1)
            .config("spark.speculation.quantile", 0.5)
            .config("spark.driver.host", "127.0.0.1")
            .getOrCreate();
    spark.sparkContext().setLogLevel("OFF");
  }

  @AfterAll
  static void stop() throws IOException {
    spark.close();
  }

  /** Ends the executor that gets there first. */
  private static final class KilledOnce implements FilterFunction<Row> {
    private static final long serialVersionUID = 1;

    private final String mark;

    KilledOnce(Path mark) {
      this.mark = mark.toString();
    }

    @Override
    public boolean call(Row row) throws IOException {
      if (row.getLong(0) == 1500 && Path.of(mark).toFile().createNewFile()) {
        Runtime.getRuntime().halt(1);
      }
      return true;
    }
  }

  @Test
  void bitsStayWithoutAnExecutorAndEachReadsAModelOnce(@TempDir Path folder) throws Exception {
    Dataset<Row> table = HloTransformerTest.table(spark, 2000).repartition(8);
    HloTransformer first = HloTransformerTest.classifier(HloTransformerTest.FIRST).setBatchSize(99);
    HloTransformer second = HloTransformerTest.classifier(HloTransformerTest.SECOND);
    List<List<Float>> ofFirst =
        HloTransformerTest.wanted(table.orderBy("id"), HloTransformerTest.FIRST);
    assertThat(HloTransformerTest.scores(first.transform(table))).isEqualTo(ofFirst);
    assertThat(HloTransformerTest.scores(second.transform(table)))
        .isEqualTo(HloTransformerTest.wanted(table.orderBy("id"), HloTransformerTest.SECOND));
    assertThat(HloTransformerTest.scores(first.transform(table))).isEqualTo(ofFirst);
    assertThat(first.modelReads()).isIn(Range.closed(1L, 2L));
    Path mark = folder.resolve("mark");
    Dataset<Row> killing = table.filter(new KilledOnce(mark));
    assertThat(HloTransformerTest.scores(first.transform(killing))).isEqualTo(ofFirst);
    assertWithMessage("an executor was ended").that(Files.exists(mark)).isTrue();
  }
}
