package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;

/**
 * Runs one of several computations, which an index selects.
 *
 * <p>Operands: the index, then one operand for each branch. A pred selects between two: {@code
 * true_computation}, then {@code false_computation}. An s32 selects among any number, from 0; an
 * index out of range selects the last.
 *
 * <pre>
 *   result = branches[index](operands[index])
 * </pre>
 *
 * <p>A size of the result is a bound if it is one in the result of any branch.
 *
 * @param indexType the element type of the index, pred or s32
 */
public record Conditional(ElementType indexType) implements ForwardingOp {
  /**
   * Checks the type.
   *
   * @throws org.hlo4j.hlo.HloException if it is neither pred nor s32
   */
  public Conditional {
    require(
        indexType == ElementType.PRED || indexType == ElementType.S32,
        "",
        "conditional: index type got %s, want pred or s32",
        indexType);
  }

  /**
   * Returns the branch that an index chooses.
   *
   * @param index the index; for pred 1 for true and 0 for false
   * @param branches how many branches there are
   * @return the number of the branch
   */
  public int branch(long index, int branches) {
    if (indexType == ElementType.PRED) {
      return index != 0 ? 0 : 1;
    }
    return index >= 0 && index < branches ? (int) index : branches - 1;
  }

  @Override
  public String opcode() {
    return "conditional";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public ImmutableList<String> callees() {
    return indexType == ElementType.PRED
        ? ImmutableList.of("true_computation", "false_computation")
        : ImmutableList.of();
  }

  @Override
  public Optional<String> calleeList() {
    return indexType == ElementType.PRED ? Optional.empty() : Optional.of("branch_computations");
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array index = in.array(0, "index");
    requireFitting(
        index.isScalar() && index.elementType() == indexType,
        () -> Fits.scalar(index, Shape.of(indexType), "index"),
        "",
        "index got %s, want %s",
        in.shapes().get(0),
        Shape.of(indexType, Dims.of()));
    List<ProgramShape> branches = in.called();
    require(!branches.isEmpty(), "case C1", "branch count got 0, want at least 1");
    require(
        in.shapes().size() == branches.size() + 1,
        "",
        "operand count got %s, want %s: the index and one for each branch",
        in.shapes().size(),
        branches.size() + 1);
    Shape first = branches.get(0).result().withoutLayout();
    Shape result = first;
    for (int i = 0; i < branches.size(); i++) {
      Callee branch = new Callee(branchName(i), branches.get(i));
      branch.requireParameters(
          callees().isEmpty() ? "case C2" : "if C1", ImmutableList.of(in.shapes().get(i + 1)));
      branch.requireResult(callees().isEmpty() ? "case C3" : "if C2", first);
      result = result.withBoundsOf(branches.get(i).result());
    }
    return result;
  }

  private String branchName(int i) {
    return callees().isEmpty() ? "branch " + i : callees().get(i);
  }
}
