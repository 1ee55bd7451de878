package org.hlo4j.interpreter.bounded;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.bounded.TwinPrograms.Value;
import org.hlo4j.interpreter.bounded.TwinShape.Dim;
import org.hlo4j.interpreter.bounded.TwinSteps.Step;

/** Ops that combine elements, or whose indices are data. */
final class TwinReductions {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("reduce", TwinReductions::reduce)
          .put("reduce of two", TwinReductions::reduceTwo)
          .put("reduce-window", TwinReductions::reduceWindow)
          .put("reduce-window of two", TwinReductions::reduceWindowTwo)
          .put("sort", TwinReductions::sort)
          .put("sort of two", TwinReductions::sortTwo)
          .put("dot", TwinReductions::dot)
          .put("batch dot", TwinReductions::batchDot)
          .put("convolution", TwinReductions::convolution)
          .put("gather", TwinReductions::gather)
          .put("scatter", TwinReductions::scatter)
          .put("scatter into", TwinReductions::scatterInto)
          .put("select-and-scatter", TwinReductions::selectAndScatter)
          .buildOrThrow();

  private TwinReductions() {}

  /** Returns the dimensions that are reduced, some of a rank. */
  private static List<Integer> some(TwinPrograms p, int rank) {
    return IntStream.range(0, rank).filter(i -> p.chance(2)).boxed().toList();
  }

  private static String attribute(List<Integer> dimensions) {
    return ", dimensions="
        + dimensions.stream().map(String::valueOf).collect(joining(",", "{", "}"));
  }

  private static TwinShape without(TwinShape shape, List<Integer> dimensions) {
    return shape.withDims(
        IntStream.range(0, shape.rank())
            .filter(i -> !dimensions.contains(i))
            .mapToObj(shape::dim)
            .toList());
  }

  /** Returns the op of a reducer and its identity. */
  private static List<String> reducer(TwinPrograms p, String type) {
    return switch (type) {
      case "pred" -> p.chance(2) ? List.of("and", "true") : List.of("or", "false");
      case "c64" -> List.of("add", "(0, 0)");
      case "u8", "u64" -> p.chance(2) ? List.of("add", "0") : List.of("maximum", "0");
      case "s32" -> p.chance(2) ? List.of("add", "0") : List.of("minimum", "2147483647");
      default -> p.chance(2) ? List.of("add", "0") : List.of("maximum", "-inf");
    };
  }

  /** Returns one whose value does not depend on how many results the op has. */
  private static List<String> exactReducer(TwinPrograms p, TwinShape shape) {
    return TwinSteps.isFloat(shape) ? List.of("maximum", "-inf") : reducer(p, shape.type());
  }

  private static void reduce(TwinPrograms p, Value v) {
    String type = v.shape().type();
    List<String> reducer = reducer(p, type);
    List<Integer> dimensions = some(p, v.shape().rank());
    p.same(
        without(v.shape(), dimensions),
        "reduce",
        attribute(dimensions) + ", to_apply=" + p.region(reducer.get(0), type, type),
        v,
        p.scalar(type, reducer.get(1)));
  }

  /** Returns a computation of two accumulators and two elements, each for itself. */
  private static String two(TwinPrograms p, List<String> ops, String first, String second) {
    String n = "two" + p.name();
    return p.region(
        n,
        """
          %1$s.1 = %2$s[] parameter(0)
          %1$s.2 = %3$s[] parameter(1)
          %1$s.3 = %2$s[] parameter(2)
          %1$s.4 = %3$s[] parameter(3)
          %1$s.5 = %2$s[] %4$s(%1$s.1, %1$s.3)
          %1$s.6 = %3$s[] %5$s(%1$s.2, %1$s.4)
          ROOT %1$s.7 = (%2$s[], %3$s[]) tuple(%1$s.5, %1$s.6)
        """
            .formatted(n, first, second, ops.get(0), ops.get(1)));
  }

