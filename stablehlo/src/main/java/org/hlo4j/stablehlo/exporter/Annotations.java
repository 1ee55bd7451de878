package org.hlo4j.stablehlo.exporter;

import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.TreeMap;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Location;

/** What is said of an instruction beside what it computes. */
final class Annotations {
  private Annotations() {}

  /** Its sharding and its frontend attributes. */
  static Map<String, Attribute> of(HloInstruction instruction) {
    Map<String, Attribute> all = new TreeMap<>();
    instruction
        .sharding()
        .ifPresent(sharding -> all.put("mhlo.sharding", new Attribute.Str(sharding.toString())));
    Map<String, String> frontend = frontend(instruction.attributes());
    if (!frontend.isEmpty()) {
      all.put("mhlo.frontend_attributes", dictionary(frontend));
    }
    return all;
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

  /** The line of the user's program, under the name of the operation there. */
  static Location location(Metadata metadata) {
    Location place =
        metadata.source().map(line -> range(line, metadata)).orElse(Location.unknown());
    return metadata.opName().isEmpty() ? place : new Location.Name(metadata.opName(), place);
  }

  private static Location range(SourceLine line, Metadata metadata) {
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
