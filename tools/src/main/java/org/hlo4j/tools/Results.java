package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.npy.Npy;

/** The arrays of a result. */
final class Results {
  private Results() {}

  /** Returns all arrays of a value, with tuples flattened and without tokens. */
  static ImmutableList<Literal> arrays(Literal value) {
    ImmutableList.Builder<Literal> arrays = ImmutableList.builder();
    if (value.shape() instanceof Shape.Array) {
      arrays.add(value);
    }
    value.elements().forEach(element -> arrays.addAll(arrays(element)));
    return arrays.build();
  }

  /** Writes array i of a value to {@code <i>.npy} in a folder, which is created if necessary. */
  static void write(Literal value, Path folder) throws IOException {
    OutputFiles.makeFolder(folder);
    List<Literal> arrays = arrays(value);
    for (int i = 0; i < arrays.size(); i++) {
      Literal array = arrays.get(i);
      OutputFiles.write(folder.resolve(i + ".npy"), out -> Npy.write(out, array));
    }
  }
}
