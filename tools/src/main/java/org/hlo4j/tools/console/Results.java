package org.hlo4j.tools.console;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.source.WholeFile;

/** The arrays of a result. */
public final class Results {
  private Results() {}

  /** Returns the shapes of all arrays of a value of this shape, in order. */
  public static ImmutableList<Shape.Array> shapes(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> ImmutableList.of(array);
      case Shape.Tuple tuple ->
          tuple.elements().stream()
              .flatMap(element -> shapes(element).stream())
              .collect(ImmutableList.toImmutableList());
      case Shape.Token _ -> ImmutableList.of();
      case Shape.Buffer _, Shape.Opaque _ ->
          throw new HloException(HloException.Kind.UNSUPPORTED, "results of shape " + shape);
    };
  }

  /** Writes array i of a value to {@code <i>.npy} in a folder, which is created if necessary. */
  public static void write(Literal value, Path folder) throws IOException {
    OutputFiles.makeFolder(folder);
    List<Literal> arrays = value.arrays();
    for (int i = 0; i < arrays.size(); i++) {
      Literal array = arrays.get(i);
      WholeFile.write(folder.resolve(i + ".npy"), out -> Npy.write(out, array));
    }
    for (int i = arrays.size(); Files.deleteIfExists(folder.resolve(i + ".npy")); i++) {
      // An array of an earlier run.
    }
  }
}
