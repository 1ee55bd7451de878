package org.hlo4j.interpreter.bounded;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.bounded.TwinPrograms.Value;
import org.hlo4j.interpreter.bounded.TwinShape.Dim;
import org.hlo4j.interpreter.bounded.TwinSteps.Step;

/** Ops beside the usual ones: sizes that are data, what has the whole bound, what is passed on. */
final class TwinOthers {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("bitcast-convert", TwinOthers::bitcastConvert)
          .put("reduce-precision", TwinOthers::reducePrecision)
          .put("real", TwinOthers::real)
          .put("complex", TwinOthers::complex)
          .put("iota", TwinOthers::iota)
          .put("rng", TwinOthers::rng)
          .put("rng-bit-generator", TwinOthers::rngBitGenerator)
          .put("fusion", TwinOthers::fusion)
          .put("optimization-barrier", TwinOthers::barrier)
          .put("custom-call", TwinOthers::customCall)
          .put("all-reduce", TwinOthers::allReduce)
          .put("collective-permute", TwinOthers::collectivePermute)
          .put("dynamic-reshape", TwinOthers::dynamicReshape)
          .put("size from data", TwinOthers::sizeFromData)
          .put("cumulative sum", TwinOthers::cumulativeSum)
          .put("concatenate three", TwinOthers::concatenateThree)
          .put("topk", TwinOthers::topk)
          .put("fft", TwinOthers::fft)
          .put("branches of sizes", TwinOthers::branchesOfSizes)
          .put("gather of windows", TwinOthers::gatherOfWindows)
          .buildOrThrow();

  private TwinOthers() {}

  private static void bitcastConvert(TwinPrograms p, Value v) {
    switch (v.shape().type()) {
      case "f32" -> p.same(v.shape().withType("s32"), "bitcast-convert", "", v);
      case "f64" -> {
        List<Dim> dims = new ArrayList<>(v.shape().dims());
        dims.add(Dim.of(8));
        p.same(v.shape().withDims(dims).withType("u8"), "bitcast-convert", "", v);
      }
      default -> {}
    }
  }

  private static void reducePrecision(TwinPrograms p, Value v) {
    if (TwinSteps.isFloat(v.shape())) {
      p.same(v.shape(), "reduce-precision", ", exponent_bits=5, mantissa_bits=2", v);
    }
  }

  private static void real(TwinPrograms p, Value v) {
    if (v.shape().type().equals("c64")) {
      p.same(v.shape().withType("f32"), p.chance(2) ? "real" : "imag", "", v);
    }
  }

  private static void complex(TwinPrograms p, Value v) {
    if (v.shape().type().equals("f32")) {
      Value other = p.beside(v.shape());
      p.same(TwinSteps.either(v.shape(), other.shape()).withType("c64"), "complex", "", v, other);
    }
  }

  /** Adds a static array of the bounds' sizes to a value; the twin cuts it. */
  private static void addWhole(TwinPrograms p, Value v, String instruction) {
    TwinShape whole = v.shape().withDims(v.shape().dims().stream().map(Dim::whole).toList());
    String text = whole.bounded() + " " + instruction;
    Value made = p.hidden(whole, text, text);
    p.same(v.shape(), "add", "", v, new Value(made.bounded(), p.cut(made, v.shape()), whole));
  }

  private static void iota(TwinPrograms p, Value v) {
    if (v.shape().rank() > 0 && TwinSteps.isReal(v.shape())) {
      addWhole(p, v, "iota(), iota_dimension=" + p.below(v.shape().rank()));
    }
  }

  private static void rng(TwinPrograms p, Value v) {
    if (v.shape().type().equals("f32")) {
      String ends = p.scalar("f32", "0").bounded() + ", " + p.scalar("f32", "1").bounded();
      addWhole(p, v, "rng(" + ends + "), distribution=rng_uniform");
    }
  }

