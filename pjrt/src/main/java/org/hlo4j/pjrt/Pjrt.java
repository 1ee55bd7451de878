package org.hlo4j.pjrt;

import org.hlo4j.hlo.HloException;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * The evaluators of programs on the devices of plugins.
 *
 * <pre>{@code
 * try (PjrtClient client = PjrtPlugin.find("cpu").client()) {
 *   Literal result = Pjrt.evaluator(client).run(module, x);
 * }
 * }</pre>
 */
public final class Pjrt {
  private Pjrt() {}

  /**
   * Returns an evaluator that runs programs on the devices of a client, in this process.
   *
   * @param client the client, which the evaluator does not close
   * @return the evaluator
   */
  public static Evaluator evaluator(PjrtClient client) {
    return evaluator(client, EvaluatorOptions.defaults());
  }

  /**
   * Returns an evaluator that runs programs on the devices of a client, in this process.
   *
   * <p>A program runs on the first device, and {@link Evaluator#runOnDevices} on the first ones.
   * Values are XLA's, with its roundings; {@code --profile native} of {@code hlo4j compare} judges
   * them. A program of all partitions together, such as one with shardings, is partitioned, each
   * device gets its shards, and the results are put together again; one with collectives between
   * partitions runs as it is. A program with bounds in place of sizes is compiled for the sizes of
   * the arguments. Bound arguments stay on the device, and an executable keeps its programs, until
   * it is garbage.
   *
   * <p>Of the options, the deadline and the number of bytes (of arguments and results) are kept to.
   * A run that is too long is left, and goes on: no plugin can stop one. Threads are the plugin's.
   * Queues, and the counter of steps, are never used.
   *
   * @param client the client, which the evaluator does not close
   * @param options the limits of each run
   * @return the evaluator; threads may share it
   * @throws HloException of kind {@code UNSUPPORTED} if an option needs what plugins cannot do:
   *     count steps, check indices, call a listener or Java's functions
   */
  public static Evaluator evaluator(PjrtClient client, EvaluatorOptions options) {
    return new ClientEvaluator(client, options);
  }
}
