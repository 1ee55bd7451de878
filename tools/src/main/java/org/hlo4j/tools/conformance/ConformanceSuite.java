package org.hlo4j.tools.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
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
import org.hlo4j.hlo.ElementType;
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
import org.hlo4j.tools.cases.CaseRun;
import org.hlo4j.tools.cases.TestCase;
import org.hlo4j.tools.console.OutputFiles;
import org.hlo4j.tools.console.Progress;
import org.hlo4j.tools.console.Results;

/** A conformance suite in a folder. */
public final class ConformanceSuite {
  static final String INDEX = "index.json";

  static final String WITHOUT_TWIN = "without_twin";

  private static final String INPUTS = "inputs";
  private static final String EXPECTED = "expected";
  private static final String LOW = "low";
  private static final String HIGH = "high";
  private static final String FREE = "free";

  private static final int VERSION = 4;

  private final Path folder;

  public ConformanceSuite(Path folder) {
    this.folder = folder;
  }

  /** Refuses a folder that holds something. */
  public void requireEmpty() throws IOException {
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        require(files.findAny().isEmpty(), "", "%s: is not empty, want a new folder", folder);
      }
    }
  }

  /** Writes the cases, and at last the index, which lists the refusals without a twin as well. */
  public void write(List<ConformanceCase> cases, Progress progress) throws IOException {
    OutputFiles.makeFolder(folder);
    JsonArray index = new JsonArray();
    JsonArray withoutTwin = new JsonArray();
    for (ConformanceCase each : cases) {
      if (each.isWithoutTwin()) {
        withoutTwin.add(each.withoutTwin());
      } else {
        progress.next("writing " + each.path());
        index.add(each.index(write(each)));
      }
    }
    JsonObject json = new JsonObject();
    json.addProperty("version", VERSION);
    json.add("cases", index);
    json.add(WITHOUT_TWIN, withoutTwin);
    writeText(folder.resolve(INDEX), text(json));
  }

  private List<String> write(ConformanceCase each) throws IOException {
    Path to = folder.resolve(each.path());
    writeProgram(to, each.hlo(), each.inputs());
    for (int i = 0; i < each.twins().size(); i++) {
      Twin twin = each.twins().get(i);
      writeProgram(folder.resolve(each.twinPath(i + 1)), twin.hlo(), twin.arguments());
    }
    ImmutableList.Builder<String> programs = ImmutableList.builder();
    programs.add(CaseRun.DEFAULT_PROGRAM);
    if (each.result().isPresent()) {
      writeResult(to, each.result().get());
      writeText(to.resolve(TestCase.META), text(each.meta()));
      programs.addAll(writeStableHlo(Parser.parse(each.hlo()), to));
    }
    return programs.build();
  }

  private static void writeProgram(Path to, String hlo, List<Literal> inputs) throws IOException {
    OutputFiles.makeFolder(to);
    writeText(to.resolve(CaseRun.DEFAULT_PROGRAM), hlo);
    Results.write(Literal.tuple(inputs), to.resolve(INPUTS));
  }

  private static void writeResult(Path to, ConformanceResult result) throws IOException {
    Results.write(Literal.tuple(result.expected()), to.resolve(EXPECTED));
    Results.write(Literal.tuple(result.low()), to.resolve(LOW));
    Results.write(Literal.tuple(result.high()), to.resolve(HIGH));
    OutputFiles.makeFolder(to.resolve(FREE));
    for (int i = 0; i < result.free().size(); i++) {
      if (!result.isBounded(i)) {
        Literal mask = result.free().get(i);
        WholeFile.write(to.resolve(FREE).resolve(i + ".npy"), out -> Npy.write(out, mask));
      }
    }
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

  /** Reads the cases of the index. */
  public ImmutableList<JsonObject> index() throws IOException {
    return index("cases", List.of("path", "op", "type", "kind", "rule", "standing"));
  }

  /** Reads the refusals without a twin. */
  public ImmutableList<JsonObject> withoutTwin() throws IOException {
    return index(WITHOUT_TWIN, List.of("op", "type", "rule", "reason"));
  }

  private ImmutableList<JsonObject> index(String list, List<String> fields) throws IOException {
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
      require(
          String.valueOf(VERSION).equals(String.valueOf(index.get("version"))),
          "",
          "%s: version got %s, want %s: write the suite again",
          file,
          index.get("version"),
          VERSION);
      require(index.has(list), "", "%s: got no \"%s\", want them", file, list);
      return index.get(list).getAsJsonArray().asList().stream()
          .map(each -> requireFields(file, each.getAsJsonObject(), fields))
          .collect(ImmutableList.toImmutableList());
    } catch (JsonParseException | IllegalStateException garbled) {
      throw new HloException("", file + ": " + garbled.getMessage());
    }
  }

  private static JsonObject requireFields(Path file, JsonObject index, List<String> fields) {
    for (String field : fields) {
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

  /** Reads the arguments of a case. */
  ImmutableList<Literal> inputs(String path, List<Shape.Array> shapes) throws IOException {
    return arrays(path, INPUTS, shapes);
  }

  /** Reads what is expected of a case whose result has these arrays. */
  ConformanceResult result(String path, List<Shape.Array> shapes) throws IOException {
    return new ConformanceResult(
        arrays(path, EXPECTED, shapes),
        arrays(path, LOW, shapes),
        arrays(path, HIGH, shapes),
        free(path, shapes),
        ImmutableSet.of());
  }

  private ImmutableList<Literal> arrays(String path, String part, List<Shape.Array> shapes)
      throws IOException {
    ImmutableList.Builder<Literal> arrays = ImmutableList.builder();
    for (int i = 0; i < shapes.size(); i++) {
      arrays.add(array(inside(path).resolve(part).resolve(i + ".npy"), shapes.get(i)));
    }
    return arrays.build();
  }

  private static Literal array(Path file, Shape.Array shape) throws IOException {
    Literal array = Npy.readAs(file, shape.elementType());
    require(array.shape().equals(shape), "", "%s: got %s, want %s", file, array.shape(), shape);
    return array;
  }

  /** Reads which elements the bounds do not judge; without a file, they judge all. */
  private ImmutableList<Literal> free(String path, List<Shape.Array> shapes) throws IOException {
    ImmutableList.Builder<Literal> masks = ImmutableList.builder();
    for (int i = 0; i < shapes.size(); i++) {
      Path file = inside(path).resolve(FREE).resolve(i + ".npy");
      int parts = shapes.get(i).elementType().componentCount();
      Shape.Array mask = Shape.of(ElementType.U8, shapes.get(i).elementCount() * parts);
      masks.add(Files.exists(file) ? array(file, mask) : Literal.zeros(mask));
    }
    return masks.build();
  }

  /** Returns the files of the arguments of a case. */
  ImmutableList<Path> inputs(String path) {
    ImmutableList.Builder<Path> files = ImmutableList.builder();
    Path inputs = inside(path).resolve(INPUTS);
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
