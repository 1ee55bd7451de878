package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
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
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Runs the kernel of a module's root in all its forms, which must give the same bits, and compares
 * the result with the reference evaluator. The operands of the root are parameters or constants.
 * Result buffers are filled with garbage beforehand. Where the kernel may reuse the buffer of an
 * operand, it also runs in place.
 */
public final class KernelTester {
  private static final boolean ARE_FEW = Integer.getInteger("hlo4j.test.fewer", 1) > 1;

  /** All bits are equal, except that any NaN equals any other. */
  public static final Tolerance EXACT = (want, type) -> 0;

  private final Function<HloInstruction, KernelChoice> kernels;
  private final Values values;
  private final Optional<Consumer<Kernel>> warmUp;
  private final Random random = new Random(2026);

  /**
   * Creates a tester of kernels that have one form only, with arguments of {@link Values#EIGHTHS}.
   */
  public KernelTester(Function<HloInstruction, KernelChoice> kernels) {
    this(kernels, Values.EIGHTHS, Optional.empty());
  }

  /**
   * Creates a tester of kernels of any kind.
   *
   * @param kernels chooses the kernel of a root
   * @param values the distribution of random arguments
   * @param warmUp prepares the fastest form of a kernel, which then runs after the first form
   */
  public KernelTester(
      Function<HloInstruction, KernelChoice> kernels, Values values, Consumer<Kernel> warmUp) {
    this(kernels, values, Optional.of(warmUp));
  }

  private KernelTester(
      Function<HloInstruction, KernelChoice> kernels,
      Values values,
      Optional<Consumer<Kernel>> warmUp) {
    this.kernels = kernels;
    this.values = values;
    this.warmUp = warmUp;
  }

  /** The distribution of random elements: of floats as each says; integers have random bits. */
  public enum Values {
    /** Multiples of 1/8, and occasionally a special value. */
    EIGHTHS {
      @Override
      double nextFloat(Random random) {
        return switch (random.nextInt(40)) {
          case 0 -> Double.NaN;
          case 1 -> Double.POSITIVE_INFINITY;
          case 2 -> Double.NEGATIVE_INFINITY;
          case 3 -> -0.0;
          case 4 -> 0.0;
          default -> random.nextInt(200) / 8.0 - 12;
        };
      }
    },
    /** Normally distributed. */
    NORMAL {
      @Override
      double nextFloat(Random random) {
        return random.nextGaussian();
      }
    },
    /** From -1 to 1. */
    UP_TO_ONE {
      @Override
      double nextFloat(Random random) {
        return random.nextDouble() * 2 - 1;
      }
    },
    /** Floats of all magnitudes and special values; most integers are small. */
    ALL_MAGNITUDES {
      @Override
      double nextFloat(Random random) {
        return switch (random.nextInt(24)) {
          case 0 -> Double.NaN;
          case 1 -> Double.POSITIVE_INFINITY;
          case 2 -> Double.NEGATIVE_INFINITY;
          case 3 -> 0.0;
          case 4 -> -0.0;
          case 5 -> random.nextInt(9) - 4;
          case 6 -> random.nextGaussian() * 0x1p-130;
          case 7 -> random.nextGaussian() * 0x1p100;
          default -> random.nextGaussian() * 3;
        };
      }

      @Override
      long nextInteger(Random random) {
        return random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(41) - 20;
      }
    };

    abstract double nextFloat(Random random);

    long nextInteger(Random random) {
      return random.nextLong();
    }

    /** {@return random arguments for all parameters} */
    public Literal[] arguments(HloModule module, Random random) {
      return module.entry().parameters().stream()
          .map(parameter -> literal((Shape.Array) parameter.shape().withoutLayout(), random))
          .toArray(Literal[]::new);
    }

    /** {@return a random array of a shape} */
    public Literal literal(Shape.Array shape, Random random) {
      LiteralBuilder literal = new LiteralBuilder(shape);
      ElementType part = shape.elementType().componentType();
      long components = shape.elementCount() * shape.elementType().componentCount();
      for (int i = 0; i < components; i++) {
        literal.setBits(
            i,
            part.isFloating() ? part.encode(part.round(nextFloat(random))) : nextInteger(random));
      }
      return literal.build();
    }
  }

  /** How far a float may be from the result of the reference. */
  public interface Tolerance {
    double of(double want, ElementType type);
  }

  /**
   * Returns a tolerance of {@code count} units in the last place of the expected value, or of 1 if
   * the value is smaller.
   */
  public static Tolerance ulps(double count) {
    return count == 0
        ? EXACT
        : (want, type) ->
            count * Math.scalb(1.0, -type.mantissaBits()) * Math.max(1, Math.abs(want));
  }

  /**
   * Returns the tolerance of a sum of {@code count} products of numbers up to 1. It is accumulated
   * in f32 at least, and each step rounds.
   */
  public static Tolerance terms(long count) {
    return (want, type) -> {
      double unit = Math.scalb(1.0, -1 - Math.min(type.mantissaBits(), 52));
      double step = type == ElementType.F64 ? unit : 0x1p-24;
      return count * count * step + 2 * unit * Math.abs(want);
    };
  }

