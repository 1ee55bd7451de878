package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.IndexAlgebra;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.index.AffineIndex;

/**
 * Arithmetic on indices in generated code. What is known when the code is written is not computed
 * when it runs. Which part of a result an index is in has to be known.
 */
class Indices implements IndexAlgebra<Value> {
  private final CodeEmitter emitter;

  Indices(CodeEmitter emitter) {
    this.emitter = emitter;
  }

  /** The start indices of an op. */
  interface Starts {
    /** Returns an element of an operand, clamped to the range from 0 to {@code max}. */
    Value at(int operand, ImmutableList<Value> index, long max);
  }

  /** Returns the same arithmetic, with start indices. */
  Indices reading(Starts starts) {
    return new Indices(emitter) {
      @Override
      public Value start(int operand, List<Value> index, long max) {
        return max == 0 ? constant(0) : starts.at(operand, ImmutableList.copyOf(index), max);
      }
    };
  }

  @Override
  public Value start(int operand, List<Value> index, long max) {
    throw new NoCodeException("no start indices");
  }

  @Override
  public Value constant(long number) {
    return emitter.constant(Lane.I32, Math.toIntExact(number));
  }

  OptionalInt known(Value index) {
    return emitter
        .constantValue(index)
        .map(number -> OptionalInt.of(number.intValue()))
        .orElseGet(OptionalInt::empty);
  }

  @Override
  public Value plus(Value a, Value b) {
    OptionalInt x = known(a);
    OptionalInt y = known(b);
    if (x.isPresent() && y.isPresent()) {
      return constant(x.getAsInt() + (long) y.getAsInt());
    } else if (x.isPresent() && x.getAsInt() == 0) {
      return b;
    }
    return y.isPresent() && y.getAsInt() == 0 ? a : emitter.add(a, b);
  }

  /** Returns the sum of two array indices. */
  ImmutableList<Value> plus(List<Value> a, List<Value> b) {
    return IntStream.range(0, a.size())
        .mapToObj(d -> plus(a.get(d), b.get(d)))
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public Value times(Value a, long factor) {
    OptionalInt x = known(a);
    if (x.isPresent()) {
      return constant(x.getAsInt() * factor);
    }
    return factor == 1 ? a : emitter.multiply(a, constant(factor));
  }

  @Override
  public Value quotient(Value a, long divisor) {
    return constant(Math.floorDiv(requireKnown(a), divisor));
  }

  @Override
  public Value remainder(Value a, long divisor) {
    return constant(Math.floorMod(requireKnown(a), divisor));
  }

  @Override
  public boolean isMultiple(Value a, long divisor) {
    return requireKnown(a) % divisor == 0;
  }

  @Override
  public int region(Value a, long... bounds) {
    return IndexAlgebra.regionOf(requireKnown(a), bounds);
  }

  private long requireKnown(Value index) {
    return known(index).orElseThrow(() -> new NoCodeException("an index that is not known"));
  }

  /** Returns an affine index for some values of its counters. */
  Value at(AffineIndex index, List<Value> counters) {
    Value sum = constant(index.base());
    for (int c = 0; c < index.counters(); c++) {
      sum = plus(times(counters.get(c), index.coefficient(c)), sum);
    }
    return sum;
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

  /** Returns the start indices of a window, clamped so that the window fits. */
  ImmutableList<Value> starts(
      Shape.Array operand, Shape.Array window, List<? extends Operand> starts) {
    if (starts.size() != operand.rank()) {
      throw new NoCodeException("no start for each dimension");
    }
    return IntStream.range(0, operand.rank())
        .mapToObj(d -> clamped(starts.get(d).scalar(), operand.size(d) - window.size(d)))
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
