package org.hlo4j.interpreter.compiled;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.SplittableRandom;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;

/**
 * Random loops, nested in each other and in conditionals and calls, whose state is two arrays that
 * are mostly updated in place; of about as many bytes as an array has whose storage is used again.
 */
final class InPlacePrograms {
  private static final List<ElementType> TYPES =
      List.of(
          ElementType.F32,
          ElementType.F32,
          ElementType.S32,
          ElementType.F64,
          ElementType.U8,
          ElementType.BF16,
          ElementType.C64);

  private final SplittableRandom random;
  private final StringBuilder computations = new StringBuilder();
  private final Shape.Array first;
  private final Shape.Array second;
  private int number;

  private InPlacePrograms(long seed) {
    random = new SplittableRandom(seed);
    first = shape();
    second = random.nextInt(3) > 0 ? first : shape();
  }

  static Program of(long seed) {
    InPlacePrograms programs = new InPlacePrograms(seed);
    return new Program(
        programs.module(),
        ImmutableList.of(Literal.zeros(programs.first), Literal.zeros(programs.second)),
        ImmutableList.of());
  }

  private Shape.Array shape() {
    ElementType type = TYPES.get(random.nextInt(TYPES.size()));
    int count = 4096 / Math.max(1, type.bits() / 8) + random.nextInt(3) - 1;
    int size = random.nextInt(8) == 0 ? 20 : random.nextInt(8) == 0 ? 3 * count : count;
    return Shape.of(type, Dims.of(size));
  }

  /** The code of a computation so far, and the names of its two arrays. */
  private final class Code {
    final StringBuilder text = new StringBuilder();
    String x = "x";
    String y = "y";

    /** Appends an instruction and returns its name. */
    String add(Object shape, String op) {
      String name = "v" + number++;
      text.append("  ").append(name).append(" = ").append(shape).append(' ').append(op);
      text.append('\n');
      return name;
    }

    void moves(int count, int depth) {
      for (int i = 0; i < count; i++) {
        move(random.nextInt(depth > 0 ? 14 : 11), depth - 1);
      }
    }

    private void move(int kind, int depth) {
      switch (kind) {
        case 0, 1, 2, 3 -> x = updated(first, x);
        case 4, 5, 6, 7 -> y = updated(second, y);
        case 8 -> x = add(first, "add(" + x + ", " + x + ")");
        case 9 -> y = add(second, "reverse(" + y + "), dimensions={0}");
        case 10 -> exchange();
        case 11 -> taken(add(state(), "while(" + tuple("zero, ") + "), " + loop(depth)), 1);
        case 12 -> taken(add(pair(), "call(" + x + ", " + y + "), to_apply=" + callee(depth)), 0);
        default -> {
          String index = add("s32[]", "and(i, one)");
          String branches = branch(depth) + ", " + branch(depth);
          String tuple = tuple("");
          taken(
              add(
                  pair(),
                  "conditional("
                      + index
                      + ", "
                      + tuple
                      + ", "
                      + tuple
                      + "), branch_computations={"
                      + branches
                      + "}"),
              0);
        }
      }
    }

    private String updated(Shape.Array shape, String array) {
      ElementType type = shape.elementType();
      String one = add(type + "[1]", "constant({" + (type.isComplex() ? "(1, 2)" : "1") + "})");
      return add(shape, "dynamic-update-slice(" + array + ", " + one + ", i)");
    }

    /** Exchanges the arrays, or has the same array twice. */
    private void exchange() {
      if (first.equals(second)) {
        String before = x;
        x = y;
        y = random.nextBoolean() ? before : x;
      }
    }

    private String tuple(String counter) {
      return add(counter.isEmpty() ? pair() : state(), "tuple(" + counter + x + ", " + y + ")");
    }

    private void taken(String tuple, int from) {
      x = add(first, "get-tuple-element(" + tuple + "), index=" + from);
      y = add(second, "get-tuple-element(" + tuple + "), index=" + (from + 1));
    }
  }

  private String pair() {
    return "(" + first + ", " + second + ")";
  }

  private String state() {
    return "(s32[], " + first + ", " + second + ")";
  }

  private String written(String head, Code code, String root) {
    String name = "c" + number++;
    computations.append(name).append(" {\n").append(head).append(code.text).append(root);
    computations.append("\n}\n");
    return name;
  }

  private String taken(String state, int from) {
    return """
      p = %s parameter(0)
      x = %s get-tuple-element(p), index=%s
      y = %s get-tuple-element(p), index=%s
      zero = s32[] constant(0)
      one = s32[] constant(1)
    """
        .formatted(state, first, from, second, from + 1);
  }

  private String loop(int depth) {
    String counter = "  i = s32[] get-tuple-element(p), index=0\n";
    String limit = "  n = s32[] constant(" + (2 + random.nextInt(3)) + ")\n";
    String condition =
        written(
            taken(state(), 1) + counter + limit,
            new Code(),
            "  ROOT r = pred[] compare(i, n), direction=LT");
    Code body = new Code();
    body.moves(1 + random.nextInt(3), depth);
    String next = body.add("s32[]", "add(i, one)");
    String root = "  ROOT r = " + state() + " tuple(" + next + ", " + body.x + ", " + body.y + ")";
    return "condition=" + condition + ", body=" + written(taken(state(), 1) + counter, body, root);
  }

  private String branch(int depth) {
    Code code = new Code();
    code.moves(random.nextInt(3), depth);
    return written(taken(pair(), 0) + "  i = s32[] constant(3)\n", code, root(code));
  }

  private String callee(int depth) {
    Code code = new Code();
    code.moves(1 + random.nextInt(2), depth);
    return written(parameters(), code, root(code));
  }

  private String root(Code code) {
    return "  ROOT r = " + pair() + " tuple(" + code.x + ", " + code.y + ")";
  }

  private String parameters() {
    return """
      x = %s parameter(0)
      y = %s parameter(1)
      i = s32[] constant(5)
      zero = s32[] constant(0)
      one = s32[] constant(1)
    """
        .formatted(first, second);
  }

  private HloModule module() {
    Code entry = new Code();
    entry.moves(random.nextInt(2), 0);
    entry.taken(entry.add(state(), "while(" + entry.tuple("zero, ") + "), " + loop(2)), 1);
    entry.moves(random.nextInt(2), 0);
    String text = "ENTRY e {\n" + parameters() + entry.text + root(entry) + "\n}\n";
    return Parser.parse("HloModule in_place\n" + computations + text);
  }
}
