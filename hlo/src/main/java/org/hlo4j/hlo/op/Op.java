package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * An operation with its attributes: everything about an instruction but its operands and the
 * computations it calls.
 *
 * <p>Record components are the attributes, named in camel case as HLO text names them in snake
 * case. A component of type {@link Shape} or {@link org.hlo4j.hlo.ElementType} is no attribute of
 * the text: it stands in the shape of the result.
 *
 * <p>Each op belongs to a family, which says what a caller may rely on without knowing the op. A
 * {@code switch} over ops names ops and families and has no {@code default}, so that the compiler
 * names each one that has to decide about a new op. {@link Reshape} is of two families.
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
   * The mnemonic that HLO text uses, such as {@code get-tuple-element}.
   *
   * @return the mnemonic
   */
  String opcode();

  /**
   * How many operands it takes.
   *
   * @return the arity
   */
  Arity arity();

  /**
   * The names under which HLO text gives the computations it calls, in order, such as {@code
   * to_apply}; none for most ops.
   *
   * @return the attribute names
   */
  default ImmutableList<String> callees() {
    return ImmutableList.of();
  }

  /**
   * The name under which HLO text lists, in braces, any number of further computations it calls,
   * such as {@code branch_computations}; empty for most ops.
   *
   * @return the attribute name
   */
  default Optional<String> calleeList() {
    return Optional.empty();
  }

  /**
   * The shape of the result, operand and callee counts being right. Called by {@link #infer}.
   *
   * @param in operand shapes and callee signatures
   * @return the shape
   * @throws HloException if the operands do not suit the op
   */
  Shape resultShape(Operands in);

  /**
   * This op where sizes are known: the same, with the sizes among its attributes cut to those that
   * the operands have at run time. Most ops have none, or none that follow the operands; then
   * {@link #infer} of the sizes known gives those of the result, or refuses them.
   *
   * @param declared operand shapes as declared, with bounds
   * @param actual operand shapes at run time
   * @return the op
   * @throws HloException if sizes do not go together
   */
  default Op atSizes(Operands declared, Operands actual) {
    return this;
  }

  /**
   * The shape of the result: the only shape rule, for builder, parser and verifier alike.
   *
   * @param in operand shapes and callee signatures
   * @return the shape
   * @throws HloException if the operands do not suit the op; the message starts with the opcode
   */
  default Shape infer(Operands in) {
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
   * The shape of the result, for an op that calls no computation.
   *
   * @param operands operand shapes
   * @return the shape
   * @throws HloException if the operands do not suit the op
   */
  default Shape infer(Shape... operands) {
    return infer(new Operands(ImmutableList.copyOf(operands), ImmutableList.of()));
  }
}
