package org.hlo4j.builder;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Op;

/**
 * What the parts of {@link XlaBuilder} stand on. The builder's methods are spread over a chain of
 * classes by family, which a user does not see.
 */
abstract class OpFactory {
  /** How to do without a value from around a computation of single elements. */
  static final String HAND_IN =
      "make it an operand, or apply it to operands before and to the result after";

  /** Adds an op that calls these computations, taking those from elsewhere into the module. */
  abstract XlaOp apply(Op op, List<XlaOp> operands, List<HloComputation> callees);

  /** Adds an op with attributes of the instruction, which no op interprets. */
  final XlaOp apply(
      Op op,
      List<XlaOp> operands,
      List<HloComputation> callees,
      ImmutableMap<String, String> attributes) {
    return apply(op, operands, callees, attributes, Optional.empty());
  }

  /** Adds an op with attributes and a sharding of the instruction. */
  abstract XlaOp apply(
      Op op,
      List<XlaOp> operands,
      List<HloComputation> callees,
      ImmutableMap<String, String> attributes,
      Optional<Sharding> sharding);

  /** Adds an op that calls no computation. */
  final XlaOp apply(Op op, List<XlaOp> operands) {
    return apply(op, operands, List.of());
  }

  /** The only place that makes instructions; inside a guard, operands checked. */
  abstract XlaOp append(Op op, List<XlaOp> operands, List<HloComputation> called);

  /**
   * Runs one call of the user's: checks the handles, takes note of the line, and adds operands and
   * line to a refusal. Calls within a call keep the outer one's line.
   */
  abstract <T> T guarded(List<XlaOp> operands, Supplier<T> work);

  /**
   * A computation of this module, written as a lambda; and how to hand in a value from around it,
   * for the refusal of one that is just used.
   */
  abstract HloComputation computation(
      String name, List<Shape> parameters, ComputationBody body, String handIn);

  /** Refuses null where an argument is wanted. */
  static void requireGiven(String opcode, Object value, String what) {
    require(value != null, "", "%s: %s got null, want one", opcode, what);
  }
}