  /** Adds both results of an op; in the twin, each has an instruction of its own. */
  private static void addBoth(
      TwinPrograms p, String op, TwinShape first, TwinShape second, String twin, String other) {
    String name = p.name();
    p.onlyInBounded(name, "(%s, %s) ".formatted(first.bounded(), second.bounded()) + op);
    String element = "%s get-tuple-element(%s), index=%s";
    p.add(first, element.formatted(first.bounded(), name, 0), first.twin() + " " + twin);
    p.add(second, element.formatted(second.bounded(), name, 1), second.twin() + " " + other);
  }

  /** Floats of one op are of one type. */
  private static String secondType(TwinPrograms p, TwinShape first) {
    String type = p.type();
    TwinShape second = first.withType(type);
    return TwinSteps.isFloat(first) && TwinSteps.isFloat(second) ? first.type() : type;
  }

  /**
   * The first operand says which sizes of the results are bounds; the second is cut to it where it
   * is not reduced, and counts whole where it is.
   */
  private static void reduceTwo(TwinPrograms p, Value v) {
    String type = v.shape().type();
    String other = secondType(p, v.shape());
    List<Integer> dimensions = some(p, v.shape().rank());
    Value second = p.parameter(p.whole(v.shape().withType(other)));
    List<String> one = exactReducer(p, v.shape());
    List<String> two = exactReducer(p, second.shape());
    Value init = p.scalar(type, one.get(1));
    Value secondInit = p.scalar(other, two.get(1));
    TwinShape cut =
        v.shape()
            .withDims(
                IntStream.range(0, v.shape().rank())
                    .mapToObj(i -> (dimensions.contains(i) ? second.shape() : v.shape()).dim(i))
                    .toList());
    TwinShape result = without(v.shape(), dimensions);
    String attributes = attribute(dimensions) + ", to_apply=";
    addBoth(
        p,
        "reduce(%s, %s, %s, %s)"
                .formatted(v.bounded(), second.bounded(), init.bounded(), secondInit.bounded())
            + attributes
            + two(p, List.of(one.get(0), two.get(0)), type, other),
        result,
        result.withType(other),
        "reduce(%s, %s)".formatted(v.twin(), init.twin())
            + attributes
            + p.region(one.get(0), type, type),
        "reduce(%s, %s)".formatted(p.cut(second, cut), secondInit.twin())
            + attributes
            + p.region(two.get(0), other, other));
  }

  /** The text of a window, and the shape of its places on a shape. */
  private record Window(String text, TwinShape result) {}

  private static Window window(TwinPrograms p, TwinShape shape, boolean isPadded) {
    List<String> sizes = new ArrayList<>();
    List<String> strides = new ArrayList<>();
    List<String> pads = new ArrayList<>();
    List<Dim> dims = new ArrayList<>();
    for (Dim dim : shape.dims()) {
      int size = 1 + p.below(3);
      int stride = 1 + p.below(2);
      int pad = isPadded ? p.below(3) : 0;
      sizes.add("" + size);
      strides.add("" + stride);
      pads.add(pad / 2 + "_" + (pad - pad / 2));
      dims.add(dim.mapped(given -> given + pad < size ? 0 : (given + pad - size) / stride + 1));
    }
    return new Window(
        ", window={size=%s stride=%s pad=%s}, to_apply="
            .formatted(String.join("x", sizes), String.join("x", strides), String.join("x", pads)),
        shape.withDims(dims));
  }

  private static void reduceWindow(TwinPrograms p, Value v) {
    if (v.shape().rank() > 0) {
      String type = v.shape().type();
      List<String> reducer = reducer(p, type);
      Window window = window(p, v.shape(), true);
      p.same(
          window.result(),
          "reduce-window",
          window.text() + p.region(reducer.get(0), type, type),
          v,
          p.scalar(type, reducer.get(1)));
    }
  }

