package org.hlo4j.tools.cases;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.tools.input.ArrayFiles;
import org.hlo4j.tools.input.ElementTypeNames;
import org.hlo4j.tools.input.InputArray;

/**
 * A test case: a folder with a program, its inputs and the expected results. The file {@code
 * meta.json} describes the arrays; without it, they are the files in the folders {@code inputs} and
 * {@code expected}.
 *
 * @param folder the folder
 * @param program the program, if the case names it; otherwise the user names it
 * @param devices the number of devices of the program
 * @param inputs its arguments; empty for the files in {@code inputs}
 * @param outputs its results, with tuples flattened
 */
public record TestCase(
    Path folder,
    Optional<Path> program,
    int devices,
    Optional<ImmutableList<Array>> inputs,
    ImmutableList<Array> outputs) {
  public static final String META = "meta.json";
  public static final String INPUTS = "inputs";
  public static final String EXPECTED = "expected";

  /** Types that are always compared exactly, whatever the tolerance. */
  private static final ImmutableSet<ElementType.Kind> ALWAYS_EXACT =
      ImmutableSet.of(ElementType.Kind.PRED, ElementType.Kind.SIGNED, ElementType.Kind.UNSIGNED);

  /**
   * An array in a file.
   *
   * @param file its path within the folder
   * @param shape its type and sizes; empty for those of the file
   * @param policy the comparison of a result with it; empty for the default of its type
   */
  public record Array(String file, Optional<Shape.Array> shape, Optional<ComparisonPolicy> policy) {
    /**
     * Reads the whole array, or the shard of a device.
     *
     * @param computed the shape of the program's result, which is used where nothing else gives it
     */
    public Literal read(Path folder, Optional<Integer> device, Shape computed) throws IOException {
      Path path = shard(inside(folder), device);
      Literal literal = ArrayFiles.readNpy(path, shape.isPresent() ? shape.get() : computed);
      require(
          shape.isEmpty()
              || (literal.elementType() == shape.get().elementType()
                  && (device.isPresent() || literal.shape().equals(shape.get()))),
          "",
          "%s: got %s, want %s as %s says",
          path,
          literal.shape(),
          shape.map(Shape::toString).orElse(""),
          META);
      return literal;
    }

    /** Returns the file, which no path of a case may lead out of its folder. */
    private Path inside(Path folder) {
      Path path = Path.of(file).normalize();
      require(
          !path.isAbsolute() && !path.startsWith(".."),
          "",
          "%s: file got %s, want one inside the folder of the case",
          META,
          file);
      return folder.resolve(path);
    }

    /** Returns the comparison of a result with this array. */
    ComparisonPolicy policy(Literal want) {
      return policy.orElseGet(() -> defaultPolicy(want.elementType()));
    }
  }

  /** Returns the file of a device's shard, which is in a folder next to the whole array. */
  static Path shard(Path whole, Optional<Integer> device) {
    return device
        .map(number -> whole.resolveSibling("device" + number).resolve(whole.getFileName()))
        .orElse(whole);
  }

  /** Returns whether a folder is a case. */
  static boolean isCaseFolder(Path folder) {
    return Files.isRegularFile(folder.resolve(META)) || Files.isDirectory(folder.resolve(EXPECTED));
  }

  /** Returns whether each device has files of its own. */
  boolean hasShards() {
    return Files.isDirectory(folder.resolve(EXPECTED).resolve("device0"));
  }

  /** The file of a function that jax.export saved. */
  static final String EXPORT = "export.bin";

  /**
   * Returns the cases of a folder by name: one with the folder's name, or those of an exported
   * function, whose {@code cases} are numbered.
   */
  static ImmutableMap<String, TestCase> read(Path folder) throws IOException {
    Path meta = folder.resolve(META);
    if (!Files.exists(meta)) {
      return ImmutableMap.of("", withoutMeta(folder));
    }
    try {
      JsonObject json =
          JsonParser.parseString(new String(HloFiles.readAll(meta), UTF_8)).getAsJsonObject();
      if (json.has("cases")) {
        return exported(folder, json.get("cases").getAsJsonArray());
      }
      int devices = json.has("devices") ? json.get("devices").getAsInt() : 1;
      return ImmutableMap.of(
          "",
          new TestCase(
              folder,
              Optional.empty(),
              devices,
              Optional.of(arrays(json, INPUTS)),
              arrays(json, "outputs")));
    } catch (JsonParseException | IllegalStateException | UnsupportedOperationException garbled) {
      throw new HloException("", meta + ": " + garbled.getMessage());
    } catch (HloException | NumberFormatException wrong) {
      throw new HloException("", meta + ": " + wrong.getMessage());
    }
  }

  /**
   * Returns the case of a folder without {@code meta.json}, in which the files give types and
   * sizes.
   */
  private static TestCase withoutMeta(Path folder) throws IOException {
    Path expected = folder.resolve(EXPECTED);
    int devices = 0;
    while (Files.isDirectory(expected.resolve("device" + devices))) {
      devices++;
    }
    Path first = devices > 0 ? expected.resolve("device0") : expected;
    ImmutableList.Builder<Array> results = ImmutableList.builder();
    int count = InputArray.of(first.toString(), ImmutableSet.of()).size();
    for (int i = 0; i < count; i++) {
      results.add(new Array(EXPECTED + "/" + i + ".npy", Optional.empty(), Optional.empty()));
    }
    return new TestCase(
        folder, Optional.empty(), Math.max(1, devices), Optional.empty(), results.build());
  }

  private static ImmutableMap<String, TestCase> exported(Path folder, JsonArray cases) {
    ImmutableMap.Builder<String, TestCase> all = ImmutableMap.builder();
    for (int i = 0; i < cases.size(); i++) {
      JsonObject json = cases.get(i).getAsJsonObject();
      all.put(
          "case" + i,
          new TestCase(
              folder.resolve("case" + i),
              Optional.of(folder.resolve(EXPORT)),
              1,
              Optional.of(numbered(json, INPUTS)),
              numbered(json, EXPECTED)));
    }
    return all.buildOrThrow();
  }

  /** Returns arrays in numbered files, with NumPy's type names. */
  private static ImmutableList<Array> numbered(JsonObject json, String name) {
    ImmutableList.Builder<Array> arrays = ImmutableList.builder();
    int number = 0;
    for (JsonElement element : field(json, name).getAsJsonArray()) {
      Shape.Array shape = shape(element.getAsJsonObject());
      arrays.add(new Array(name + "/" + number++ + ".npy", Optional.of(shape), Optional.empty()));
    }
    return arrays.build();
  }

  /** Returns the default comparison for results of a type. */
  private static ComparisonPolicy defaultPolicy(ElementType type) {
    return switch (type.componentType().bits()) {
      case 64 -> new ComparisonPolicy(ALWAYS_EXACT.contains(type.kind()), 1e-10, 1e-12);
      case 32 -> new ComparisonPolicy(ALWAYS_EXACT.contains(type.kind()), 1e-4, 1e-5);
      default -> new ComparisonPolicy(ALWAYS_EXACT.contains(type.kind()), 1e-2, 0);
    };
  }

  private static ImmutableList<Array> arrays(JsonObject json, String name) {
    ImmutableList.Builder<Array> arrays = ImmutableList.builder();
    for (JsonElement element : field(json, name).getAsJsonArray()) {
      arrays.add(array(element.getAsJsonObject()));
    }
    return arrays.build();
  }

  private static Array array(JsonObject json) {
    Shape.Array shape = shape(json);
    return new Array(
        field(json, "file").getAsString(),
        Optional.of(shape),
        Optional.of(policy(json, shape.elementType())));
  }

  private static Shape.Array shape(JsonObject json) {
    String dtype = field(json, "dtype").getAsString();
    ElementType type =
        ElementTypeNames.find(dtype)
            .orElseThrow(
                () -> new HloException("", "dtype got " + dtype + ", want HLO's or NumPy's name"));
    List<Long> sizes = new ArrayList<>();
    field(json, "shape").getAsJsonArray().forEach(size -> sizes.add(size.getAsLong()));
    return Shape.of(type, Dims.copyOf(sizes));
  }

  /** Returns the comparison of a case; without a tolerance it is exact. */
  private static ComparisonPolicy policy(JsonObject json, ElementType type) {
    boolean exact =
        ALWAYS_EXACT.contains(type.kind())
            || (json.has("exact") && json.get("exact").getAsBoolean())
            || !(json.has("rtol") || json.has("atol"));
    return new ComparisonPolicy(exact, number(json, "rtol"), number(json, "atol"));
  }

  private static double number(JsonObject json, String name) {
    return json.has(name) ? json.get(name).getAsDouble() : 0;
  }

  private static JsonElement field(JsonObject json, String name) {
    return Optional.ofNullable(json.get(name))
        .orElseThrow(() -> new HloException("", "got no \"" + name + "\", want one"));
  }
}
