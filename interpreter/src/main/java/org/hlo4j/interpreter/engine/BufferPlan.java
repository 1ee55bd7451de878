package org.hlo4j.interpreter.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * The buffer assignment of a computation: which buffer holds each temporary array. It is made when
 * the computation is compiled. Values whose lifetimes do not overlap share a buffer if Java holds
 * their elements in the same type of array; a buffer is as long as its longest value.
 */
final class BufferPlan {
  /**
   * A temporary array and its lifetime: from the step that makes it to the last step that may read
   * it.
   */
  static final class Value {
    final Shape.Array storageShape;
    final int first;
    private int last;
    private int buffer = -1;

    Value(Shape.Array shape, int first, int last) {
      this.storageShape = storageShape(shape);
      this.first = first;
      this.last = last;
    }

    /**
     * Lets a value that is computed in place of this one at its last step take over its storage, by
     * extending the lifetime of this value. Returns false, and does nothing, if the storage does
     * not fit or the other value is not made at that step.
     */
    boolean tryShareBuffer(Value other) {
      boolean fits = last == other.first && storageShape.equals(other.storageShape);
      last = fits ? other.last : last;
      return fits;
    }

    int buffer() {
      return buffer;
    }
  }

  private final List<Shape.Array> buffers = new ArrayList<>();

  /** For each buffer, the lifetimes of its values: a map from the first step to the last. */
  private final List<TreeMap<Integer, Integer>> lifetimes = new ArrayList<>();

  /** Assigns a buffer to each value: the largest values first, each to the shortest free buffer. */
  BufferPlan(List<Value> values) {
    values.stream()
        .sorted(Comparator.comparingLong((Value value) -> -Liveness.bytes(value.storageShape)))
        .forEach(value -> value.buffer = assigned(value));
  }

  private int assigned(Value value) {
    // Values come in order of decreasing size, so the buffers do too: the last free one is the
    // shortest.
    for (int i = buffers.size() - 1; i >= 0; i--) {
      if (buffers.get(i).elementType() == value.storageShape.elementType() && isFree(i, value)) {
        lifetimes.get(i).put(value.first, value.last);
        return i;
      }
    }
    buffers.add(value.storageShape);
    lifetimes.add(new TreeMap<>(Map.of(value.first, value.last)));
    return buffers.size() - 1;
  }

  private boolean isFree(int buffer, Value value) {
    Map.Entry<Integer, Integer> before = lifetimes.get(buffer).floorEntry(value.last);
    return before == null || before.getValue() < value.first;
  }

  /** Returns the buffers that hold a value up to a step, and not after it. */
  int[] deadAfter(int step) {
    return IntStream.range(0, buffers.size())
        .filter(buffer -> {
          Map.Entry<Integer, Integer> held = lifetimes.get(buffer).floorEntry(step);
          return held != null && held.getValue() == step;
        })
        .toArray();
  }

  /** Returns the arrays to allocate, each as long as the longest value that it holds. */
  List<Shape.Array> buffers() {
    return buffers;
  }

  /** Returns the one-dimensional shape of the Java array that stores the elements of a shape. */
  static Shape.Array storageShape(Shape.Array shape) {
    ElementType component = shape.elementType().componentType();
    long count = shape.elementCount() * shape.elementType().componentCount();
    return Shape.of(carrier(component), count);
  }

  private static ElementType carrier(ElementType component) {
    return switch (component.bits()) {
      case 64 -> component.isFloating() ? ElementType.F64 : ElementType.S64;
      case 32 -> component.isFloating() ? ElementType.F32 : ElementType.S32;
      case 16 -> ElementType.S16;
      default -> ElementType.S8;
    };
  }
}
