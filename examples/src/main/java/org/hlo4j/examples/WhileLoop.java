package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.S32;

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
 * The Collatz sequence as a while loop: n is halved if even, else becomes 3n + 1, until it is 1. A
 * loop that carries several values has a tuple as its state, here n, the number of steps and the
 * largest n so far. Condition and body are lambdas from the state.
 */
public final class WhileLoop {
  private WhileLoop() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("collatz");
    XlaOp n = b.parameter(0, Shape.of(S32), "n");
    XlaOp init = b.tuple(n, b.constant(0), n);
    return b.build(b.whileLoop(init, state -> state.getTupleElement(0).ne(1), WhileLoop::next));
  }

  private static XlaOp next(XlaOp state) {
    XlaOp n = state.getTupleElement(0);
    XlaOp next = n.rem(2).eq(0).select(n.div(2), n.mul(3).add(1));
    XlaOp steps = state.getTupleElement(1).add(1);
    XlaOp largest = state.getTupleElement(2).max(next);
    return state.builder().tuple(next, steps, largest);
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    for (int n : new int[] {1, 6, 27}) {
      Literal last = Interpreter.reference().run(module, Literal.of(n));
      IO.println(
          "from "
              + n
              + ": "
              + last.element(1).getLong()
              + " steps, the largest number is "
              + last.element(2).getLong());
    }
  }
}
