package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * Keys sorted with their values, the largest first. The comparator gets two elements of each array,
 * (key, other key, value, other value), and says whether the first come before the second. The sort
 * is stable: equal keys keep their order. Total order also has a place for NaN, here the first.
 */
public final class SortPairs {
  private SortPairs() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("sort_pairs");
    XlaOp keys = b.parameter(0, Shape.of(F32, 5), "keys");
    XlaOp values = b.parameter(1, Shape.of(S32, 5), "values");
    return b.build(
        b.sort(List.of(keys, values), (body, p) -> p.get(0).gtTotalOrder(p.get(1)), 0, true));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal keys = Literal.of(new float[] {2, 5, 3, 5, Float.NaN});
    Literal values = Literal.of(new int[] {0, 1, 2, 3, 4});
    Literal sorted = Interpreter.reference().run(module, keys, values);
    IO.println("keys   = " + sorted.element(0));
    IO.println("values = " + sorted.element(1));
  }
}
