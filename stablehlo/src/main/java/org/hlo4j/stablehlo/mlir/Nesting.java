package org.hlo4j.stablehlo.mlir;

import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;

/** The guard of what recurses into regions, attributes and locations. */
public final class Nesting {
  /**
   * The largest depth of regions in regions, and of what is written in brackets in brackets, in
   * text and bytecode, for reading and writing.
   */
  static final int MAX_DEPTH = 400;

  /**
   * The largest height of attributes, types and locations that refer to each other, as aliases of
   * text and entries of bytecode do; tracebacks have hundreds of frames.
   */
  static final int MAX_HEIGHT = 1000;

  private Nesting() {}

  /**
   * Does something that needs stack for each level of nesting.
   *
   * @param what what is nested, for the message
   * @param work what to do
   * @param <T> the type of its result
   * @return its result
   * @throws HloException of kind {@code LIMIT} if the stack of this thread does not suffice
   */
  public static <T> T guarded(String what, Supplier<T> work) {
    try {
      return work.get();
    } catch (StackOverflowError deep) {
      throw new HloException(
          HloException.Kind.LIMIT, what + ": got too much nesting for the stack of this thread");
    }
  }
}
