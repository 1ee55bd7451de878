package org.hlo4j.hlo.text;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.AxisRef;
import org.hlo4j.hlo.op.Mesh;
import org.hlo4j.hlo.op.ReplicaGroups;
import org.hlo4j.hlo.op.TileAssignment;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of the syntax that shardings and replica groups share: meshes, their axes, and tiles of
 * devices.
 */
final class MeshParser {
  private static final String MAXIMAL = "maximal_mesh";

  private MeshParser() {}

  static boolean isNext(Lexer text) {
    String word = text.peekWord();
    return word.equals("mesh") || word.equals(MAXIMAL);
  }

  /** {@code mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0))} or {@code maximal_mesh[device_id=3]}. */
  static Mesh mesh(Lexer text) {
    int start = text.skipBlanks();
    if (text.acceptWord(MAXIMAL)) {
      text.expect("[", "[device_id=");
      text.expect("device_id", "device_id=");
      text.expect("=", "= and the id of the device");
      long device = text.integer("the id of the device");
      text.expect("]", "]");
      return Mesh.maximal(device);
    }
    text.expect("mesh", "mesh[");
    List<String> names = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    list(
        text,
        "[",
        "]",
        part -> {
          names.add(name(part));
          part.expect("=", "= and the size of the axis");
          return sizes.add(part.integer("the size of the axis"));
        });
    Dims grid = Dims.copyOf(sizes);
    Optional<TileAssignment> ids = deviceIds(text, grid);
    return ShapeParser.checked(
        start,
        () ->
            new Mesh(
                ImmutableList.copyOf(names), ids.orElseGet(() -> TileAssignment.inOrder(grid))));
  }

  private static String name(Lexer text) {
    boolean quoted = text.peek() == '\'' || text.peek() == '"';
    String name = quoted ? text.string("the name of an axis") : text.word();
    if (name.isEmpty()) {
      throw text.wanted("the name of an axis");
    }
    return name;
  }

  /** {@code , device_ids=(3,2,1,0)}; a comma may begin something else. */
  private static Optional<TileAssignment> deviceIds(Lexer text, Dims grid) {
    int start = text.position();
    if (!text.accept(",") || !text.acceptWord("device_ids")) {
      text.moveTo(start);
      return Optional.empty();
    }
    text.expect("=", "= and (");
    text.expect("(", "( and the ids of the devices");
    int at = text.skipBlanks();
    TileAssignment ids = devices(text, at, grid);
    text.expect(")", ", or )");
    return Optional.of(ids);
  }

  // Axes.

  /** Reads axes in braces. */
  static ImmutableList<AxisRef> axes(Lexer text, Mesh mesh) {
    return list(text, "{", "}", part -> axis(part, mesh));
  }

  /** {@code 'x'} or {@code 'x':(2)4}; by its name, or by its number if no axis has that name. */
  static AxisRef axis(Lexer text, Mesh mesh) {
    int start = text.skipBlanks();
    String name = name(text);
    int axis = mesh.names().indexOf(name);
    for (int i = 0; axis < 0 && i < mesh.names().size(); i++) {
      axis = name.equals(Integer.toString(i)) ? i : -1;
    }
    if (axis < 0) {
      throw new ParseException(
          start,
          "got the axis " + Ascii.truncate(name, 30, "…") + ", want one of the mesh",
          Nearest.to(name, mesh.names()));
    }
    if (!text.accept(":")) {
      return AxisRef.of(axis);
    }
    text.expect("(", "( and the size before the part");
    long preSize = text.integer("the size before the part");
    text.expect(")", ") and the size of the part");
    long size = text.integer("the size of the part");
    int found = axis;
    return ShapeParser.checked(
        start, () -> new AxisRef(found, Optional.of(new AxisRef.Part(preSize, size))));
  }

  // Tiles.

  /** {@code [2,2]0,1,2,3}, {@code [2,2]<=[4]} or {@code [2,2]<=[2,2]T(1,0)}. */
  static TileAssignment tiles(Lexer text) {
    int start = text.skipBlanks();
    Dims sizes = numbers(text, "[", "]");
    if (text.accept("<=") && text.peek() != '[') {
      throw text.wanted("[ and the sizes that the ids are reshaped to");
    }
    return devices(text, start, sizes);
  }

  private static TileAssignment devices(Lexer text, int start, Dims sizes) {
    if (text.peek() == '[') {
      Dims reshapeDims = numbers(text, "[", "]");
      Dims order = reshapeDims.count() == 1 ? noOrder(text) : order(text, reshapeDims.count());
      return ShapeParser.checked(start, () -> new TileAssignment.Iota(sizes, reshapeDims, order));
    }
    List<Long> ids = new ArrayList<>();
    do {
      ids.add(text.integer("the id of a device"));
    } while (text.accept(","));
    return ShapeParser.checked(start, () -> new TileAssignment.Listed(sizes, Dims.copyOf(ids)));
  }

  /** XLA writes, and reads, the order of several dimensions only. */
  private static Dims noOrder(Lexer text) {
    if (text.peek() == 'T') {
      throw text.wanted("no order of a single dimension");
    }
    return Dims.of(0);
  }

  private static Dims order(Lexer text, int dimensions) {
    text.expect("T", "T( and the order of the " + dimensions + " dimensions");
    return numbers(text, "(", ")");
  }

  private static Dims numbers(Lexer text, String open, String close) {
    return Dims.copyOf(list(text, open, close, part -> part.integer("an integer")));
  }

  /** Reads a list separated by commas, without a trailing comma. */
  static <T> ImmutableList<T> list(
      Lexer text, String open, String close, Function<Lexer, T> element) {
    ImmutableList.Builder<T> values = ImmutableList.builder();
    text.expect(open, open);
    if (text.accept(close)) {
      return values.build();
    }
    do {
      values.add(element.apply(text));
    } while (text.accept(","));
    text.expect(close, ", or " + close);
    return values.build();
  }

  // Replica groups.

  /** {@code {{0,1},{2,3}}}, {@code [2,2]<=[4]} or {@code mesh['x'=2,'y'=2] {'x'}}. */
  static ReplicaGroups replicaGroups(Lexer text) {
    int start = text.skipBlanks();
    if (text.here() == '{') {
      return ReplicaGroups.of(Codec.parseList(text, Codec::parseDims));
    }
    if (isNext(text)) {
      Mesh mesh = mesh(text);
      text.accept(",");
      ImmutableList<AxisRef> axes = axes(text, mesh);
      return counted(text, start, () -> ReplicaGroups.mesh(mesh, axes));
    }
    Dims dims = numbers(text, "[", "]");
    text.expect("<=", "<= and the sizes that the ids are reshaped to");
    Dims reshapeDims = numbers(text, "[", "]");
    Dims transposePerm =
        text.accept("T") ? numbers(text, "(", ")") : Dims.range(0, reshapeDims.count());
    return counted(text, start, () -> ReplicaGroups.iota(dims, reshapeDims, transposePerm));
  }

  /** Makes groups; few characters may stand for many ids, which count as memory of the text. */
  private static ReplicaGroups counted(Lexer text, int start, Supplier<ReplicaGroups> make) {
    ReplicaGroups groups = ShapeParser.checked(start, make);
    text.limits().take(Long.BYTES * groups.idCount());
    return groups;
  }
}
