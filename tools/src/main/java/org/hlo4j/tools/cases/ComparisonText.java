package org.hlo4j.tools.cases;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.tools.program.Origins;

/** Comparisons as text and as JSON. */
public final class ComparisonText {
  /** Larger distances are counted as one in the text. */
  private static final long LAST_BUCKET = 1024;

  private ComparisonText() {}

  public static ImmutableList<String> lines(Comparison comparison) {
    ImmutableList.Builder<String> lines = ImmutableList.builder();
    for (Output output : comparison.outputs()) {
      lines.add(place(output) + ", " + output.shape() + ": " + summary(output));
      if (!output.histogram().isEmpty()) {
        lines.add("  ulps: " + histogram(output));
      }
      if (output.patternDiffers() > 0) {
        lines.add("  not finite: got " + output.gotPattern() + ", want " + output.wantPattern());
      }
      output.first().ifPresent(first -> lines.add("  at " + first));
    }
    return lines.build();
  }

  private static String place(Output output) {
    return output.path().isEmpty()
        ? "result"
        : "result " + output.path().stream().map(String::valueOf).collect(joining("."));
  }

  private static String summary(Output output) {
    if (output.verdict() == Verdict.SAME) {
      return "same";
    }
    long count = output.shape().elementCount();
    String differing = output.differing() == 1 ? " differs" : " differ";
    String ulps =
        output.histogram().isEmpty()
            ? ""
            : output.maxUlps() == 1 ? ", by 1 ulp" : ", by up to " + output.maxUlps() + " ulps";
    return output.verdict() + ", " + output.differing() + " of " + count + differing + ulps;
  }

  /** Returns how many numbers have which distance: {@code 1: 7, 2: 3, to 4: 1}. */
  private static String histogram(Output output) {
    List<String> buckets = new ArrayList<>();
    output
        .histogram()
        .headMap(LAST_BUCKET, true)
        .forEach((ulps, count) -> buckets.add((ulps > 2 ? "to " : "") + ulps + ": " + count));
    long more =
        output.histogram().tailMap(LAST_BUCKET, false).values().stream()
            .mapToLong(count -> count)
            .sum();
    if (more > 0) {
      buckets.add("more: " + more);
    }
    return String.join(", ", buckets);
  }

  /** Returns a located instruction, with its line in the user's program if that is known. */
  public static ImmutableList<String> lines(Located located, Origins origins) {
    HloInstruction instruction = located.instruction();
    ImmutableList.Builder<String> lines = ImmutableList.builder();
    located
        .counterpart()
        .ifPresentOrElse(
            before ->
                lines
                    .add("first pair that differs although the operands agree:")
                    .add("  " + before.instruction())
                    .add("  " + instruction),
            () -> lines.add("first wrong instruction: " + instruction));
    located.within().forEach(place -> lines.add("  in " + place));
    if (!located.together().isEmpty()) {
      lines.add("  only together with: " + names(located.together()));
    }
    lines.add("  operands: " + operands(instruction));
    instruction.position().ifPresent(position -> lines.add("  line " + position));
    if (!instruction.metadata().opName().isEmpty()) {
      lines.add("  op_name: " + instruction.metadata().opName());
    }
    origins.of(instruction).ifPresent(source -> lines.add("  source: " + source));
    located
        .comparison()
        .ifPresentOrElse(
            each -> lines(each).forEach(line -> lines.add("  " + line)),
            () -> lines.add("  " + located.failure()));
    return lines.build();
  }

  private static String names(List<HloInstruction> instructions) {
    return instructions.stream().map(HloInstruction::name).collect(joining(", "));
  }

  private static String operands(HloInstruction instruction) {
    return instruction.operands().stream()
        .map(operand -> operand.name() + ": " + operand.shape())
        .collect(joining(", "));
  }

  public static JsonObject json(Comparison comparison) {
    JsonObject json = new JsonObject();
    json.addProperty("verdict", comparison.verdict().toString());
    JsonArray outputs = new JsonArray();
    comparison.outputs().forEach(output -> outputs.add(json(output)));
    json.add("outputs", outputs);
    return json;
  }

  private static JsonObject json(Output output) {
    JsonObject json = new JsonObject();
    JsonArray path = new JsonArray();
    output.path().forEach(path::add);
    json.add("index", path);
    json.addProperty("shape", output.shape().toString());
    json.addProperty("verdict", output.verdict().toString());
    json.addProperty("differing", output.differing());
    json.addProperty("maxUlps", output.maxUlps());
    JsonObject histogram = new JsonObject();
    for (Map.Entry<Long, Long> entry : output.histogram().entrySet()) {
      histogram.addProperty("" + entry.getKey(), entry.getValue());
    }
    json.add("histogram", histogram);
    json.add("gotNotFinite", json(output.gotPattern()));
    json.add("wantNotFinite", json(output.wantPattern()));
    output.first().ifPresent(first -> json.add("first", json(first)));
    return json;
  }

  private static JsonObject json(Comparison.Pattern pattern) {
    JsonObject json = new JsonObject();
    json.addProperty("nan", pattern.nans());
    json.addProperty("inf", pattern.positive());
    json.addProperty("-inf", pattern.negative());
    return json;
  }

  private static JsonObject json(Comparison.Element element) {
    JsonObject json = new JsonObject();
    JsonArray index = new JsonArray();
    element.index().forEach(index::add);
    json.add("index", index);
    json.addProperty("got", element.got());
    json.addProperty("want", element.want());
    Interval interval = element.interval();
    if (interval.isBounded()) {
      json.add("interval", bounds(interval));
    }
    if (!interval.reason().isEmpty()) {
      json.addProperty("reason", interval.reason());
    }
    interval
        .open()
        .ifPresent(row -> {
          JsonObject open = new JsonObject();
          open.addProperty("name", row.toString());
          open.addProperty("condition", row.condition());
          open.addProperty("words", row.words());
          open.addProperty("source", row.source());
          json.add("open", open);
        });
    return json;
  }

  private static JsonArray bounds(Interval interval) {
    JsonArray bounds = new JsonArray();
    for (double bound : new double[] {interval.low(), interval.high()}) {
      bounds.add(
          Double.isFinite(bound)
              ? new JsonPrimitive(bound)
              : new JsonPrimitive(String.valueOf(bound)));
    }
    return bounds;
  }

  public static JsonObject json(Located located, Origins origins) {
    JsonObject json = new JsonObject();
    json.addProperty("instruction", located.instruction().name());
    json.addProperty("text", located.instruction().toString());
    located
        .counterpart()
        .ifPresent(before -> json.addProperty("before", before.instruction().toString()));
    JsonArray within = new JsonArray();
    located.within().forEach(within::add);
    json.add("within", within);
    JsonArray together = new JsonArray();
    located.together().forEach(each -> together.add(each.name()));
    json.add("together", together);
    json.addProperty("opName", located.instruction().metadata().opName());
    origins
        .of(located.instruction())
        .ifPresent(source -> json.addProperty("source", source.toString()));
    located.comparison().ifPresent(each -> json.add("comparison", json(each)));
    if (!located.failure().isEmpty()) {
      json.addProperty("failure", located.failure());
    }
    return json;
  }
}
