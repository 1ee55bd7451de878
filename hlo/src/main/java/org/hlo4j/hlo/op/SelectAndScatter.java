package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Selects one element of the operand at each window position, and scatters the source, which has
 * one element for each position, to the indices of the selected elements: the gradient of
 * max-pooling.
 *
 * <p>Operands: operand, source, init_value. {@code select} takes the element selected so far and
 * the next one, in row-major order, and says whether to keep the former. {@code scatter} takes an
 * element of the source and the current element of the result, at first the initial value, and
 * returns the new element of the result. A window position that covers only padding scatters
 * nothing.
 *
 * <pre>
 *   window={size=2 stride=2}, select GE, scatter add, init_value 0
 *     operand  1 5 3 2        source  10 20
 *     result   0 10 20 0
 * </pre>
 *
 * @param window the window, of the rank of the operand
 */
public record SelectAndScatter(Window window) implements HigherOrder {
  private static final Window.Rules RULES =
      new Window.Rules(
          "select_and_scatter C4", "select_and_scatter C5", "select_and_scatter C7", "", "");

  @Override
  public String opcode() {
    return "select-and-scatter";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(3);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("select", "scatter");
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = (Shape.Array) in.array(0, "operand").withoutLayout();
    Shape.Array source = in.array(1, "source");
    Shape.Array init = in.array(2, "init_value");
    Shape.Array places = window.slide(operand, RULES);
    require(
        source.elementType() == operand.elementType(),
        "select_and_scatter C1",
        "element type of source got %s, want that of operand, %s",
        source,
        operand);
    require(
        source.sizes().equals(places.sizes()),
        "select_and_scatter C2",
        "source got %s, want %s, the places of window %s on %s",
        source,
        places,
        window,
        operand);
    Shape.Array scalar = Shape.of(operand.elementType());
    requireFitting(
        init.compatible(scalar),
        () -> Fits.scalar(init, scalar, "init_value"),
        "select_and_scatter C3",
        "init_value got %s, want %s as the elements of operand",
        init,
        scalar);
    check(in, 0, "select_and_scatter C9", scalar, Shape.of(ElementType.PRED));
    check(in, 1, "select_and_scatter C10", scalar, scalar);
    return operand;
  }

  private void check(Operands in, int which, String label, Shape scalar, Shape result) {
    Callee callee = new Callee(callees().get(which), in.called().get(which));
    callee.requireParameters(label, ImmutableList.of(scalar, scalar));
    callee.requireResult(label, result);
  }
}