  private static void rngBitGenerator(TwinPrograms p, Value v) {
    if (!v.shape().type().equals("s32")) {
      return;
    }
    Value state = p.parameter(new TwinShape("u64", List.of(Dim.of(2))));
    TwinShape whole = v.shape().withDims(v.shape().dims().stream().map(Dim::whole).toList());
    TwinShape bits = whole.withType("u32");
    String text =
        "(u64[2], %s) rng-bit-generator(%s), algorithm=rng_three_fry"
            .formatted(bits.bounded(), state.bounded());
    Value both = p.hidden(bits, text, text);
    String element = bits.bounded() + " get-tuple-element(" + both.bounded() + "), index=1";
    Value drawn = p.hidden(bits, element, element);
    addWhole(p, v, "convert(" + drawn.bounded() + ")");
  }

  private static void fusion(TwinPrograms p, Value v) {
    p.same(v.shape(), "fusion", ", kind=kLoop, calls=" + TwinCalls.computation(p, v.shape()), v);
  }

  private static void barrier(TwinPrograms p, Value v) {
    p.same(v.shape(), "opt-barrier", "", v);
  }

  /** A call that gives its operand, of the operand's sizes. */
  private static void customCall(TwinPrograms p, Value v) {
    p.same(v.shape(), "custom-call", ", custom_call_target=\"Sharding\"", v);
  }

  private static void allReduce(TwinPrograms p, Value v) {
    if (!v.shape().type().equals("pred")) {
      String body = p.region("add", v.shape().type(), v.shape().type());
      p.same(v.shape(), "all-reduce", ", replica_groups={}, to_apply=" + body, v);
    }
  }

  private static void collectivePermute(TwinPrograms p, Value v) {
    p.same(v.shape(), "collective-permute", ", source_target_pairs={{0,0}}", v);
  }

