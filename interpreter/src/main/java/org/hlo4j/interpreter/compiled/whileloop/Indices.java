package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Arithmetic on indices in generated code. What is known when the code is written is not computed
 * when it runs.
 */
final class Indices {
  private final CodeEmitter emitter;

  Indices(CodeEmitter emitter) {
    this.emitter = emitter;
  }

  Value constant(long number) {
    return emitter.constant(Lane.I32, Math.toIntExact(number));
  }

  OptionalInt known(Value index) {
    return emitter
        .constantValue(index)
        .map(number -> OptionalInt.of(number.intValue()))
        .orElseGet(OptionalInt::empty);
  }

  Value plus(Value a, Value b) {
    OptionalInt x = known(a);
    OptionalInt y = known(b);
    if (x.isPresent() && y.isPresent()) {
      return constant(x.getAsInt() + (long) y.getAsInt());
    } else if (x.isPresent() && x.getAsInt() == 0) {
      return b;
    }
    return y.isPresent() && y.getAsInt() == 0 ? a : emitter.add(a, b);
  }

  Value plus(Value a, long number) {
    return plus(a, constant(number));
  }

  /** Returns the sum of two array indices. */
  ImmutableList<Value> plus(List<Value> a, List<Value> b) {
    return IntStream.range(0, a.size())
        .mapToObj(d -> plus(a.get(d), b.get(d)))
        .collect(ImmutableList.toImmutableList());
  }

  Value times(Value a, long factor) {
    OptionalInt x = known(a);
    if (x.isPresent()) {
      return constant(x.getAsInt() * factor);
    }
    return factor == 1 ? a : emitter.multiply(a, constant(factor));
  }

  /** Returns {@code number - a}. */
  Value from(long number, Value a) {
    return plus(times(a, -1), number);
  }

  /** Returns the position of an element in memory, in row-major order. */
  Value position(Dims sizes, List<Value> index) {
    Value position = constant(0);
    long stride = 1;
    for (int d = sizes.count() - 1; d >= 0; d--) {
      if (sizes.get(d) > 1) {
        position = plus(times(index.get(d), stride), position);
      }
      stride *= sizes.get(d);
    }
    return position;
  }

  /** Returns the position of an element if it is known when the code is written. */
  OptionalInt knownPosition(Dims sizes, List<Value> index) {
    return index.stream().allMatch(each -> known(each).isPresent())
        ? known(position(sizes, index))
        : OptionalInt.empty();
  }

  /** Returns the index of an element from its known position in row-major order. */
  private ImmutableList<Value> index(Dims sizes, long number) {
    Value[] index = new Value[sizes.count()];
    long left = number;
    for (int d = index.length - 1; d >= 0; d--) {
      index[d] = constant(left % sizes.get(d));
      left /= sizes.get(d);
    }
    return ImmutableList.copyOf(index);
  }

  /** Returns all indices of an array, in row-major order. */
  ImmutableList<ImmutableList<Value>> all(Dims sizes) {
    return LongStream.range(0, sizes.product())
        .mapToObj(number -> index(sizes, number))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns the start of a window, clamped to the range from 0 to {@code last}, so that the window
   * fits.
   */
  Value clamped(Operand.Scalar start, long last) {
    if (last == 0) {
      return constant(0);
    }
    Lane lane = start.value().lane();
    Value most = emitter.constant(lane, last);
    boolean isUnsigned =
        start.type().kind() == ElementType.Kind.UNSIGNED && start.type().bits() == lane.bits();
    Value within =
        isUnsigned
            ? emitter.minUnsigned(start.value(), most)
            : emitter.max(emitter.min(start.value(), most), emitter.constant(lane, 0));
    return emitter.convert(within, Lane.I32);
  }
}
