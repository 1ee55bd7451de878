package org.hlo4j.interpreter.bounded;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.bounded.TwinShape.Dim;

/**
 * A program with bounded sizes, and its twin: the same program with the sizes that its arguments
 * have, in which whatever has to be cut or filled is so explicitly. Both grow an op at a time.
 */
final class TwinPrograms {
  private static final List<String> TYPES =
      List.of("f32", "f32", "f32", "s32", "f64", "bf16", "u8", "c64", "pred");

  /** A value of both programs. */
  record Value(String bounded, String twin, TwinShape shape) {}

  final Random random;
  private final StringBuilder computations = new StringBuilder();
  private final StringBuilder twinComputations = new StringBuilder();
  private final StringBuilder body = new StringBuilder();
  private final StringBuilder twinBody = new StringBuilder();
  private final Map<String, String> regions = new LinkedHashMap<>();
  private final List<Literal> arguments = new ArrayList<>();
  private final List<Value> values = new ArrayList<>();
  private int names;

  TwinPrograms(Random random) {
    this.random = random;
    for (int i = 0; i < 2; i++) {
      List<Dim> dims = new ArrayList<>();
      int rank = 1 + random.nextInt(3);
      for (int d = 0; d < rank; d++) {
        dims.add(dim());
      }
      parameter(new TwinShape(type(), dims));
    }
  }

  String type() {
    return TYPES.get(random.nextInt(TYPES.size()));
  }

  /** Returns a dimension, often with a bound, often of the sizes at which things change. */
  Dim dim() {
    long bound = 1L + random.nextInt(5);
    long size =
        switch (random.nextInt(5)) {
          case 0 -> 0;
          case 1 -> Math.min(1, bound);
          case 2 -> bound;
          default -> random.nextLong(bound + 1);
        };
    return random.nextInt(3) == 0 ? Dim.of(bound) : new Dim(bound, true, size);
  }

  boolean chance(int of) {
    return random.nextInt(of) == 0;
  }

  int below(int end) {
    return random.nextInt(end);
  }

  String name() {
    return "v" + names++;
  }

  /** Returns a value that suits, preferably a late one, if there is one. */
  Optional<Value> any(Predicate<TwinShape> suits) {
    List<Value> all = values.stream().filter(value -> suits.test(value.shape())).toList();
    return all.isEmpty()
        ? Optional.empty()
        : Optional.of(all.get(Math.max(below(all.size()), below(all.size()))));
  }

  /** Adds a parameter of elements drawn at random. */
  Value parameter(TwinShape shape) {
    return parameter(shape, literal(shape));
  }

  Value parameter(TwinShape shape, Literal argument) {
    String rest = " parameter(" + arguments.size() + ")";
    arguments.add(argument);
    return add(shape, shape.bounded() + rest, shape.twin() + rest);
  }

  private Literal literal(TwinShape shape) {
    ElementType type = ElementType.named(shape.type()).orElseThrow();
    Dims sizes = Dims.of(shape.dims().stream().mapToLong(Dim::size).toArray());
    LiteralBuilder literal = LiteralBuilder.zeros(Shape.of(type, sizes));
    for (int i = 0; i < sizes.product(); i++) {
      switch (type.kind()) {
        case PRED -> literal.setBoolean(i, random.nextBoolean());
        case SIGNED, UNSIGNED -> literal.setLong(i, random.nextInt(9));
        case FLOAT -> literal.setDouble(i, (random.nextInt(65) - 32) / 8.0);
        case COMPLEX -> literal.setComplex(i, random.nextInt(5) - 2, random.nextInt(5) - 2);
      }
    }
    return literal.build();
  }

  /** Returns an array of the value 4. */
  Literal fours(TwinShape shape) {
    Dims sizes = Dims.of(shape.dims().stream().mapToLong(Dim::size).toArray());
    return Literal.full(Shape.of(ElementType.named(shape.type()).orElseThrow(), sizes), 4);
  }

  /** Adds an instruction, given without names: {@code f32[<=4] negate(v0)}. */
  Value add(TwinShape shape, String bounded, String twin) {
    Value value = hidden(shape, bounded, twin);
    values.add(value);
    return value;
  }

  /** Adds an instruction that others do not take as an operand. */
  Value hidden(TwinShape shape, String bounded, String twin) {
    String name = name();
    body.append("  ").append(name).append(" = ").append(bounded).append('\n');
    twinBody.append("  ").append(name).append(" = ").append(twin).append('\n');
    return new Value(name, name, shape);
  }

