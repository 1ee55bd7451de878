package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * An operation with its attributes: everything about an instruction except its operands and called
 * computations.
 *
 * <p>The record components are the attributes, in camel case where HLO text has snake case. A
 * component of type {@link Shape} or {@link org.hlo4j.hlo.ElementType} is not an attribute in HLO
 * text: it is part of the shape of the result.
 *
 * <p>Each op belongs to a family, which states what callers may assume without knowing the op. A
 * {@code switch} over ops that names families instead of a {@code default} is complete for javac,
 * also when a family grows. {@link Reshape} belongs to two families.
 */
public sealed interface Op
    permits Collective,
        CollectiveStart,
        Contraction,
        External,
        ForwardingOp,
        HigherOrder,
        Movement,
        Pointwise,
        Routine,
        Sizing {
  /**
   * Returns the mnemonic that HLO text uses, such as {@code get-tuple-element}.
   *
   * @return the mnemonic
   */
  String opcode();

  /**
   * Returns the number of operands that it takes.
   *
   * @return the arity
   */
  Arity arity();

  /**
   * Returns the names under which HLO text gives the computations it calls, in order, such as
   * {@code to_apply}; none for most ops.
   *
   * @return the attribute names
   */
  default ImmutableList<String> callees() {
    return ImmutableList.of();
  }

  /**
   * Returns the name under which HLO text lists, in braces, any number of further computations it
   * calls, such as {@code branch_computations}; empty for most ops.
   *
   * @return the attribute name
   */
  default Optional<String> calleeList() {
    return Optional.empty();
  }

  /**
   * Returns the shape of the result, operand and callee counts being right. Called by {@link
   * #infer}.
   *
   * @param in operand shapes and callee signatures
   * @return the shape
   * @throws HloException if the operands do not suit the op
   */
  Shape resultShape(Operands in);

  /**
   * Returns this op specialized to run-time sizes: the sizes among its attributes are reduced to
   * those that the operands have at run time. Most ops have no such attributes; for them, {@link
   * #infer} computes the sizes of the result from the run-time sizes, or refuses them.
   *
   * @param declared operand shapes as declared, with bounds
   * @param actual operand shapes at run time
   * @return the op
   * @throws HloException if sizes are incompatible
   */
  default Op atSizes(Operands declared, Operands actual) {
    return this;
  }

  /**
   * Returns the shape of the result: the only shape rule, for builder, parser and verifier alike.
   *
   * @param in operand shapes and callee signatures
   * @return the shape
   * @throws HloException if the operands do not suit the op; the message starts with the opcode
   */
  default Shape infer(Operands in) {
    requireNonNull(in, "in");
    try {
      arity().check(in.shapes().size());
      HloException.require(
          in.called().size() == callees().size()
              || (in.called().size() > callees().size() && calleeList().isPresent()),
          "",
          "called computations got %s, want %s",
          in.called().size(),
          callees().size());
      return resultShape(in);
    } catch (HloException refusal) {
      throw refusal.prefixed(opcode() + ": ");
    }
  }

  /**
   * Returns the shape of the result, for an op that calls no computation.
   *
   * @param operands operand shapes
   * @return the shape
   * @throws HloException if the operands do not suit the op
   */
  default Shape infer(Shape... operands) {
    return infer(new Operands(requireNoNulls(operands, "operands"), ImmutableList.of()));
  }
}
