package org.hlo4j.check.verdicts;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;

/**
 * A system that runs a program in a way of its own, which a row tells in words:
 *
 * <pre>
 *   all half                      the right result, some elements changed (ElementChanges)
 *   out 1: row 0 zero             the same for one array of a tuple
 *   at m: all half                the instruction m is wrong, the others are computed from that
 *   input 0: element 3 zero       computes with another argument
 *   inputs as bf16                computes with rounded arguments; other inputs: with the last ones
 *   as f32                        computes in another type and rounds once; as f64 toward-zero
 *   run ROOT r = T[8] tanh(p0)    computes another program
 *   sum pairs in f32 fma          sums in an order and a type; sum dropping 3: all terms but one
 *   split 2                       multiplies two parts of bf16 each, as dot_bf16_bf16_f32_x3 does
 *   literal f32[] 3               a value
 *   from XLA: f32[] 3             a value recorded of a real system
 *   A &amp; B                     one after the other
 * </pre>
 *
 * @param program the program
 * @param type its element type
 * @param arguments its arguments
 * @param others arguments of the same shapes, of another run
 */
record FaultySystem(
    ProgramText program,
    String type,
    ImmutableList<Literal> arguments,
    ImmutableList<Literal> others) {
  Literal result(String system) {
    if (system.startsWith("at ")) {
      return at(system.substring(3, system.indexOf(':')), after(system, ':'));
    }
    Literal result = run(program, arguments);
    for (String step : Splitter.on(" & ").split(system)) {
      result = step(result, step);
    }
    return result;
  }

  private static String after(String text, char mark) {
    return text.substring(text.indexOf(mark) + 1).trim();
  }

  private Literal run(ProgramText other, List<Literal> given) {
    return new Evaluation(other, type).run(given);
  }

  private Literal at(String name, String system) {
    ProgramText.Part part = program.at(name);
    ImmutableList<Literal> operands = run(part.operands(), arguments).elements();
    ImmutableList<Literal> otherOperands = run(part.operands(), others).elements();
    Literal wrong = new FaultySystem(part.itself(), type, operands, otherOperands).result(system);
    return part.after().isEmpty()
        ? wrong
        : run(
            part.after().get(),
            ImmutableList.<Literal>builder().addAll(arguments).add(wrong).build());
  }

  private Literal step(Literal result, String step) {
    List<String> words = Splitter.on(' ').splitToList(step);
    return switch (words.getFirst()) {
      case "out" ->
          output(result, Integer.parseInt(words.get(1).replace(":", "")), after(step, ':'));
      case "input" -> input(Integer.parseInt(words.get(1).replace(":", "")), after(step, ':'));
      case "inputs" -> run(program, arguments.stream().map(x -> through(x, words.get(2))).toList());
      case "other" -> run(program, others);
      case "as" -> as(words.get(1), words.size() > 2 ? words.get(2) : "nearest");
      case "run" -> run(program.withStatements(after(step, ' ')), arguments);
      case "sum" -> sum(words.subList(1, words.size()), result.arrayShape());
      case "split" -> split(Integer.parseInt(words.get(1)), result.shape());
      case "from" -> Parser.parseLiteral(after(step, ':'));
      case "literal" -> Parser.parseLiteral(ProgramText.typed(after(step, ' '), type));
      default -> ElementChanges.of(result, step);
    };
  }

  private static Literal output(Literal result, int index, String change) {
    List<Literal> elements = new ArrayList<>(result.elements());
    elements.set(index, ElementChanges.of(elements.get(index), change));
    return Literal.tuple(elements);
  }

  private Literal input(int index, String change) {
    List<Literal> given = new ArrayList<>(arguments);
    given.set(index, ElementChanges.of(given.get(index), change));
    return run(program, given);
  }

  private Literal sum(List<String> words, Shape.Array shape) {
    return Terms.of(program, type, arguments).sum(words, shape);
  }

  private Literal as(String other, String mode) {
    Literal wide =
        new Evaluation(program, other).run(Evaluation.converted(program, other, arguments));
    return Evaluation.rounded(wide, program.module(type).entry().root().shape(), mode);
  }

  /** Rounds the floats of an array to a type and back; tf32 has 10 bits of mantissa. */
  private static Literal through(Literal x, String type) {
    if (!x.elementType().componentType().isFloating()) {
      return x;
    }
    LiteralBuilder rounded = LiteralBuilder.zeros(x.arrayShape());
    ElementType part = x.elementType().componentType();
    for (int i = 0; i < x.elementCount() * (x.elementType().isComplex() ? 2 : 1); i++) {
      rounded.setBits(i, part.encode(rounded(part.decode(x.bitsAt(i)), type)));
    }
    return rounded.build();
  }

  private static double rounded(double x, String type) {
    return type.equals("tf32")
        ? Float.intBitsToFloat((Float.floatToIntBits((float) x) + 0x1000) & ~0x1fff)
        : ElementType.named(type).orElseThrow().round(x);
  }

  /** Adds the products of parts i and j of bf16 with i + j below a count, in f64. */
  private Literal split(int count, Shape shape) {
    Evaluation wide = new Evaluation(program, "f64");
    double[] sum = new double[(int) ((Shape.Array) shape).elementCount()];
    for (int pair = 0; pair < count * count; pair++) {
      if (pair / count + pair % count < count) {
        List<Literal> parts =
            Evaluation.converted(
                program,
                "f64",
                List.of(
                    part(arguments.get(0), pair / count), part(arguments.get(1), pair % count)));
        Literal product = wide.run(parts);
        for (int i = 0; i < sum.length; i++) {
          sum[i] += product.doubleAt(i);
        }
      }
    }
    Literal total = Literal.of(Parser.parseShape(shape.toString().replace(type, "f64")), sum);
    return Evaluation.rounded(total, shape, "nearest");
  }

  private static Literal part(Literal x, int place) {
    LiteralBuilder part = LiteralBuilder.zeros(x.arrayShape());
    for (int i = 0; i < x.elementCount(); i++) {
      double left = x.doubleAt(i);
      for (int j = 0; j < place; j++) {
        left -= ElementType.BF16.round(left);
      }
      part.setDouble(i, ElementType.BF16.round(left));
    }
    return part.build();
  }
}
