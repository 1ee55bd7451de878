package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.compiled.arrays.ElementBits;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The accumulators of a reduction in a pass. The terms are reduced in parts, in order: {@link
 * #start}, {@link #reduce} and {@link #end} for each of them, then {@link #finish}. Threads reduce
 * parts apart from each other by {@link #startApart}, {@link #reduce} and {@link #partial}; then
 * {@link #merge} takes the place of these.
 */
abstract sealed class Accumulators permits ColumnAccumulators, InterleavedAccumulators {
  final Reduction reduction;

  /** The locations of the inputs. */
  final ImmutableList<ArrayLocation> sources;

  /** The locations of the results. */
  final ImmutableList<ArrayLocation> results;

  /** The slot of the accumulators; -1 if they are the results themselves. */
  final int slot;

  Accumulators(
      Reduction reduction,
      ImmutableList<ArrayLocation> sources,
      ImmutableList<ArrayLocation> results,
      int slot) {
    this.reduction = reduction;
    this.sources = sources;
    this.results = results;
    this.slot = slot;
  }

  /** {@return the loops} */
  abstract Stream<ReduceLoop> loops();

  /** {@return the number of contiguous rows that are reduced at once if there are enough} */
  abstract int rowsAtOnce();

  /**
   * Begins a part of the terms of the current results.
   *
   * @param count the number of results
   */
  abstract void start(ChunkFrame frame, int part, int count);

  /**
   * Reduces elements of rows of innermost positions.
   *
   * @param innerRows the index of each row
   * @param count the number of elements of each
   * @param rowStride the distance of rows in the workspace of a strip
   */
  abstract void reduce(ChunkFrame frame, int[] innerRows, int count, int rowStride);

  /** Ends a part: combines it with those before. */
  abstract void end(ChunkFrame frame, int part, int count);

  /** Stores the results. */
  abstract void finish(ChunkFrame frame, int count);

  /** Begins a part that is reduced apart from the others, in a frame of its own. */
  abstract void startApart(ChunkFrame frame, int part, int count);

  /** {@return what a part was reduced to apart from the others} */
  abstract Object partial(ChunkFrame frame, int count);

  /** Combines what parts were reduced to, in order, and stores the results. */
  abstract void merge(ChunkFrame frame, Object[] partials, int count);

  /** {@return the array that holds an initial value} */
  static Object array(ChunkFrame frame, LoopNode initial) {
    return switch (initial) {
      case LoopNode.Immediate immediate -> immediate.scalar().unsafeStorage();
      case LoopNode.Read read -> frame.arrays[read.input()];
      default -> throw new AssertionError("an initial value that is computed");
    };
  }

  /** {@return the index of an initial value in its array} */
  static int index(LoopNode initial) {
    return initial instanceof LoopNode.Read read ? (int) read.position().base() : 0;
  }

  /** {@return an initial value} */
  static Number number(ChunkFrame frame, LoopNode initial) {
    return number(array(frame, initial), index(initial), initial.type());
  }

  /** {@return an element in its wide carrier type} */
  static Number number(Object array, int index, ElementType type) {
    return type.isFloating()
        ? (Number) Doubles.read(type, array, index)
        : (Number) ElementBits.read(type, array, index);
  }
}
