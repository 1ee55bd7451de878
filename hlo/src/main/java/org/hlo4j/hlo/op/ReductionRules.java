package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;

/**
 * The shape rules shared by ops that reduce N inputs, beginning with N initial values, with a
 * computation of 2N scalars.
 *
 * @param count the label of the check that there are as many initial values as inputs
 * @param sizes the label of the check of equal sizes
 * @param types the label of the check that initial values have the types of their inputs
 * @param body the label of the check of the computation's signature
 */
record ReductionRules(String count, String sizes, String types, String body) {
  /**
   * Returns the inputs, which are the first N of the 2N operands; refuses those that are
   * incompatible.
   */
  ImmutableList<Shape.Array> inputs(Operands in) {
    int operands = in.shapes().size();
    require(
        operands % 2 == 0,
        count,
        "operand count got %s, want as many initial values as inputs",
        operands);
    Shape.Array first = in.array(0, "input 0");
    ImmutableList.Builder<Shape.Array> inputs = ImmutableList.builder();
    for (int i = 0; i < operands / 2; i++) {
      Shape.Array input = in.array(i, "input " + i);
      checkInput(first, input, in.array(operands / 2 + i, "init_value " + i), i);
      inputs.add(input);
    }
    return inputs.build();
  }

  private void checkInput(Shape.Array first, Shape.Array input, Shape.Array init, int i) {
    require(
        input.sizes().equals(first.sizes()),
        sizes,
        "sizes of input %s got %s, want those of input 0, %s",
        i,
        input,
        first);
    Shape.Array scalar = Shape.of(input.elementType());
    requireFitting(
        init.isScalar() && init.elementType() == input.elementType(),
        () -> Fits.scalar(init, scalar, "init_value " + i),
        types,
        "init_value %s got %s, want %s as the elements of input %s",
        i,
        init,
        scalar,
        i);
  }

  /** Refuses a computation that does not reduce such inputs. */
  void checkBody(Operands in, ImmutableList<Shape.Array> inputs) {
    ImmutableList<Shape> scalars =
        inputs.stream()
            .map(input -> Shape.of(input.elementType()))
            .collect(ImmutableList.toImmutableList());
    Callee callee = new Callee("to_apply", in.called().get(0));
    callee.requireParameters(
        body, ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build());
    callee.requireResult(body, together(scalars, in.called().get(0)));
  }

  /**
   * Returns several shapes as a tuple, and one unchanged, or as a tuple if that is what the
   * computation gives.
   */
  static Shape together(ImmutableList<? extends Shape> shapes, ProgramShape body) {
    return shapes.size() == 1 && !(body.result() instanceof Shape.Tuple)
        ? shapes.get(0)
        : new Shape.Tuple(ImmutableList.copyOf(shapes));
  }
}
