package org.hlo4j.tools.cases;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.tools.console.Results;
import org.hlo4j.tools.input.ArrayFiles;
import org.hlo4j.tools.input.InputArray;
import org.hlo4j.tools.input.LiteralArgument;

/**
 * Recorded results of a program: an array or several, a case of {@code hlo4j record}, or an
 * HloSnapshot.
 */
public final class ExpectedResults {
  private final String name;

  public ExpectedResults(String name) {
    this.name = name;
  }

  /** Returns where the results of a device are, if a folder has them for each. */
  public static String ofDevice(String name, int device) {
    for (String beside : List.of("", "/" + TestCase.EXPECTED)) {
      String own = name + beside + "/device" + device;
      if (ArrayFiles.exists(name) && Files.isDirectory(Path.of(own))) {
        return own;
      }
    }
    return name;
  }

  /** Returns the results as a value of this shape, tuples not flattened. */
  public Literal read(Shape shape) throws IOException {
    return isSnapshot() ? snapshot(shape) : Literal.ofArrays(shape, arrays(shape).iterator());
  }

  private boolean isSnapshot() {
    return name.endsWith(".pb") || name.endsWith(".snapshot");
  }

  private Literal snapshot(Shape shape) throws IOException {
    Literal result =
        HloFiles.read(Path.of(name), HloProtos::readSnapshot)
            .result()
            .orElseThrow(() ->
                new HloException(
                    HloException.Kind.ARGUMENT, name + ": a snapshot without a result"));
    requireShape("the result", result.shape(), shape);
    return result;
  }

  private void requireShape(String what, Shape got, Shape want) {
    require(got.equals(want), "", "%s: %s got %s, want %s", name, what, got, want);
  }

  private List<Literal> arrays(Shape shape) throws IOException {
    List<Shape.Array> wanted = Results.shapes(shape);
    List<InputArray> given = InputArray.of(folder(), ImmutableSet.of());
    require(
        given.size() == wanted.size(),
        "",
        "%s: got %s of %s results, want one for each",
        name,
        given.size(),
        wanted.size());
    List<Literal> arrays = new ArrayList<>();
    for (int i = 0; i < wanted.size(); i++) {
      Literal array = given.get(i).reader().read(wanted.get(i));
      requireShape("result " + i, array.shape(), wanted.get(i));
      arrays.add(array);
    }
    return arrays;
  }

  /** Returns the folder of the results, if the name is that of a case. */
  private String folder() {
    require(
        ArrayFiles.exists(name) || LiteralArgument.isLiteral(name),
        "",
        "%s: no such file, want recorded results",
        name);
    boolean isCase =
        ArrayFiles.exists(name) && Files.isDirectory(Path.of(name).resolve(TestCase.EXPECTED));
    return isCase ? Path.of(name).resolve(TestCase.EXPECTED).toString() : name;
  }
}