  /** Adds an instruction with the same operands and attributes in both. */
  Value same(TwinShape shape, String opcode, String attributes, Value... operands) {
    String bounded = List.of(operands).stream().map(Value::bounded).collect(joining(", "));
    String twin = List.of(operands).stream().map(Value::twin).collect(joining(", "));
    String start = " " + opcode + "(";
    return add(
        shape,
        shape.bounded() + start + bounded + ")" + attributes,
        shape.twin() + start + twin + ")" + attributes);
  }

  /** Adds an instruction to the twin alone, and returns its name. */
  String onlyInTwin(String instruction) {
    String name = name();
    twinBody.append("  ").append(name).append(" = ").append(instruction).append('\n');
    return name;
  }

  /** Adds an instruction to the bounded program alone, and returns its name. */
  String onlyInBounded(String instruction) {
    String name = name();
    onlyInBounded(name, instruction);
    return name;
  }

  /** Adds an instruction to the bounded program alone. */
  void onlyInBounded(String name, String instruction) {
    body.append("  ").append(name).append(" = ").append(instruction).append('\n');
  }

  /**
   * Returns a new parameter of the sizes of a shape, some of whose bounds are static sizes instead,
   * and some static sizes bounds, but for some dimensions; what the twin has of it is cut.
   */
  Value beside(TwinShape shape, Integer... except) {
    List<Dim> dims = new ArrayList<>();
    for (Dim dim : shape.dims()) {
      boolean stays = List.of(except).contains(dims.size()) || !chance(dim.isDynamic() ? 2 : 4);
      dims.add(stays ? dim : dim.isDynamic() ? dim.whole() : dim.full());
    }
    Value whole = parameter(shape.withDims(dims));
    return new Value(whole.bounded(), cut(whole, shape), whole.shape());
  }

  /** Returns a shape some of whose bounds are static sizes. */
  TwinShape whole(TwinShape shape) {
    return shape.withDims(shape.dims().stream().map(dim -> chance(2) ? dim.whole() : dim).toList());
  }

  /** Returns the name of the first elements of a value in the twin. */
  String cut(Value value, TwinShape to) {
    boolean isSame =
        IntStream.range(0, to.rank())
            .allMatch(i -> value.shape().dim(i).size() == to.dim(i).size());
    return isSame
        ? value.twin()
        : onlyInTwin(
            to.withType(value.shape().type()).twin()
                + " slice("
                + value.twin()
                + "), slice="
                + to.dims().stream()
                    .map(dim -> "[0:" + dim.size() + "]")
                    .collect(joining(",", "{", "}")));
  }

  /** Returns a scalar constant. */
  Value scalar(String type, String text) {
    TwinShape shape = new TwinShape(type, List.of());
    String constant = shape.bounded() + " constant(" + text + ")";
    return hidden(shape, constant, constant);
  }

  /** Returns the name of a computation that is the same in both, written at its first use. */
  String region(String name, String text) {
    if (regions.putIfAbsent(name, text) == null) {
      computations.append(name).append(" {\n").append(text).append("}\n");
      twinComputations.append(name).append(" {\n").append(text).append("}\n");
    }
    return name;
  }

  /** Returns the name of a computation of two scalars. */
  String region(String kind, String type, String result) {
    String name = kind.replace('-', '_').replaceAll("[^a-z_].*", "") + "_" + type + names++;
    String op = kind.contains("direction") ? "compare" : kind;
    String attributes = kind.contains("direction") ? kind.substring(kind.indexOf(',')) : "";
    return region(
        name,
        "  %1$s.a = %2$s[] parameter(0)\n  %1$s.b = %2$s[] parameter(1)\n  ROOT %1$s.r = %3$s[] %4$s(%1$s.a, %1$s.b)%5$s\n"
            .formatted(name, type, result, op, attributes));
  }

  /** Adds a computation that is written differently in both. */
  void computation(String bounded, String twin) {
    computations.append(bounded);
    twinComputations.append(twin);
  }

  Literal[] arguments() {
    return arguments.toArray(Literal[]::new);
  }

  String bounded() {
    return module(computations, body, TwinShape::bounded, false);
  }

  String twin() {
    return module(twinComputations, twinBody, TwinShape::twin, true);
  }

  private String module(
      StringBuilder computations,
      StringBuilder body,
      java.util.function.Function<TwinShape, String> text,
      boolean isTwin) {
    List<Value> last = values.subList(Math.max(0, values.size() - 5), values.size());
    String shapes = last.stream().map(value -> text.apply(value.shape())).collect(joining(", "));
    String names =
        last.stream().map(value -> isTwin ? value.twin() : value.bounded()).collect(joining(", "));
    return "HloModule m\n"
        + computations
        + "ENTRY e {\n"
        + body
        + "  ROOT all = ("
        + shapes
        + ") tuple("
        + names
        + ")\n}\n";
  }
}
