package org.hlo4j.spark;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.UncheckedExecutionException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;

/** The functions of this JVM, which all its tasks share. */
final class Models {
  /** How many are kept. */
  private static final int MAX_MODELS = 8;

  /** For how many sizes one is kept compiled: lengths of rows times numbers of rows. */
  private static final int MAX_COMPILED = 64;

  private static final Cache<Key, Model> KEPT =
      CacheBuilder.newBuilder().maximumSize(MAX_MODELS).build();

  private Models() {}

  /**
   * What a function depends on.
   *
   * @param hash of the bytes of the model
   * @param evaluator by name
   * @param threads of each run
   */
  record Key(String hash, String evaluator, int threads) {}

  /**
   * A model that was read.
   *
   * @param export the function as it was saved
   * @param function the same, to be called
   */
  record Model(JaxExport export, JaxFunction function) {}

  /** Returns a model, read at the first call. */
  static Model get(Key key, Callable<byte[]> bytes) {
    try {
      return KEPT.get(key, () -> read(key, bytes.call()));
    } catch (ExecutionException | UncheckedExecutionException failure) {
      Throwable cause = requireNonNull(failure.getCause());
      Throwables.throwIfUnchecked(cause);
      throw new IllegalStateException(cause);
    }
  }

  private static Model read(Key key, byte[] bytes) {
    Function<HloModule, Function<Literal[], Literal>> compiler =
        Evaluators.of(key.evaluator, key.threads);
    JaxExport export = JaxExport.read(bytes);
    JaxFunction function = new JaxFunction(export, (module, _) -> compiler.apply(module));
    return new Model(export, function.withMaxCompiled(MAX_COMPILED));
  }
}
