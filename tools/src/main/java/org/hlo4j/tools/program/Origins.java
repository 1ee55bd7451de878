package org.hlo4j.tools.program;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import java.util.Optional;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.StackFrameTables;

/**
 * The source lines of instructions, as given by their metadata or by the module's tables of stack
 * frames.
 */
public final class Origins {
  private final ImmutableListMultimap<String, String> tables;

  public Origins(HloModule module) {
    tables = StackFrameTables.parse(module.stackFrames());
  }

  private Optional<String> row(String table, int number) {
    ImmutableList<String> rows = tables.get(table);
    return number > 0 && number <= rows.size()
        ? Optional.of(rows.get(number - 1))
        : Optional.empty();
  }

  private Optional<SourceLine> ofFrame(int frame) {
    return row("StackFrames", frame)
        .flatMap(row -> row("FileLocations", field(row, "file_location_id")))
        .flatMap(place ->
            row("FileNames", field(place, "file_name_id"))
                .map(file -> new SourceLine(file.replaceAll("^\"|\"$", ""), field(place, "line"))));
  }

  private static int field(String row, String name) {
    return StackFrameTables.fields(row).getOrDefault(name, 0);
  }

  /** Returns the source line of an instruction, if it is known. */
  public Optional<SourceLine> of(HloInstruction instruction) {
    return instruction
        .metadata()
        .source()
        .or(() ->
            Optional.ofNullable(instruction.metadata().others().get("stack_frame_id"))
                .filter(id -> id.matches("\\d{1,9}"))
                .flatMap(id -> ofFrame(Integer.parseInt(id))));
  }
}
