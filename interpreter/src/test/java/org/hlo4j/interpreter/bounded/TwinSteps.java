package org.hlo4j.interpreter.bounded;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.bounded.TwinPrograms.Value;
import org.hlo4j.interpreter.bounded.TwinShape.Dim;

/** The ops that programs are made of: for each a row that says what varies. */
final class TwinSteps {
  /** Appends an op to both programs, or does nothing if the value does not suit. */
  @FunctionalInterface
  interface Step {
    void add(TwinPrograms p, Value value);
  }

  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("unary", TwinSteps::unary)
          .put("binary", TwinSteps::binary)
          .put("compare", TwinSteps::compare)
          .put("select", TwinSteps::select)
          .put("clamp", TwinSteps::clamp)
          .put("convert", TwinSteps::convert)
          .put("map", TwinSteps::map)
          .put("broadcast", TwinSteps::broadcast)
          .put("transpose", TwinSteps::transpose)
          .put("reverse", TwinSteps::reverse)
          .put("reshape", TwinSteps::reshape)
          .put("merge", TwinSteps::merge)
          .put("slice", TwinSteps::slice)
          .put("pad", TwinSteps::pad)
          .put("concatenate", TwinSteps::concatenate)
          .put("dynamic-slice", TwinSteps::dynamicSlice)
          .put("dynamic-update-slice", TwinSteps::dynamicUpdateSlice)
          .put("set-dimension-size", TwinSteps::setDimensionSize)
          .put("get-dimension-size", TwinSteps::getDimensionSize)
          .putAll(TwinReductions.ALL)
          .putAll(TwinCalls.ALL)
          .putAll(TwinOthers.ALL)
          .buildOrThrow();

  private TwinSteps() {}

  static boolean isFloat(TwinShape shape) {
    return List.of("f32", "f64", "bf16").contains(shape.type());
  }

  static boolean isReal(TwinShape shape) {
    return isFloat(shape) || List.of("s32", "u8").contains(shape.type());
  }

  static String list(LongStream numbers) {
    return numbers.mapToObj(Long::toString).collect(joining(",", "{", "}"));
  }

  /** Returns whether a static size stands beside a bound. */
  private static boolean isDynamic(TwinShape a, TwinShape b, int i) {
    return a.dim(i).isDynamic() || b.dim(i).isDynamic();
  }

  /** Returns the shape of two operands of the same sizes: bounds where either has one. */
  static TwinShape either(TwinShape a, TwinShape b) {
    return a.withDims(
        IntStream.range(0, a.rank())
            .mapToObj(i -> new Dim(a.dim(i).bound(), isDynamic(a, b, i), a.dim(i).size()))
            .toList());
  }

  private static void unary(TwinPrograms p, Value v) {
    String type = v.shape().type();
    List<String> ops =
        switch (type) {
          case "pred" -> List.of("not", "copy");
          case "c64" -> List.of("negate", "copy");
          case "s32" -> List.of("negate", "abs", "not", "popcnt", "sign");
          case "u8", "u64" -> List.of("not", "popcnt", "copy", "count-leading-zeros");
          default -> List.of("negate", "abs", "floor", "copy", "sign", "tanh", "exponential");
        };
    p.same(v.shape(), ops.get(p.below(ops.size())), "", v);
  }

  private static void binary(TwinPrograms p, Value v) {
    List<String> ops =
        v.shape().type().equals("pred")
            ? List.of("and", "or", "xor")
            : v.shape().type().equals("c64")
                ? List.of("add", "multiply", "subtract")
                : List.of("add", "multiply", "subtract", "maximum", "minimum");
    Value other = p.beside(v.shape());
    p.same(either(v.shape(), other.shape()), ops.get(p.below(ops.size())), "", v, other);
  }

  private static void compare(TwinPrograms p, Value v) {
    Value other = p.beside(v.shape());
    TwinShape result = either(v.shape(), other.shape()).withType("pred");
    p.same(result, "compare", ", direction=" + (p.chance(2) ? "EQ" : "NE"), other, v);
  }

  private static void select(TwinPrograms p, Value v) {
    Value pred =
        p.chance(3)
            ? p.parameter(new TwinShape("pred", List.of()))
            : p.beside(v.shape().withType("pred"));
    Value other = p.beside(v.shape());
    TwinShape result = either(v.shape(), other.shape());
    p.same(
        pred.shape().rank() == 0 ? result : either(result, pred.shape()).withType(v.shape().type()),
        "select",
        "",
        pred,
        v,
        other);
  }

  /** The result has bounds where what is clamped has. */
  private static void clamp(TwinPrograms p, Value v) {
    if (isReal(v.shape())) {
      Value low = p.chance(2) ? p.scalar(v.shape().type(), "1") : p.beside(v.shape());
      Value high = p.chance(2) ? p.scalar(v.shape().type(), "3") : p.beside(v.shape());
      p.same(v.shape(), "clamp", "", low, v, high);
    }
  }

