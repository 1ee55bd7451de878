package org.hlo4j.interpreter.fuzz;

/** Something that a random module may do next. */
@FunctionalInterface
interface Step {
  /** Appends instructions; a refusal of an op is taken for "not here". */
  void take(Block block, Choices choices);
}
