package org.hlo4j.stablehlo.exporter;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.dialect.AccuracyForm;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Location;

/**
 * Annotations of an instruction, which do not affect its value: sharding, frontend attributes,
 * replication and location.
 */
final class Annotations {
  private static final ImmutableSet<String> LEFT_OUT =
      ImmutableSet.of(
          "backend_config",
          "control-predecessors",
          "convolution_kind",
          "inferred_dimension",
          "origin",
          "statistics");

  private Annotations() {}

  /** Returns the sharding and the frontend attributes of an instruction. */
  static Map<String, Attribute> of(HloInstruction instruction) {
    Map<String, Attribute> all = new TreeMap<>();
    sharding(instruction)
        .ifPresent(sharding -> all.put("mhlo.sharding", new Attribute.Str(sharding.toString())));
    Map<String, String> frontend = frontend(instruction.attributes());
    if (!frontend.isEmpty()) {
      all.put("mhlo.frontend_attributes", dictionary(frontend));
    }
    return all;
  }

  /**
   * Returns the sharding of the results. A send or recv begun has more of them in HLO, which
   * StableHLO has not: what is sent, and a context.
   */
  private static Optional<Sharding> sharding(HloInstruction instruction) {
    Optional<Sharding> whole = instruction.sharding();
    if (!(whole.orElse(null) instanceof Sharding.Tuple tuple)) {
      return whole;
    }
    ImmutableList<Sharding.Single> parts = tuple.parts();
    int token = parts.size() - 1;
    if (instruction.op() instanceof Send) {
      return Optional.of(parts.get(0)); // as XLA does
    }
    return instruction.op() instanceof Recv
        ? Optional.of(
            new Sharding.Tuple(
                ImmutableList.<Sharding.Single>builder()
                    .addAll(parts.subList(0, token - 1))
                    .add(parts.get(token))
                    .build()))
        : whole;
  }

  /**
   * Requires that StableHLO can express all attributes of an instruction. Attributes that change no
   * result are ignored: schedules, backend configurations, origins and statistics.
   */
  static void requireExpressed(HloInstruction instruction) {
    Set<String> others = new TreeSet<>(instruction.attributes().keySet());
    others.removeAll(LEFT_OUT);
    others.remove("frontend_attributes");
    if (instruction.op() instanceof Parameter) {
      others.remove("parameter_replication");
    }
    if (ElementwiseExports.hasAccuracy(instruction.op())
        || AccuracyForm.of(instruction.attributes()).isEmpty()) {
      others.remove("result_accuracy");
    }
    if (!others.isEmpty()) {
      throw OpExport.unsupported("with " + String.join(", ", others));
    }
  }

  /**
   * Returns, for each leaf of a parameter, whether it is the same on all devices; empty if
   * unspecified.
   */
  static List<Attribute> replication(HloInstruction parameter) {
    String text = parameter.attributes().getOrDefault("parameter_replication", "");
    return Splitter.on(CharMatcher.anyOf("{},"))
        .trimResults()
        .omitEmptyStrings()
        .splitToStream(text)
        .map(leaf -> (Attribute) Attribute.Int.bool(leaf.equals("true")))
        .toList();
  }

  static ImmutableMap<String, String> frontend(Map<String, String> attributes) {
    String text = attributes.get("frontend_attributes");
    return text == null ? ImmutableMap.of() : AttributeText.parseFrontendAttributes(text);
  }

  static Attribute.Dictionary dictionary(Map<String, String> texts) {
    Map<String, Attribute> strings = new TreeMap<>();
    texts.forEach((name, text) -> strings.put(name, new Attribute.Str(text)));
    return new Attribute.Dictionary(ImmutableMap.copyOf(strings));
  }

  /**
   * Returns the user's source line and its callers as a location, with the name of the operation
   * there.
   */
  static Location location(Metadata metadata, StackFrames frames) {
    Location frame = frames.location(metadata.others().getOrDefault("stack_frame_id", "0"));
    Location place =
        frame.equals(Location.unknown())
            ? metadata.source().<Location>map(line -> range(line, metadata)).orElse(frame)
            : frame;
    return metadata.opName().isEmpty() ? place : new Location.Name(metadata.opName(), place);
  }

  private static Location.FileRange range(SourceLine line, Metadata metadata) {
    int column = number(metadata, "source_column", 1);
    int endLine = number(metadata, "source_end_line", line.line());
    int endColumn = number(metadata, "source_end_column", column);
    return new Location.FileRange(line.file(), line.line(), column, endLine, endColumn);
  }

  private static int number(Metadata metadata, String name, int missing) {
    String text = metadata.others().getOrDefault(name, "");
    return text.matches("[1-9][0-9]{0,8}") ? Integer.parseInt(text) : missing;
  }
}
