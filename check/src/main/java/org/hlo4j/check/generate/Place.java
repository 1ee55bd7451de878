package org.hlo4j.check.generate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;

/**
 * Where a computation of a program stands.
 *
 * @param opcode the op that calls it; empty for the entry of the module
 * @param number its number among the computations that the op calls
 */
record Place(String opcode, int number) {
  static final Place ENTRY = new Place("", 0);

  /** The places in which seeds that follow each other have an op. */
  static final ImmutableList<Place> ALL =
      Splitter.on(' ')
          .splitToStream(
              ".0 while.0 while.1 conditional.0 call.0 fusion.0 async-start.0 map.0 reduce.0"
                  + " reduce-window.0 scatter.0 select-and-scatter.0 select-and-scatter.1 sort.0"
                  + " scan.0 all-reduce.0")
          .map(Splitter.on('.')::splitToList)
          .map(parts -> new Place(parts.get(0), Integer.parseInt(parts.get(1))))
          .collect(toImmutableList());

  boolean isOf(String op) {
    return opcode.equals(op);
  }
}
