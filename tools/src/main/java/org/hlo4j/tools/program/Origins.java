package org.hlo4j.tools.program;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/**
 * The source lines of instructions, as given by their metadata or by the module's tables of stack
 * frames.
 */
public final class Origins {
  private static final Pattern ROW = Pattern.compile("(\\d{1,9})\\s+(.*)");
  private static final Pattern FIELD = Pattern.compile("(\\w+)=(\\d{1,9})");

  private final Map<Integer, String> files = new HashMap<>();
  private final Map<Integer, SourceLine> locations = new HashMap<>();
  private final Map<Integer, SourceLine> frames = new HashMap<>();

  public Origins(HloModule module) {
    String section = "";
    for (String line : module.stackFrames().lines().map(String::strip).toList()) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        add(section, Integer.parseInt(row.group(1)), row.group(2));
      } else if (!line.isEmpty()) {
        section = line;
      }
    }
  }

  private void add(String section, int number, String text) {
    switch (section) {
      case "FileNames" -> files.put(number, text.replaceAll("^\"|\"$", ""));
      case "FileLocations" ->
          Optional.ofNullable(files.get(field(text, "file_name_id")))
              .ifPresent(file -> locations.put(number, new SourceLine(file, field(text, "line"))));
      case "StackFrames" ->
          Optional.ofNullable(locations.get(field(text, "file_location_id")))
              .ifPresent(place -> frames.put(number, place));
      default -> {}
    }
  }

  private static int field(String text, String name) {
    return FIELD
        .matcher(text)
        .results()
        .filter(field -> field.group(1).equals(name))
        .findFirst()
        .map(field -> Integer.parseInt(field.group(2)))
        .orElse(0);
  }

  /** Returns the source line of an instruction, if it is known. */
  public Optional<SourceLine> of(HloInstruction instruction) {
    return instruction
        .metadata()
        .source()
        .or(() ->
            Optional.ofNullable(instruction.metadata().others().get("stack_frame_id"))
                .filter(id -> id.matches("\\d{1,9}"))
                .map(id -> frames.get(Integer.valueOf(id))));
  }
}
