package org.hlo4j.interpreter.bounded;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.interpreter.bounded.TwinPrograms.Value;
import org.hlo4j.interpreter.bounded.TwinSteps.Step;

/** Ops that call computations of arrays, or group values. */
final class TwinCalls {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("tuple", TwinCalls::tuple)
          .put("call", TwinCalls::call)
          .put("conditional", TwinCalls::conditional)
          .put("while", TwinCalls::whileLoop)
          .put("while with a start", TwinCalls::loopOfStarts)
          .put("batch-norm-inference", TwinCalls::batchNorm)
          .buildOrThrow();

  private TwinCalls() {}

  private static String text(TwinShape shape, boolean isTwin) {
    return isTwin ? shape.twin() : shape.bounded();
  }

  private static void tuple(TwinPrograms p, Value v) {
    Value other = p.any(shape -> true).orElseThrow();
    String bounded =
        "(%s, %s) tuple(%s, %s)"
            .formatted(v.shape().bounded(), other.shape().bounded(), v.bounded(), other.bounded());
    String name = p.name();
    p.onlyInBounded(name, bounded);
    String twin =
        p.onlyInTwin(
            "(%s, %s) tuple(%s, %s)"
                .formatted(v.shape().twin(), other.shape().twin(), v.twin(), other.twin()));
    p.add(
        other.shape(),
        other.shape().bounded() + " get-tuple-element(" + name + "), index=1",
        other.shape().twin() + " get-tuple-element(" + twin + "), index=1");
  }

  /** Returns the name of a computation of one array, which adds it to itself or keeps it. */
  static String computation(TwinPrograms p, TwinShape shape) {
    String name = "f" + p.name();
    String op =
        shape.type().equals("pred")
            ? "xor(%s.p, %s.p)"
            : p.chance(2) ? "add(%s.p, %s.p)" : "multiply(%s.p, %s.p)";
    String body =
        name
            + " {\n  "
            + name
            + ".p = %1$s parameter(0)\n  ROOT "
            + name
            + ".r = %1$s "
            + op.replace("%s", name)
            + "\n}\n";
    p.computation(body.formatted(shape.bounded()), body.formatted(shape.twin()));
    return name;
  }

  private static void call(TwinPrograms p, Value v) {
    p.same(v.shape(), "call", ", to_apply=" + computation(p, v.shape()), v);
  }

  private static Value pred(TwinPrograms p) {
    return p.chance(2)
        ? p.scalar("pred", p.chance(2) ? "true" : "false")
        : p.parameter(new TwinShape("pred", List.of()));
  }

  private static void conditional(TwinPrograms p, Value v) {
    Value other = p.parameter(v.shape());
    p.same(
        v.shape(),
        "conditional",
        ", true_computation=%s, false_computation=%s"
            .formatted(computation(p, v.shape()), computation(p, v.shape())),
        pred(p),
        v,
        other);
  }

  private static final String LOOP =
      """
      %1$s.while {
        %1$s.1 = (%2$s, s32[]) parameter(0)
        %1$s.2 = s32[] get-tuple-element(%1$s.1), index=1
        %1$s.3 = s32[] constant(3)
        ROOT %1$s.4 = pred[] compare(%1$s.2, %1$s.3), direction=LT
      }
      %1$s.do {
        %1$s.5 = (%2$s, s32[]) parameter(0)
        %1$s.6 = s32[] get-tuple-element(%1$s.5), index=1
        %1$s.7 = s32[] constant(1)
        %1$s.8 = s32[] add(%1$s.6, %1$s.7)
        %1$s.9 = %2$s get-tuple-element(%1$s.5), index=0
        %3$s
        ROOT %1$s.11 = (%2$s, s32[]) tuple(%1$s.10, %1$s.8)
      }
      """;

  private static void loop(TwinPrograms p, Value v, String step) {
    String name = "w" + p.name();
    p.computation(
        LOOP.formatted(name, v.shape().bounded(), step.formatted(name, v.shape().bounded())),
        LOOP.formatted(name, v.shape().twin(), step.formatted(name, v.shape().twin())));
    Value zero = p.scalar("s32", "0");
    String[] results = new String[2];
    for (boolean isTwin : new boolean[] {false, true}) {
      String state = "(" + text(v.shape(), isTwin) + ", s32[])";
      String init =
          state + " tuple(" + (isTwin ? v.twin() : v.bounded()) + ", " + zero.bounded() + ")";
      String begin = both(p, isTwin, init);
      results[isTwin ? 1 : 0] =
          both(
              p,
              isTwin,
              "%1$s while(%2$s), condition=%3$s.while, body=%3$s.do".formatted(state, begin, name));
    }
    p.add(
        v.shape(),
        v.shape().bounded() + " get-tuple-element(" + results[0] + "), index=0",
        v.shape().twin() + " get-tuple-element(" + results[1] + "), index=0");
  }

  private static String both(TwinPrograms p, boolean isTwin, String instruction) {
    return isTwin ? p.onlyInTwin(instruction) : p.onlyInBounded(instruction);
  }

  private static void whileLoop(TwinPrograms p, Value v) {
    if (!v.shape().type().equals("pred")) {
      loop(p, v, "%1$s.10 = %2$s add(%1$s.9, %1$s.9)");
    }
  }

  /** Adds an element at a place that is the count of the loop, which is in place by sizes. */
  private static void loopOfStarts(TwinPrograms p, Value v) {
    if (v.shape().rank() == 1 && v.shape().dim(0).size() > 3) {
      String one = v.shape().withDims(List.of(TwinShape.Dim.of(1))).twin();
      loop(
          p,
          v,
          "%1$s.12 = "
              + one
              + " dynamic-slice(%1$s.9, %1$s.8), dynamic_slice_sizes={1}\n"
              + "  %1$s.10 = %2$s dynamic-update-slice(%1$s.9, %1$s.12, %1$s.6)");
    }
  }

  private static void batchNorm(TwinPrograms p, Value v) {
    if (v.shape().rank() == 0 || !TwinSteps.isFloat(v.shape())) {
      return;
    }
    int feature = p.below(v.shape().rank());
    TwinShape vector = v.shape().withDims(List.of(v.shape().dim(feature)));
    Value variance = p.parameter(vector, p.fours(vector));
    Value[] in = {v, p.beside(vector), p.beside(vector), p.beside(vector), variance};
    p.same(v.shape(), "batch-norm-inference", ", epsilon=0, feature_index=" + feature, in);
  }
}