  /** Returns a module whose entry is one instruction of parameters: {@code f32[2,3] op(...)}. */
  public static HloModule module(
      String computations, String shape, String op, String... parameters) {
    StringBuilder text = new StringBuilder("HloModule m\n\n" + computations + "\nENTRY e {\n");
    for (int i = 0; i < parameters.length; i++) {
      text.append(String.format("  p%s = %s parameter(%s)%n", i, parameters[i], i));
    }
    return Parser.parse(text.append("  ROOT r = " + shape + " " + op + "\n}\n").toString());
  }

  /** {@return random arguments for all parameters, different ones at each call} */
  public Literal[] arguments(HloModule module) {
    return arguments(module, random);
  }

  /** {@return random arguments for all parameters, determined by a seed} */
  public Literal[] arguments(HloModule module, long seed) {
    return arguments(module, new Random(seed));
  }

  private Literal[] arguments(HloModule module, Random from) {
    return values.arguments(module, from);
  }

  /** {@return a random array} */
  public Literal randomLiteral(Shape.Array shape) {
    return values.literal(shape, random);
  }

  /** {@return random indices below a bound, some of them out of bounds at either end} */
  public Literal randomIndices(Shape.Array shape, int bound) {
    LiteralBuilder filled = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      filled.setLong(i, random.nextInt(bound + 4) - 2);
    }
    return filled.build();
  }

  /** Compares all bits on random arguments. */
  public void check(HloModule module) {
    check(module, arguments(module));
  }

  /** Compares all bits. */
  public void check(HloModule module, Literal... arguments) {
    check(EXACT, module, arguments);
  }

  /** Compares integers exactly, and floats within a tolerance. */
  public void check(Tolerance tolerance, HloModule module, Literal... arguments) {
    Literal want = Interpreter.reference().run(module, arguments);
    HloInstruction root = module.entry().root();
    assertNear(tolerance, root, result(module, arguments), want);
  }

  /**
   * {@return the result, after checking that one thread, two threads, running in place, and running
   * after warm-up give the same; in the further runs of the build, one thread before and two after
   * warm-up}
   */
  public Literal result(HloModule module, Literal... arguments) {
    HloInstruction root = module.entry().root();
    Kernel kernel = kernel(module);
    assertWithMessage("description").that(kernel.describe()).isNotEmpty();
    Map<String, Literal> results = new LinkedHashMap<>();
    results.put("one thread", run(kernel, operands(root, arguments), 1));
    if (!ARE_FEW || warmUp.isEmpty()) {
      results.put("two threads", run(kernel, operands(root, arguments), 2));
    }
    for (int i = 0; i < root.operands().size(); i++) {
      if (kernel.canReuseOperandBuffer(i)) {
        Literal[] operands = operands(root, arguments);
        operands[i] = copyOf(operands[i]);
        Literal inPlace = new StandaloneContext(2, operands[i]).run(kernel, operands);
        results.put("in place of operand " + i, inPlace);
      }
    }
    if (warmUp.isPresent()) {
      warmUp.get().accept(kernel);
      if (!ARE_FEW) {
        results.put("one thread after warm-up", run(kernel, operands(root, arguments), 1));
      }
      results.put("two threads after warm-up", run(kernel, operands(root, arguments), 2));
    }
    Literal first = results.get("one thread");
    results.forEach((way, result) -> {
      assertWithMessage(
              "%s by %s, %s of %s", root, kernel.describe(), way, Arrays.asList(arguments))
          .that(result)
          .isEqualTo(first);
    });
    return first;
  }

  /** {@return the kernel of the root} */
  public Kernel kernel(HloModule module) {
    HloInstruction root = module.entry().root();
    return kernels.apply(root).kernel().orElseThrow(() -> new AssertionError("no kernel: " + root));
  }

  private static Literal run(Kernel kernel, Literal[] operands, int threads) {
    return new StandaloneContext(threads).run(kernel, operands);
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

  private static void assertNear(
      Tolerance tolerance, HloInstruction root, Literal got, Literal want) {
    if (want.shape() instanceof Shape.Tuple) {
      for (int i = 0; i < want.elements().size(); i++) {
        assertNear(tolerance, root, got.elements().get(i), want.elements().get(i));
      }
    } else if (tolerance == EXACT || !want.elementType().isFloating()) {
      assertWithMessage("%s", root).that(got).isEqualTo(want);
    } else {
      assertWithMessage("%s", root).that(got.shape()).isEqualTo(want.shape());
      for (int i = 0; i < want.elementCount(); i++) {
        double wanted = want.doubleAt(i);
        double bound = Double.isFinite(wanted) ? tolerance.of(wanted, want.elementType()) : 0;
        if (!(Math.abs(got.doubleAt(i) - wanted) <= bound)) {
          assertWithMessage("%s at %s, within %s", root, i, bound)
              .that(got.doubleAt(i))
              .isEqualTo(wanted);
        }
      }
    }
  }
}