  /** Each result has the sizes that its own operand gives. */
  private static void reduceWindowTwo(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0) {
      return;
    }
    String type = v.shape().type();
    Value second = p.parameter(p.whole(v.shape()));
    List<String> reducer = exactReducer(p, v.shape());
    Value init = p.scalar(type, reducer.get(1));
    Window window = window(p, v.shape(), false);
    TwinShape other =
        window
            .result()
            .withDims(
                IntStream.range(0, v.shape().rank())
                    .mapToObj(i ->
                        second.shape().dim(i).isDynamic()
                            ? window.result().dim(i)
                            : window.result().dim(i).whole())
                    .toList());
    String single = "reduce-window(%s, %s)" + window.text() + p.region(reducer.get(0), type, type);
    addBoth(
        p,
        "reduce-window(%s, %s, %s, %s)"
                .formatted(v.bounded(), second.bounded(), init.bounded(), init.bounded())
            + window.text()
            + two(p, List.of(reducer.get(0), reducer.get(0)), type, type),
        window.result(),
        other,
        single.formatted(v.twin(), init.twin()),
        single.formatted(second.twin(), init.twin()));
  }

  private static void sort(TwinPrograms p, Value v) {
    if (TwinSteps.isReal(v.shape()) && v.shape().rank() > 0) {
      String type = v.shape().type();
      p.same(
          v.shape(),
          "sort",
          ", dimensions={%d}, is_stable=true, to_apply=".formatted(p.below(v.shape().rank()))
              + p.region("compare, direction=LT", type, "pred"),
          v);
    }
  }

  /** Elements of static arrays beyond the sizes of the keys stay in place. */
  private static void sortTwo(TwinPrograms p, Value v) {
    if (!TwinSteps.isReal(v.shape()) || v.shape().rank() == 0) {
      return;
    }
    String type = v.shape().type();
    String other = p.type();
    Value second = p.parameter(p.whole(v.shape().withType(other)));
    String n = "keys" + p.name();
    String body =
        p.region(
            n,
            """
              %1$s.1 = %2$s[] parameter(0)
              %1$s.2 = %2$s[] parameter(1)
              %1$s.3 = %3$s[] parameter(2)
              %1$s.4 = %3$s[] parameter(3)
              ROOT %1$s.5 = pred[] compare(%1$s.1, %1$s.2), direction=LT
            """
                .formatted(n, type, other));
    String attributes =
        ", dimensions={%d}, is_stable=true, to_apply=".formatted(p.below(v.shape().rank())) + body;
    TwinShape common = v.shape().withType(other);
    String sorted =
        p.onlyInTwin(
            "(%s, %s) sort(%s, %s)"
                    .formatted(v.shape().twin(), common.twin(), v.twin(), p.cut(second, common))
                + attributes);
    String part = p.onlyInTwin(common.twin() + " get-tuple-element(" + sorted + "), index=1");
    String zeros =
        IntStream.range(0, v.shape().rank())
            .mapToObj(i -> ", " + p.scalar("s32", "0").twin())
            .collect(joining());
    addBoth(
        p,
        "sort(%s, %s)".formatted(v.bounded(), second.bounded()) + attributes,
        v.shape(),
        second.shape(),
        "get-tuple-element(" + sorted + "), index=0",
        "dynamic-update-slice(" + second.twin() + ", " + part + zeros + ")");
  }

  private static void dot(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0 || v.shape().type().equals("pred")) {
      return;
    }
    int along = p.below(v.shape().rank());
    Dim columns = p.dim();
    Value rhs = p.beside(v.shape().withDims(List.of(v.shape().dim(along), columns)), 1);
    List<Dim> dims = new ArrayList<>(v.shape().dims());
    dims.remove(along);
    dims.add(columns);
    p.same(
        v.shape().withDims(dims),
        "dot",
        ", lhs_contracting_dims={" + along + "}, rhs_contracting_dims={0}",
        v,
        rhs);
  }

  /** The left operand says whether a batch dimension has a bound. */
  private static void batchDot(TwinPrograms p, Value v) {
    if (v.shape().rank() != 2 || v.shape().type().equals("pred")) {
      return;
    }
    p.same(
        v.shape().withDims(List.of(v.shape().dim(0))),
        "dot",
        ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},"
            + " rhs_contracting_dims={1}",
        v,
        p.beside(v.shape()));
  }

  /** A batch of images with a bound on any dimension. */
  private static void convolution(TwinPrograms p, Value v) {
    if (v.shape().rank() != 3 || !TwinSteps.isFloat(v.shape())) {
      return;
    }
    int size = 1 + p.below(2);
    int pad = p.below(2);
    Dim outputs = Dim.of(1 + p.below(3));
    Dim features = v.shape().dim(1);
    Value kernel = p.beside(v.shape().withDims(List.of(outputs, features, Dim.of(size))), 0, 2);
    Dim places = v.shape().dim(2).mapped(given -> given + pad < size ? 0 : given + pad - size + 1);
    p.same(
        v.shape().withDims(List.of(v.shape().dim(0), outputs, places)),
        "convolution",
        ", window={size=%d pad=0_%d}, dim_labels=bf0_oi0->bf0".formatted(size, pad),
        v,
        kernel);
  }

  /** Rows of a table, as many as there are indices. */
  private static void gather(TwinPrograms p, Value v) {
    if (v.shape().rank() != 2) {
      return;
    }
    Dim rows = v.shape().dim(0);
    Dim count = p.dim();
    if (rows.size() == 0) {
      return;
    }
    Value indices = indices(p, count, rows.size() - 1);
    TwinShape result = v.shape().withDims(List.of(count, v.shape().dim(1)));
    String attributes =
        ", offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,"
            + " slice_sizes={1,%d}";
    p.add(
        result,
        result.bounded()
            + " gather(%s, %s)".formatted(v.bounded(), indices.bounded())
            + attributes.formatted(v.shape().dim(1).bound()),
        result.twin()
            + " gather(%s, %s)".formatted(v.twin(), indices.twin())
            + attributes.formatted(v.shape().dim(1).size()));
  }

  static Value indices(TwinPrograms p, Dim count, long last) {
    int[][] numbers = new int[(int) count.size()][1];
    for (int[] vector : numbers) {
      vector[0] = p.below((int) last + 2) - 1 - (p.chance(9) ? 1 : 0);
      vector[0] = (int) Math.min(vector[0], last);
    }
    Literal literal =
        count.size() == 0
            ? Literal.zeros(org.hlo4j.hlo.Shape.of(org.hlo4j.hlo.ElementType.S32, 0, 1))
            : Literal.of(numbers);
    return p.parameter(new TwinShape("s32", List.of(count, Dim.of(1))), literal);
  }

  private static final String POINTS =
      ", update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},"
          + " index_vector_dim=1, to_apply=";

  /** Updates that are as many as the indices, be they static or not. */
  private static void scatter(TwinPrograms p, Value v) {
    if (v.shape().rank() != 1 || v.shape().type().equals("pred")) {
      return;
    }
    String type = v.shape().type();
    Value target = p.parameter(new TwinShape(type, List.of(Dim.of(1 + p.below(6)))));
    Value indices = indices(p, v.shape().dim(0), target.shape().dim(0).size());
    Value updates = p.chance(2) ? v : p.beside(v.shape());
    p.same(
        target.shape(), "scatter", POINTS + p.region("add", type, type), target, indices, updates);
  }

  /** Indices beyond the sizes leave no trace. */
  private static void scatterInto(TwinPrograms p, Value v) {
    if (v.shape().rank() != 1 || v.shape().type().equals("pred")) {
      return;
    }
    String type = v.shape().type();
    Dim count = p.dim();
    Value indices = indices(p, count, v.shape().dim(0).bound());
    Value updates = p.parameter(v.shape().withDims(List.of(count)));
    p.same(v.shape(), "scatter", POINTS + p.region("add", type, type), v, indices, updates);
  }

  private static void selectAndScatter(TwinPrograms p, Value v) {
    if (v.shape().rank() != 1 || !TwinSteps.isReal(v.shape())) {
      return;
    }
    String type = v.shape().type();
    int size = 1 + p.below(3);
    Dim places = v.shape().dim(0).mapped(given -> given < size ? 0 : (given - size) / size + 1);
    p.same(
        v.shape(),
        "select-and-scatter",
        ", window={size=%1$d stride=%1$d}, select=%2$s, scatter=%3$s"
            .formatted(
                size, p.region("compare, direction=GE", type, "pred"), p.region("add", type, type)),
        v,
        p.parameter(v.shape().withDims(List.of(places))),
        p.scalar(type, "0"));
  }
}
