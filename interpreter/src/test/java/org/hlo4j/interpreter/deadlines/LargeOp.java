package org.hlo4j.interpreter.deadlines;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.testing.ConformanceRows;

/**
 * A row: an instruction whose operands are shapes, or literals where the values matter, such as
 * {@code negate(f32[4000000]) => 4000000}.
 *
 * @param text the instruction
 * @param computations the computations that are defined above it
 * @param elements the number behind the arrow: how many elements it computes
 */
public record LargeOp(String text, String computations, long elements) {
  private static final int DIFFERENT = 1 << 16;

  private static final Pattern ROW =
      Pattern.compile("(?<shape>.*?)\\s*(?<opcode>[a-z][a-z0-9-]*)\\((?<rest>.*)");
  private static final Pattern SHAPE = Pattern.compile("\\w+\\[[^\\]]*\\]|\\(.*\\)");

  /** Returns the rows of a resource. */
  public static ImmutableList<LargeOp> all(String name) throws IOException {
    String rows =
        Resources.toString(Resources.getResource(LargeOp.class, name), StandardCharsets.UTF_8);
    return ConformanceRows.parse(name, rows).rows().stream()
        .map(LargeOp::of)
        .collect(toImmutableList());
  }

  private static LargeOp of(ConformanceRows.Row row) {
    List<String> parts = Splitter.on(" => ").splitToList(row.text());
    long elements = parts.size() == 1 ? 0 : Long.parseLong(parts.get(1));
    return new LargeOp(parts.get(0), row.computations(), elements);
  }

  public HloModule module() {
    Matcher row = ROW.matcher(text);
    if (!row.matches()) {
      throw new IllegalArgumentException(text);
    }
    List<String> operands = new ArrayList<>();
    String rest = row.group("rest");
    String attributes = rest.substring(split(rest, operands));
    StringBuilder entry = new StringBuilder();
    List<String> names = new ArrayList<>();
    int parameters = 0;
    for (String operand : operands) {
      names.add("operand." + names.size());
      entry.append(names.getLast()).append(" = ");
      if (SHAPE.matcher(operand).matches()) {
        entry.append(operand).append(" parameter(").append(parameters++).append(")\n");
      } else {
        int space = operand.indexOf(' ');
        entry.append(operand, 0, space).append(" constant(").append(operand.substring(space + 1));
        entry.append(")\n");
      }
    }
    String head = row.group("shape") + " " + row.group("opcode");
    String call = head + "(" + String.join(", ", names) + ")" + attributes;
    return Parser.parse(
        "HloModule row\n\n"
            + computations
            + "ENTRY entry {\n"
            + entry
            + "ROOT result = "
            + call
            + "\n}\n");
  }

  private static int split(String rest, List<String> operands) {
    int depth = 0;
    int start = 0;
    for (int i = 0; ; i++) {
      char c = rest.charAt(i);
      boolean ends = depth == 0 && (c == ',' || c == ')');
      if (ends && i > start) {
        operands.add(rest.substring(start, i).strip());
        start = i + 1;
      }
      if (ends && c == ')') {
        return i + 1;
      }
      depth += "([{".indexOf(c) >= 0 ? 1 : ")]}".indexOf(c) >= 0 ? -1 : 0;
    }
  }

  public static Literal[] arguments(HloModule module) {
    return module.entry().parameters().stream()
        .map(HloInstruction::shape)
        .map(LargeOp::argument)
        .toArray(Literal[]::new);
  }

  private static Literal argument(Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      return Literal.tuple(tuple.elements().stream().map(LargeOp::argument).toList());
    }
    Shape.Array array = (Shape.Array) shape.withoutLayout();
    Object storage = LiteralBuilder.newStorage(array);
    fill(array.elementType(), storage);
    return Literal.unsafeOf(array, storage);
  }

  /** Fills an array with floats between 0.5 and 1, or integers below 2^20, again and again. */
  private static void fill(ElementType type, Object storage) {
    SplittableRandom random = new SplittableRandom(1);
    int length = Array.getLength(storage);
    for (int i = 0; i < Math.min(DIFFERENT, length); i++) {
      set(type, storage, i, random);
    }
    for (int filled = DIFFERENT; filled > 0 && filled < length; filled *= 2) {
      System.arraycopy(storage, 0, storage, filled, Math.min(filled, length - filled));
    }
  }

  private static void set(ElementType type, Object storage, int i, SplittableRandom random) {
    switch (storage) {
      case float[] to -> to[i] = 0.5f + random.nextInt(1 << 20) * 0x1p-21f;
      case double[] to -> to[i] = 0.5 + random.nextInt(1 << 20) * 0x1p-21;
      case int[] to -> to[i] = random.nextInt(1 << 20);
      case long[] to -> to[i] = random.nextInt(1 << 20);
      case short[] to -> to[i] = (short) random.nextInt(1 << 14);
      case byte[] to -> to[i] = (byte) random.nextInt(1 << Math.clamp(type.bits() - 1, 1, 5));
      default -> throw new AssertionError(storage.getClass());
    }
  }
}
