package org.hlo4j.spark;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.common.util.concurrent.UncheckedExecutionException;
import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.LongAccumulator;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;

/** The functions of this JVM, which all its tasks share. */
final class Models {
  /** How many are kept. */
  private static final int MAX_MODELS = 8;

  /** For how many sizes one is kept compiled: lengths of rows times numbers of rows. */
  private static final int MAX_COMPILED = 64;

  private static final Cache<Key, JaxFunction> KEPT =
      CacheBuilder.newBuilder().maximumSize(MAX_MODELS).build();

  private Models() {}

  /**
   * The files of a model, on their way to the executors.
   *
   * @param files the bytes of the function and of its weights, which may be none
   * @param hash of these bytes
   * @param reads counts how often a JVM reads them
   */
  record Files(Broadcast<byte[][]> files, String hash, LongAccumulator reads)
      implements Serializable {}

  /** What a function depends on. */
  private record Key(
      String hash, ImmutableMap<Integer, String> weights, String evaluator, int threads) {}

  /**
   * A model on its way to the executors.
   *
   * @param files its files
   * @param weights the names of the weights that are inputs of the function
   * @param evaluator by name
   */
  record Sent(Files files, ImmutableMap<Integer, String> weights, String evaluator)
      implements Serializable {
    /** Returns the function, read at the first call in a JVM. */
    JaxFunction function() {
      TaskContext task = TaskContext.get();
      int threads = task == null ? 1 : task.cpus();
      try {
        return KEPT.get(new Key(files.hash, weights, evaluator, threads), () -> read(threads));
      } catch (ExecutionException | UncheckedExecutionException failure) {
        Throwable cause = requireNonNull(failure.getCause());
        Throwables.throwIfUnchecked(cause);
        throw new IllegalStateException(cause);
      }
    }

    private JaxFunction read(int threads) {
      files.reads.add(1);
      byte[][] bytes = files.files.value();
      Evaluator by = Evaluators.of(evaluator, threads);
      Map<String, Literal> arrays = ModelFiles.arrays(bytes[1]);
      return new JaxFunction(
              JaxExport.read(bytes[0]), (module, bound) -> by.compile(module).bind(bound)::run)
          .withMaxCompiled(MAX_COMPILED)
          .bindFlat(Maps.transformValues(weights, name -> requireNonNull(arrays.get(name))));
    }
  }
}
