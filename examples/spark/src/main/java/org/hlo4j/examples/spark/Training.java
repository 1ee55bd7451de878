package org.hlo4j.examples.spark;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterators;
import com.google.common.collect.Lists;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.safetensors.Safetensors;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import scala.Tuple2;

/**
 * Data-parallel training: each partition computes the gradients of its rows, which are added in
 * pairs of partitions, pairs of pairs and so on. The pairs do not depend on who is done first, so
 * the losses have the same bits for a given number of partitions, whatever executors do.
 */
public final class Training {
  private static final float RATE = 0.3f;

  /** Below so many, partial sums are added on the driver. */
  private static final int FEW = 4;

  private Training() {}

  /** The gradient of this JVM, which all its tasks share. */
  private static final class Gradient {
    private static final JaxFunction FUNCTION = read();

    private static JaxFunction read() {
      // Spark runs a task on each core already.
      Evaluator evaluator = Interpreter.compiled(EvaluatorOptions.builder().threads(1).build());
      try {
        byte[] file = Resources.toByteArray(Resources.getResource(Training.class, "gradient.bin"));
        return new JaxFunction(
            JaxExport.read(file), (module, bound) -> evaluator.compile(module).bind(bound)::run);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  /**
   * Trains the model.
   *
   * @param arguments a folder for checkpoints
   * @throws IOException if a checkpoint cannot be written
   */
  public static void main(String[] arguments) throws IOException {
    SparkConf conf =
        new SparkConf()
            .setMaster("local[2]")
            .setAppName("training")
            .set("spark.ui.enabled", "false");
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      List<Float> losses = train(spark, rows(spark, 4096, 8), 20, Path.of(arguments[0]));
      System.out.println("loss " + losses.get(0) + " -> " + losses.get(losses.size() - 1));
    }
  }

  /** Returns points of a sine, in a batch for each partition. */
  static JavaRDD<List<Literal>> rows(JavaSparkContext spark, int rows, int partitions) {
    List<Integer> numbers = IntStream.range(0, rows).boxed().toList();
    return spark
        .parallelize(numbers, partitions)
        .glom()
        .map(part -> {
          float[][] x = new float[part.size()][1];
          float[][] y = new float[part.size()][1];
          for (int i = 0; i < x.length; i++) {
            x[i][0] = 4f * part.get(i) / rows - 2;
            y[i][0] = (float) Math.sin(2 * x[i][0]);
          }
          return (List<Literal>) new ArrayList<>(List.of(Literal.of(x), Literal.of(y)));
        })
        .cache();
  }

  /** Returns the mean loss before each step. */
  static List<Float> train(
      JavaSparkContext spark, JavaRDD<List<Literal>> batches, int steps, Path checkpoints)
      throws IOException {
    long rows = batches.map(batch -> batch.get(0).arrayShape().size(0)).reduce(Long::sum);
    List<Float> losses = new ArrayList<>();
    TreeMap<String, Literal> params = initial();
    for (int step = 0; step < steps; step++) {
      Map<String, Literal> now = params;
      List<Literal> sums =
          sum(
              batches.mapPartitionsWithIndex(
                  (part, batch) ->
                      Iterators.singletonIterator(
                          new Tuple2<>(
                              part, lossAndGradients(now, Iterators.getOnlyElement(batch)))),
                  true),
              batches.getNumPartitions());
      losses.add(sums.get(0).toFloats()[0] / rows);
      params = stepped(params, sums.subList(1, sums.size()), RATE / rows);
      Safetensors.write(
          Files.createDirectories(checkpoints).resolve("step" + step + ".safetensors"), params);
    }
    return losses;
  }

  private static TreeMap<String, Literal> initial() {
    float[][] w1 = {{.5f, -.4f, .3f, -.2f, .1f, .6f, -.7f, .8f}};
    float[][] w2 = {{.1f}, {.2f}, {-.3f}, {.4f}, {-.5f}, {.6f}, {.7f}, {-.8f}};
    return new TreeMap<>(
        Map.of(
            "w1",
            Literal.of(w1),
            "b1",
            Literal.of(new float[8]),
            "w2",
            Literal.of(w2),
            "b2",
            Literal.of(new float[1])));
  }

  /** Returns the loss and the gradients, in the order of the names of the params. */
  private static List<Literal> lossAndGradients(Map<String, Literal> params, List<Literal> batch) {
    List<?> result = (List<?>) Gradient.FUNCTION.call(params, batch.get(0), batch.get(1));
    List<Literal> all = new ArrayList<>();
    all.add((Literal) result.get(0));
    new TreeMap<>((Map<?, ?>) result.get(1)).values().forEach(each -> all.add((Literal) each));
    return all;
  }

  /** Adds partial sums in pairs of neighbors until few are left, and these on the driver. */
  private static List<Literal> sum(JavaRDD<Tuple2<Integer, List<Literal>>> partial, int count) {
    JavaPairRDD<Integer, List<Literal>> sums = JavaPairRDD.fromJavaRDD(partial);
    int left = count;
    while (left > FEW) {
      left = (left + 1) / 2;
      sums =
          sums.mapToPair(each -> new Tuple2<>(each._1 / 2, each))
              .groupByKey(left)
              .mapValues(pair -> sum(ImmutableList.copyOf(pair)));
    }
    return sum(sums.collect());
  }

  private static List<Literal> sum(List<Tuple2<Integer, List<Literal>>> parts) {
    List<List<Literal>> sorted =
        parts.stream().sorted((a, b) -> Integer.compare(a._1, b._1)).map(part -> part._2).toList();
    while (sorted.size() > 1) {
      sorted = Lists.partition(sorted, 2).stream().map(Training::added).toList();
    }
    return new ArrayList<>(sorted.get(0));
  }

  private static List<Literal> added(List<List<Literal>> pair) {
    return pair.size() == 1
        ? pair.get(0)
        : IntStream.range(0, pair.get(0).size())
            .mapToObj(i -> plus(pair.get(0).get(i), pair.get(1).get(i), 1))
            .toList();
  }

  private static TreeMap<String, Literal> stepped(
      TreeMap<String, Literal> params, List<Literal> gradients, float rate) {
    TreeMap<String, Literal> next = new TreeMap<>();
    int i = 0;
    for (Map.Entry<String, Literal> param : params.entrySet()) {
      next.put(param.getKey(), plus(param.getValue(), gradients.get(i++), -rate));
    }
    return next;
  }

  /** Returns a + factor b. */
  private static Literal plus(Literal a, Literal b, float factor) {
    float[] sum = a.toFloats();
    float[] other = b.toFloats();
    for (int i = 0; i < sum.length; i++) {
      sum[i] += factor * other[i];
    }
    return Literal.of(a.shape(), sum);
  }
}
