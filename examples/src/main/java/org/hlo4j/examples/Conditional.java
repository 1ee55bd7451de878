package org.hlo4j.examples;

import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.nn.Activations;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;

/**
 * An activation chosen at run time: a conditional runs one of its branches, by number. Each branch
 * is a lambda from an operand of its own. As in XLA, a number that is out of range chooses the last
 * branch.
 */
public final class Conditional {
  private Conditional() {}

  static HloModule program() {
    XlaBuilder b = new XlaBuilder("activation");
    XlaOp branch = b.parameter(0, Shape.of(S32), "branch");
    XlaOp x = b.parameter(1, Shape.of(F32, 3), "x");
    return b.build(
        b.conditional(
            branch, List.of(Activations::relu, XlaOp::logistic, XlaOp::tanh), List.of(x, x, x)));
  }

  static void main() {
    HloModule module = program();
    Verifier.strict().verify(module);
    IO.println(Printer.print(module, PrintOptions.SHORT));

    Literal x = Literal.of(new float[] {-1, 0, 2});
    for (int branch : new int[] {0, 1, 2, 7, -1}) {
      Literal result = Interpreter.reference().run(module, Literal.of(branch), x);
      IO.println("branch " + branch + ": " + result);
    }
  }
}
