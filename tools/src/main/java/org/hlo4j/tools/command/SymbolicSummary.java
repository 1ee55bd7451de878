package org.hlo4j.tools.command;

import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.stream.Collectors;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.tools.program.LoadedProgram;
import org.hlo4j.tools.program.ProgramSource;

/** A summary of a program with dynamic dimensions: what it takes, and what makes them known. */
final class SymbolicSummary {
  private final ProgramSource source;
  private final ImmutableList<ProgramSource.Input> inputs;

  SymbolicSummary(LoadedProgram program) {
    this.source = program.source();
    this.inputs = program.inputs();
  }

  ImmutableList<String> lines() {
    ImmutableList.Builder<String> lines = ImmutableList.builder();
    if (source instanceof ProgramSource.Exported exported) {
      JaxExport export = exported.export();
      lines.add(export.toString());
      lines.add("arguments       " + export.inTree());
      export.inputs().forEach(input -> lines.add("  " + input.path() + "  " + input));
      lines.add("result          " + export.outTree());
      lines.add("size variables  " + String.join(", ", export.sizeVariables()));
      lines.add("platforms       " + String.join(", ", export.platforms()));
      lines.add("contents        known with --input, or --shape " + example(export));
    } else {
      inputs.forEach(input -> lines.add("  " + input));
      lines.add("contents        known with --input, or --shape for each: --shape 'x=f32[5,8]'");
    }
    return lines.build();
  }

  /** Returns the size variables with an example of their values. */
  private static String example(JaxExport export) {
    return export.sizeVariables().stream()
        .map(name -> name + "=5")
        .collect(Collectors.joining(" "));
  }

  JsonObject json() {
    JsonObject json = new JsonObject();
    JsonArray array = new JsonArray();
    for (ProgramSource.Input input : inputs) {
      JsonObject one = new JsonObject();
      one.addProperty("name", input.name());
      one.addProperty("type", input.typeText());
      array.add(one);
    }
    if (source instanceof ProgramSource.Exported exported) {
      JaxExport export = exported.export();
      json.addProperty("signature", export.toString());
      json.addProperty("arguments", export.inTree().toString());
      json.addProperty("result", export.outTree().toString());
      json.add("sizeVariables", array(export.sizeVariables()));
      json.add("platforms", array(export.platforms()));
    }
    json.add("inputs", array);
    return json;
  }

  private static JsonArray array(Iterable<String> names) {
    JsonArray array = new JsonArray();
    names.forEach(array::add);
    return array;
  }
}