  private static void convert(TwinPrograms p, Value v) {
    String type = p.type();
    if (!v.shape().type().equals("c64") && !type.equals("pred") && !type.equals("u8")) {
      p.same(v.shape().withType(type), "convert", "", v);
    }
  }

  private static void map(TwinPrograms p, Value v) {
    String type = v.shape().type();
    if (!type.equals("pred")) {
      String dims = list(LongStream.range(0, v.shape().rank()));
      String body = p.region("add", type, type);
      p.same(
          v.shape(), "map", ", dimensions=" + dims + ", to_apply=" + body, v, p.beside(v.shape()));
    }
  }

  private static void broadcast(TwinPrograms p, Value v) {
    List<Dim> dims = new ArrayList<>(v.shape().dims());
    int at = p.below(dims.size() + 1);
    dims.add(at, Dim.of(1 + p.below(3)));
    String mapped = list(LongStream.range(0, v.shape().rank()).map(i -> i < at ? i : i + 1));
    if (dims.size() <= 4) {
      p.same(v.shape().withDims(dims), "broadcast", ", dimensions=" + mapped, v);
    }
  }

  private static void transpose(TwinPrograms p, Value v) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, v.shape().rank()).boxed().toList());
    Collections.shuffle(order, p.random);
    p.same(
        v.shape().withDims(order.stream().map(v.shape()::dim).toList()),
        "transpose",
        ", dimensions=" + list(order.stream().mapToLong(i -> i)),
        v);
  }

  private static void reverse(TwinPrograms p, Value v) {
    if (v.shape().rank() > 0) {
      p.same(v.shape(), "reverse", ", dimensions={" + p.below(v.shape().rank()) + "}", v);
    }
  }

  /** Adds and removes dimensions of size 1. */
  private static void reshape(TwinPrograms p, Value v) {
    List<Dim> dims = new ArrayList<>(v.shape().dims());
    if (p.chance(2)) {
      dims.remove(Dim.of(1));
    }
    if (p.chance(2) && dims.size() < 4) {
      dims.add(p.below(dims.size() + 1), Dim.of(1));
    }
    p.same(v.shape().withDims(dims), "reshape", "", v);
  }

  /**
   * Makes one dimension of two. Where one that has no element is left out, it may go with either
   * neighbour.
   */
  private static void merge(TwinPrograms p, Value v) {
    boolean isDynamic =
        v.shape().rank() > 2 && v.shape().dims().stream().anyMatch(new Dim(1, true, 0)::equals);
    if (v.shape().rank() < 2 || isDynamic) {
      return;
    }
    int at = p.below(v.shape().rank() - 1);
    Dim first = v.shape().dim(at);
    Dim second = v.shape().dim(at + 1);
    List<Dim> dims = new ArrayList<>(v.shape().dims());
    dims.remove(at + 1);
    dims.set(
        at,
        new Dim(
            first.bound() * second.bound(),
            first.isDynamic() || second.isDynamic(),
            first.size() * second.size()));
    p.same(v.shape().withDims(dims), "reshape", "", v);
  }

  /** A slice ends with the operand; a dimension of one element is static, and has to be there. */
  private static void slice(TwinPrograms p, Value v) {
    List<String> bounded = new ArrayList<>();
    List<String> twin = new ArrayList<>();
    List<Dim> dims = new ArrayList<>();
    for (Dim dim : v.shape().dims()) {
      long start = p.below((int) dim.bound() + 1);
      long limit = start + p.below((int) (dim.bound() - start) + 1);
      int stride = 1 + p.below(2);
      long count = Math.ceilDiv(limit - start, stride);
      boolean isDynamic = dim.isDynamic() && count != 1;
      if (dim.isDynamic() && count == 1 && start >= dim.size()) {
        return;
      }
      long end = isDynamic ? Math.min(limit, dim.size()) : limit;
      long begin = Math.min(start, end);
      if (!isDynamic && dim.isDynamic() && end > dim.size()) {
        return;
      }
      bounded.add("[%d:%d:%d]".formatted(start, limit, stride));
      twin.add("[%d:%d:%d]".formatted(begin, end, stride));
      dims.add(new Dim(count, isDynamic, Math.ceilDiv(end - begin, stride)));
    }
    TwinShape result = v.shape().withDims(dims);
    p.add(
        result,
        result.bounded()
            + " slice("
            + v.bounded()
            + "), slice={"
            + String.join(", ", bounded)
            + "}",
        result.twin() + " slice(" + v.twin() + "), slice={" + String.join(", ", twin) + "}");
  }

  private static void pad(TwinPrograms p, Value v) {
    List<String> padding = new ArrayList<>();
    List<Dim> dims = new ArrayList<>();
    for (Dim dim : v.shape().dims()) {
      long low = dim.size() > 1 && p.chance(6) ? -1 : p.below(3);
      long high = p.below(3);
      long interior = p.below(2);
      padding.add("%d_%d_%d".formatted(low, high, interior));
      dims.add(dim.mapped(size -> size + Math.max(0, size - 1) * interior + low + high));
    }
    if (!dims.isEmpty()) {
      String value =
          v.shape().type().equals("c64")
              ? "(1, 2)"
              : v.shape().type().equals("pred") ? "true" : "7";
      p.same(
          v.shape().withDims(dims),
          "pad",
          ", padding=" + String.join("x", padding),
          v,
          p.scalar(v.shape().type(), value));
    }
  }

  private static void concatenate(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0) {
      return;
    }
    int along = p.below(v.shape().rank());
    Dim own = v.shape().dim(along);
    Dim next = p.dim();
    Value other = p.beside(v.shape().with(along, next), along);
    Dim both =
        new Dim(
            own.bound() + next.bound(),
            own.isDynamic() || next.isDynamic(),
            own.size() + next.size());
    TwinShape result = either(v.shape(), other.shape()).with(along, both);
    p.same(result, "concatenate", ", dimensions={" + along + "}", v, other);
  }

  /** The start is data, in place by sizes. */
  private static void dynamicSlice(TwinPrograms p, Value v) {
    StringBuilder starts = new StringBuilder();
    List<Dim> dims = new ArrayList<>();
    for (Dim dim : v.shape().dims()) {
      long size = p.below((int) dim.size() + 1);
      dims.add(Dim.of(size));
      starts.append(", ").append(start(p, dim.size() - size).bounded());
    }
    TwinShape result = v.shape().withDims(dims);
    String sizes = ", dynamic_slice_sizes=" + list(dims.stream().mapToLong(Dim::size));
    p.add(
        result,
        result.bounded() + " dynamic-slice(" + v.bounded() + starts + ")" + sizes,
        result.twin() + " dynamic-slice(" + v.twin() + starts + ")" + sizes);
  }

  private static Value start(TwinPrograms p, long last) {
    int at = p.below((int) last + 1) - (p.chance(4) ? 3 : 0);
    return p.chance(2)
        ? p.scalar("s32", "" + at)
        : p.parameter(new TwinShape("s32", List.of()), Literal.of(at));
  }

  private static void dynamicUpdateSlice(TwinPrograms p, Value v) {
    List<Dim> dims = new ArrayList<>();
    List<Value> starts = new ArrayList<>();
    for (Dim dim : v.shape().dims()) {
      Dim own = p.chance(3) && dim.isDynamic() ? dim : Dim.of(p.below((int) dim.size() + 1));
      dims.add(own);
      starts.add(start(p, dim.size() - own.size()));
    }
    List<Value> operands = new ArrayList<>(List.of(v, p.parameter(v.shape().withDims(dims))));
    operands.addAll(starts);
    p.same(v.shape(), "dynamic-update-slice", "", operands.toArray(Value[]::new));
  }

  private static void getDimensionSize(TwinPrograms p, Value v) {
    if (v.shape().rank() > 0) {
      p.same(
          new TwinShape("s32", List.of()),
          "get-dimension-size",
          ", dimensions={" + p.below(v.shape().rank()) + "}",
          v);
    }
  }

  /** Sets a size that is computed from the size there was. */
  private static void setDimensionSize(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0) {
      return;
    }
    int at = p.below(v.shape().rank());
    long size = v.shape().dim(at).size();
    String given = p.name();
    String next = p.name();
    long chosen;
    String formula;
    switch (p.below(5)) {
      case 0 -> {
        formula = "shift-right-logical(" + given + ", " + p.scalar("s32", "1").bounded() + ")";
        chosen = size >> 1;
      }
      case 1 -> {
        formula = "popcnt(" + given + ")";
        chosen = Long.bitCount(size);
      }
      case 2 -> {
        formula = "minimum(" + given + ", " + p.scalar("s32", "2").bounded() + ")";
        chosen = Math.min(size, 2);
      }
      case 3 -> {
        formula = "add(" + given + ", " + p.scalar("s32", "0").bounded() + ")";
        chosen = size;
      }
      default -> {
        chosen = p.below((int) size + 1);
        formula = "constant(" + chosen + ")";
      }
    }
    Dim dim = v.shape().dim(at);
    TwinShape result = v.shape().with(at, new Dim(dim.bound(), true, chosen));
    p.onlyInBounded(
        given, "s32[] get-dimension-size(" + v.bounded() + "), dimensions={" + at + "}");
    p.onlyInBounded(next, "s32[] " + formula);
    p.add(
        result,
        "%s set-dimension-size(%s, %s), dimensions={%d}"
            .formatted(result.bounded(), v.bounded(), next, at),
        result.twin() + " copy(" + p.cut(v, result) + ")");
  }
}
