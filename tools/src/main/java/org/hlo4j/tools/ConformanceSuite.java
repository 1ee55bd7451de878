package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.source.WholeFile;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;

/** A conformance suite in a folder. */
final class ConformanceSuite {
  static final String INDEX = "index.json";

  private static final int VERSION = 2;

  private final Path folder;

  ConformanceSuite(Path folder) {
    this.folder = folder;
  }

  /** Refuses a folder that holds something. */
  void requireEmpty() throws IOException {
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        require(files.findAny().isEmpty(), "", "%s: is not empty, want a new folder", folder);
      }
    }
  }

  /** Writes the cases, and at last the index. */
  void write(List<ConformanceCase> cases, Progress progress) throws IOException {
    OutputFiles.makeFolder(folder);
    JsonArray index = new JsonArray();
    for (ConformanceCase each : cases) {
      progress.next("writing " + each.path());
      index.add(each.index(write(each)));
    }
    JsonObject json = new JsonObject();
    json.addProperty("version", VERSION);
    json.add("cases", index);
    writeText(folder.resolve(INDEX), text(json));
  }

  private List<String> write(ConformanceCase each) throws IOException {
    Path to = folder.resolve(each.path());
    OutputFiles.makeFolder(to);
    writeText(to.resolve(CaseRun.DEFAULT_PROGRAM), each.hlo());
    Results.write(Literal.tuple(each.inputs()), to.resolve("inputs"));
    ImmutableList.Builder<String> programs = ImmutableList.builder();
    programs.add(CaseRun.DEFAULT_PROGRAM);
    if (each.result().isPresent()) {
      ConformanceResult result = each.result().get();
      Results.write(Literal.tuple(result.expected()), to.resolve("expected"));
      Results.write(Literal.tuple(result.low()), to.resolve("low"));
      Results.write(Literal.tuple(result.high()), to.resolve("high"));
      writeText(to.resolve(TestCase.META), text(each.meta()));
      programs.addAll(writeStableHlo(Parser.parse(each.hlo()), to));
    }
    return programs.build();
  }

  /** Writes the program as StableHLO, if it has the op and the type. */
  private static List<String> writeStableHlo(HloModule module, Path to) throws IOException {
    String text;
    byte[] artifact;
    try {
      Operation exported = StableHlo.fromHlo(module);
      text = StableHlo.print(exported);
      artifact = StableHlo.toArtifact(exported, Optional.empty());
    } catch (HloException none) {
      return List.of();
    }
    writeText(to.resolve("program.mlir"), text);
    WholeFile.write(to.resolve("program.mlirbc"), out -> out.write(artifact));
    return List.of("program.mlir", "program.mlirbc");
  }

  private static String text(JsonObject json) {
    return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(json) + "\n";
  }

  private static void writeText(Path file, String text) throws IOException {
    WholeFile.write(file, out -> out.write(text.getBytes(UTF_8)));
  }

  /** Reads the index. */
  ImmutableList<JsonObject> index() throws IOException {
    Path file = folder.resolve(INDEX);
    require(
        Files.isRegularFile(file),
        "",
        "%s: has no %s, want a suite that hlo4j conformance wrote",
        folder,
        INDEX);
    try {
      String text = new String(HloFiles.readAll(file), UTF_8);
      JsonObject index = JsonParser.parseString(text).getAsJsonObject();
      require(index.has("cases"), "", "%s: got no \"cases\", want them", file);
      require(
          String.valueOf(VERSION).equals(String.valueOf(index.get("version"))),
          "",
          "%s: version got %s, want %s: write the suite again",
          file,
          index.get("version"),
          VERSION);
      return index.get("cases").getAsJsonArray().asList().stream()
          .map(each -> requireFields(file, each.getAsJsonObject()))
          .collect(ImmutableList.toImmutableList());
    } catch (JsonParseException | IllegalStateException garbled) {
      throw new HloException("", file + ": " + garbled.getMessage());
    }
  }

  private static JsonObject requireFields(Path file, JsonObject index) {
    for (String field : List.of("path", "op", "type", "kind", "rule")) {
      require(
          index.get(field) instanceof JsonPrimitive text && text.isString(),
          "",
          "%s: \"%s\" of a case got %s, want a text",
          file,
          field,
          index.get(field));
    }
    return index;
  }

  /** Reads the program of a case. */
  String program(String path) throws IOException {
    return new String(HloFiles.readAll(inside(path).resolve(CaseRun.DEFAULT_PROGRAM)), UTF_8);
  }

  /** Reads the arrays of a folder of a case, of these shapes. */
  ImmutableList<Literal> arrays(String path, String part, List<Shape.Array> shapes)
      throws IOException {
    ImmutableList.Builder<Literal> arrays = ImmutableList.builder();
    for (int i = 0; i < shapes.size(); i++) {
      Shape.Array shape = shapes.get(i);
      Path file = inside(path).resolve(part).resolve(i + ".npy");
      Literal array = Npy.readAs(file, shape.elementType());
      require(array.shape().equals(shape), "", "%s: got %s, want %s", file, array.shape(), shape);
      arrays.add(array);
    }
    return arrays.build();
  }

  /** Returns the files of the arguments of a case. */
  ImmutableList<Path> inputs(String path) {
    ImmutableList.Builder<Path> files = ImmutableList.builder();
    Path inputs = inside(path).resolve("inputs");
    for (int i = 0; Files.exists(inputs.resolve(i + ".npy")); i++) {
      files.add(inputs.resolve(i + ".npy"));
    }
    return files.build();
  }

  private Path inside(String path) {
    Path normal = Path.of(path).normalize();
    require(
        !normal.isAbsolute() && !normal.startsWith(".."),
        "",
        "%s: path got %s, want one inside the folder",
        INDEX,
        path);
    return folder.resolve(normal);
  }
}
