package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Runs the root of a module by its kernel and by the reference evaluator, on random arguments. The
 * operands of the root are parameters or constants. Storage for results is full of garbage, and
 * where the kernel may overwrite an operand it is run once more to do so.
 */
public final class KernelTester {
  private final Function<HloInstruction, KernelChoice> kernels;
  private final Random random = new Random(2026);

  public KernelTester(Function<HloInstruction, KernelChoice> kernels) {
    this.kernels = kernels;
  }

  /**
   * The text of a module whose entry is one instruction of parameters: {@code f32[2,3] op(...)}.
   */
  public static HloModule module(
      String computations, String shape, String op, String... parameters) {
    StringBuilder text = new StringBuilder("HloModule m\n\n" + computations + "\nENTRY e {\n");
    for (int i = 0; i < parameters.length; i++) {
      text.append(String.format("  p%s = %s parameter(%s)%n", i, parameters[i], i));
    }
    return Parser.parse(text.append("  ROOT r = " + shape + " " + op + "\n}\n").toString());
  }

  /** Random arguments of all parameters. */
  public Literal[] arguments(HloModule module) {
    return module.entry().parameters().stream()
        .map(parameter -> randomLiteral((Shape.Array) parameter.shape().withoutLayout()))
        .toArray(Literal[]::new);
  }

  /** Compares on random arguments. */
  public void check(HloModule module) {
    check(module, arguments(module));
  }

  /** Compares all bits. */
  public void check(HloModule module, Literal... arguments) {
    Literal expected = Interpreter.reference().run(module, arguments);
    for (Literal result : results(module, arguments)) {
      assertWithMessage("%s of %s", module.entry().root(), Arrays.asList(arguments))
          .that(result)
          .isEqualTo(expected);
    }
  }

  /** The result by one thread, by two, and in place of each operand that may be overwritten. */
  public List<Literal> results(HloModule module, Literal... arguments) {
    HloInstruction root = module.entry().root();
    Kernel kernel =
        kernels.apply(root).kernel().orElseThrow(() -> new AssertionError("no kernel: " + root));
    assertWithMessage("description").that(kernel.describe()).isNotEmpty();
    List<Literal> results = new ArrayList<>();
    results.add(kernel.run(operands(root, arguments), new StandaloneContext(1)));
    results.add(kernel.run(operands(root, arguments), new StandaloneContext(2)));
    for (int i = 0; i < root.operands().size(); i++) {
      if (kernel.canReuseOperandBuffer(i)) {
        Literal[] operands = operands(root, arguments);
        operands[i] = copyOf(operands[i]);
        results.add(kernel.run(operands, new StandaloneContext(2, operands[i])));
      }
    }
    return results;
  }

  private static Literal[] operands(HloInstruction root, Literal... arguments) {
    return root.operands().stream()
        .map(operand ->
            operand.op() instanceof Parameter parameter
                ? arguments[parameter.number()]
                : ((Constant) operand.op()).literal())
        .toArray(Literal[]::new);
  }

  private static Literal copyOf(Literal literal) {
    LiteralBuilder copy = new LiteralBuilder(literal.arrayShape());
    for (int i = 0; i < literal.elementCount(); i++) {
      copy.copy(i, literal, i);
    }
    return copy.build();
  }

  /** Any bits for integers; for floats small numbers, now and then a special one. */
  public Literal randomLiteral(Shape.Array shape) {
    LiteralBuilder literal = new LiteralBuilder(shape);
    ElementType part = shape.elementType().componentType();
    int components = literal.build().elementCount() * CellCopies.perElement(shape.elementType());
    LiteralBuilder filled = new LiteralBuilder(shape);
    for (int i = 0; i < components; i++) {
      filled.setBits(i, part.isFloating() ? part.encode(randomFloat()) : random.nextLong());
    }
    return filled.build();
  }

  /** Integers below a bound, some of them out of bounds on either side. */
  public Literal randomIndices(Shape.Array shape, int bound) {
    LiteralBuilder filled = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      filled.setLong(i, random.nextInt(bound + 4) - 2);
    }
    return filled.build();
  }

  private double randomFloat() {
    return switch (random.nextInt(40)) {
      case 0 -> Double.NaN;
      case 1 -> Double.POSITIVE_INFINITY;
      case 2 -> Double.NEGATIVE_INFINITY;
      case 3 -> -0.0;
      case 4 -> 0.0;
      default -> random.nextInt(200) / 8.0 - 12;
    };
  }

  int nextInt(int bound) {
    return random.nextInt(bound);
  }
}