  /** Makes one dimension of all; the product of sizes is computed. */
  private static void dynamicReshape(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0 || !v.shape().isDynamic()) {
      return;
    }
    List<String> sizes = new ArrayList<>();
    for (int i = 0; i < v.shape().rank(); i++) {
      sizes.add(
          p.onlyInBounded(
              "s32[] get-dimension-size(%s), dimensions={%d}".formatted(v.bounded(), i)));
    }
    String product =
        sizes.stream()
            .reduce((a, b) -> p.onlyInBounded("s32[] multiply(" + a + ", " + b + ")"))
            .orElseThrow();
    long bound = v.shape().dims().stream().mapToLong(Dim::bound).reduce(1, (a, b) -> a * b);
    TwinShape result = v.shape().withDims(List.of(new Dim(bound, true, v.shape().elements())));
    p.add(
        result,
        result.bounded() + " dynamic-reshape(" + v.bounded() + ", " + product + ")",
        result.twin() + " reshape(" + v.twin() + ")");
  }

  /** Sets a size that is an argument. */
  private static void sizeFromData(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0) {
      return;
    }
    int at = p.below(v.shape().rank());
    Dim dim = v.shape().dim(at);
    int size = p.below((int) dim.size() + 1);
    Value given = p.parameter(new TwinShape("s32", List.of()), Literal.of(size));
    TwinShape result = v.shape().with(at, new Dim(dim.bound(), true, size));
    p.add(
        result,
        "%s set-dimension-size(%s, %s), dimensions={%d}"
            .formatted(result.bounded(), v.bounded(), given.bounded(), at),
        result.twin() + " copy(" + p.cut(v, result) + ")");
  }

  /** A window of all elements before, written with the bound. */
  private static void cumulativeSum(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0 || v.shape().type().equals("pred")) {
      return;
    }
    int along = p.below(v.shape().rank());
    long bound = Math.max(1, v.shape().dim(along).bound());
    String type = v.shape().type();
    boolean isComplex = type.equals("c64");
    String sizes = perDimension(v.shape().rank(), along, "" + bound, "1");
    String pads = perDimension(v.shape().rank(), along, (bound - 1) + "_0", "0_0");
    p.same(
        v.shape(),
        "reduce-window",
        ", window={size=%s pad=%s}, to_apply=%s"
            .formatted(sizes, pads, p.region("add", type, type)),
        v,
        p.scalar(type, isComplex ? "(0, 0)" : "0"));
  }

  private static String perDimension(int rank, int along, String there, String elsewhere) {
    return IntStream.range(0, rank)
        .mapToObj(i -> i == along ? there : elsewhere)
        .collect(joining("x"));
  }

  private static void concatenateThree(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0) {
      return;
    }
    int along = p.below(v.shape().rank());
    Dim own = v.shape().dim(along);
    Dim next = p.dim();
    Value other = p.parameter(v.shape().with(along, next));
    Dim all =
        new Dim(
            own.bound() * 2 + next.bound(),
            own.isDynamic() || next.isDynamic(),
            own.size() * 2 + next.size());
    p.same(v.shape().with(along, all), "concatenate", ", dimensions={" + along + "}", v, other, v);
  }

  /** The greatest of each row; a row has a static size. */
  private static void topk(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0 || !TwinSteps.isReal(v.shape())) {
      return;
    }
    int last = v.shape().rank() - 1;
    Dim row = v.shape().dim(last);
    if (row.isDynamic()) {
      return;
    }
    int k = p.below((int) row.size() + 1);
    TwinShape values = v.shape().with(last, Dim.of(k));
    TwinShape indices = values.withType("s32");
    String op = "(%s, %s) topk(%s), k=%d, largest=true";
    String bounded =
        p.onlyInBounded(op.formatted(values.bounded(), indices.bounded(), v.bounded(), k));
    String twin = p.onlyInTwin(op.formatted(values.twin(), indices.twin(), v.twin(), k));
    String element = "%s get-tuple-element(%s), index=%d";
    p.add(
        values,
        element.formatted(values.bounded(), bounded, 0),
        element.formatted(values.twin(), twin, 0));
    p.add(
        indices,
        element.formatted(indices.bounded(), bounded, 1),
        element.formatted(indices.twin(), twin, 1));
  }

  /** Each row by itself. */
  private static void fft(TwinPrograms p, Value v) {
    int rank = v.shape().rank();
    if (rank > 0 && v.shape().type().equals("c64") && !v.shape().dim(rank - 1).isDynamic()) {
      long size = v.shape().dim(rank - 1).bound();
      p.same(v.shape(), "fft", ", fft_type=FFT, fft_length={" + size + "}", v);
    }
  }

  /** Two branches of a constant choice, of different sizes; the twin has only what is taken. */
  private static void branchesOfSizes(TwinPrograms p, Value v) {
    if (!v.shape().isDynamic()) {
      return;
    }
    TwinShape whole = v.shape().withDims(v.shape().dims().stream().map(Dim::whole).toList());
    boolean isFirst = p.chance(2);
    Value other = p.parameter(whole);
    Value chosen =
        p.chance(2)
            ? p.scalar("pred", "" + isFirst)
            : p.parameter(new TwinShape("pred", List.of()), Literal.of(isFirst));
    TwinShape result =
        isFirst
            ? v.shape()
            : v.shape()
                .withDims(
                    v.shape().dims().stream()
                        .map(dim -> dim.isDynamic() ? dim.full() : dim)
                        .toList());
    String first = TwinCalls.computation(p, v.shape());
    String second = TwinCalls.computation(p, whole);
    p.add(
        result,
        "%s conditional(%s, %s, %s), true_computation=%s, false_computation=%s"
            .formatted(
                result.bounded(), chosen.bounded(), v.bounded(), other.bounded(), first, second),
        "%s call(%s), to_apply=%s"
            .formatted(result.twin(), (isFirst ? v : other).twin(), isFirst ? first : second));
  }

  /** Windows that are in place by sizes; one of all elements has the bound. */
  private static void gatherOfWindows(TwinPrograms p, Value v) {
    if (v.shape().rank() != 1 || v.shape().dim(0).size() == 0) {
      return;
    }
    Dim dim = v.shape().dim(0);
    long size = dim.size();
    int window = 1 + p.below((int) size);
    Dim places = window == dim.bound() ? dim : Dim.of(window);
    Dim count = p.dim();
    Value indices = TwinReductions.indices(p, count, size - window);
    p.same(
        v.shape().withDims(List.of(count, places)),
        "gather",
        ", offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1,"
            + " slice_sizes="
            + TwinSteps.list(LongStream.of(window)),
        v,
        indices);
  }
}
