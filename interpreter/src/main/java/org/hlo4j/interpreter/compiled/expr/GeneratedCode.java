package org.hlo4j.interpreter.compiled.expr;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.codegen.LruCache;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;

/**
 * A cache of the code that is generated for computations on scalars. Equal computations share it.
 */
public final class GeneratedCode {
  private static final int MAX_KEPT = 1_000;
  private static final LruCache<List<Object>, Optional<Object>> ALL = new LruCache<>(MAX_KEPT);

  private GeneratedCode() {}

  /** Returns the object that is made for a computation; empty if its code does not fit a method. */
  public static <T> Optional<T> getOrGenerate(
      Class<T> kind, BodyCode body, Function<BodyCode, T> factory) {
    return getOrGenerate(kind, body, List.of(), factory);
  }

  /**
   * Returns the object that is made for a computation and for other properties, which are part of
   * the key.
   */
  public static <T> Optional<T> getOrGenerate(
      Class<T> kind, BodyCode body, List<?> properties, Function<BodyCode, T> factory) {
    List<Object> key = List.of(kind, body.structure(), properties);
    try {
      return ALL.get(key, () -> generate(body, factory).map(made -> made)).map(kind::cast);
    } catch (TooLargeException spent) {
      return Optional.empty();
    }
  }

  /**
   * Returns the object, or that there is none for any module. Throws if there is none for this
   * module because its budget is spent, as nothing is kept then.
   */
  private static <T> Optional<T> generate(BodyCode body, Function<BodyCode, T> factory) {
    try {
      return Optional.of(factory.apply(body));
    } catch (NoCodeException none) {
      if (none instanceof TooLargeException tooLarge && tooLarge.isOfBudget()) {
        throw tooLarge;
      }
      return Optional.empty();
    }
  }
}
