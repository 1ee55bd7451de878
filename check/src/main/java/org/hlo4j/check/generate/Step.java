package org.hlo4j.check.generate;

/** One step in the generation of a random module. */
@FunctionalInterface
interface Step {
  /** Appends instructions. A refusal means that the step does not apply here. */
  void take(Block block, Choices choices);
}
