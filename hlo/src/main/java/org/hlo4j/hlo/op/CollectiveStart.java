package org.hlo4j.hlo.op;

/**
 * The start of an asynchronous {@link Collective}. The matching done op completes it, and other
 * instructions can run in between. hlo4j runs the collective immediately.
 */
public sealed interface CollectiveStart extends Op
    permits AllGatherStart, AllReduceStart, CollectivePermuteStart {
  @Override
  default Arity arity() {
    return Arity.atLeast(1);
  }

  /**
   * Returns the collective that is started.
   *
   * @return the collective, with the shape of its result
   */
  Collective collective();
}
