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
 * The base class of {@link XlaBuilder}. The builder's methods are in a chain of superclasses, one
 * for each family of ops, which are not public.
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

  /**
   * Creates an instruction. It is the only method that does, and is called inside a guard with
   * checked operands.
   */
  abstract XlaOp append(Op op, List<XlaOp> operands, List<HloComputation> called);

  /**
   * Runs one call of the user's program: checks the handles, records the line, and adds operands
   * and line to exceptions. Nested calls keep the line of the outer one.
   */
  final <T> T guarded(List<XlaOp> operands, Supplier<T> work) {
    return guarded("", operands, work);
  }

  /** Runs one call of the user's program, whose operands are those of an op. */
  abstract <T> T guarded(String opcode, List<XlaOp> operands, Supplier<T> work);

  /**
   * Returns a computation of this module from a lambda. {@code handIn} says how to pass in an
   * enclosing value, for the error when one is used directly.
   */
  abstract HloComputation computation(
      String name, List<Shape> parameters, ComputationBody body, String handIn);

  /** Refuses null where an argument is wanted. */
  static void requireGiven(String opcode, Object value, String what) {
    require(value != null, "", "%s: %s is null", opcode, what);
  }
}
