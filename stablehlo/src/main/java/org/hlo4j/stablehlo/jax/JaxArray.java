package org.hlo4j.stablehlo.jax;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedSet;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * An "abstract value" of JAX: the type and shape of an argument or result.
 *
 * @param path its path in the tree, such as {@code args[0]['w']}
 * @param dtype the type as JAX names it, such as {@code float32} and {@code key<fry>[]}
 * @param elementType the element type of the array that a module takes for it
 * @param sizes the size of each dimension, a number or an expression of size variables
 * @param keySize the number of words of a random key, which is the last dimension in the module; 0
 *     for all other arrays
 */
public record JaxArray(
    String path, String dtype, ElementType elementType, ImmutableList<String> sizes, int keySize) {
  /** Returns the type and sizes as JAX prints them: {@code float32[b,8]}. */
  @Override
  public String toString() {
    return dtype + "[" + String.join(",", sizes) + "]";
  }

  /**
   * Returns the shape of the array in the module for certain sizes.
   *
   * @param variables the values of size variables
   * @return the shape; empty if it depends on other variables
   * @throws org.hlo4j.hlo.HloException if a size is none, such as {@code b - 3} for a b of 2
   */
  public Optional<Shape.Array> shape(Map<String, Long> variables) {
    return sizes(variables).map(known -> Shape.of(elementType, known));
  }

  /** Returns the sizes of the array in the module, if all variables are known. */
  Optional<long[]> sizes(Map<String, Long> variables) {
    long[] known = new long[rank()];
    for (int i = 0; i < sizes.size(); i++) {
      Optional<Long> size = SizeExpression.parse(sizes.get(i)).value(variables);
      if (size.isEmpty()) {
        return Optional.empty();
      }
      known[i] = size.get();
    }
    if (keySize > 0) {
      known[sizes.size()] = keySize;
    }
    return Optional.of(known);
  }

  /**
   * Returns the shape of the array in the module, with {@link Shape#UNBOUNDED} for sizes that
   * depend on variables.
   *
   * @return the shape
   */
  public Shape.Array symbolicShape() {
    long[] known = new long[rank()];
    ImmutableSortedSet.Builder<Integer> dynamic = ImmutableSortedSet.naturalOrder();
    for (int i = 0; i < known.length; i++) {
      Optional<Long> size =
          i < sizes.size()
              ? SizeExpression.parse(sizes.get(i)).value(Map.of())
              : Optional.of((long) keySize);
      known[i] = size.orElse(Shape.UNBOUNDED);
      if (size.isEmpty()) {
        dynamic.add(i);
      }
    }
    return new Shape.Array(elementType, Dims.of(known), dynamic.build(), Optional.empty());
  }

  /** Returns the rank of the array in the module. */
  int rank() {
    return sizes.size() + (keySize > 0 ? 1 : 0);
  }
}
