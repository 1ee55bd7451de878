package org.hlo4j.hlo.arguments;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Refuses null by a message that names the parameter: {@code sizes is null}, {@code operands[2] is
 * null}. Public methods ask here, so that the message is about what the caller wrote, and not about
 * a variable further down.
 */
public final class Arguments {
  private Arguments() {}

  /**
   * Returns an argument that must not be null.
   *
   * @param <T> its type
   * @param argument what the caller gave
   * @param name the name of the parameter
   * @return the argument
   */
  @CanIgnoreReturnValue
  public static <T> T requireNonNull(@Nullable T argument, String name) {
    if (argument == null) {
      throw new NullPointerException(name + " is null");
    }
    return argument;
  }

  /**
   * Returns a copy of a list, which must not be null and has no element that is.
   *
   * @param <T> the type of an element
   * @param elements what the caller gave
   * @param name the name of the parameter
   * @return the elements
   */
  @CanIgnoreReturnValue
  public static <T> ImmutableList<T> requireNoNulls(Iterable<? extends T> elements, String name) {
    if (!(requireNonNull(elements, name) instanceof ImmutableCollection)) {
      int i = 0;
      for (T element : elements) {
        requireElement(element, name, i++);
      }
    }
    return ImmutableList.copyOf(elements);
  }

  /**
   * Returns a copy of an array, which must not be null and has no element that is.
   *
   * @param <T> the type of an element
   * @param elements what the caller gave
   * @param name the name of the parameter
   * @return the elements
   */
  @CanIgnoreReturnValue
  public static <T> ImmutableList<T> requireNoNulls(T[] elements, String name) {
    return requireNoNulls(Arrays.asList(requireNonNull(elements, name)), name);
  }

  /**
   * Returns a copy of a map, which must not be null and has neither a key nor a value that is.
   *
   * @param <K> the type of a key
   * @param <V> the type of a value
   * @param entries what the caller gave
   * @param name the name of the parameter
   * @return the entries
   */
  @CanIgnoreReturnValue
  public static <K, V> ImmutableMap<K, V> requireNoNulls(Map<K, V> entries, String name) {
    if (!(requireNonNull(entries, name) instanceof ImmutableMap)) {
      entries.forEach(
          (key, value) -> requireElement(value, name, requireNonNull(key, "a key of " + name)));
    }
    return ImmutableMap.copyOf(entries);
  }

  private static void requireElement(@Nullable Object element, String name, Object index) {
    if (element == null) {
      throw new NullPointerException(name + "[" + index + "] is null");
    }
  }
}
