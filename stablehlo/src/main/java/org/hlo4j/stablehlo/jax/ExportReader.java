package org.hlo4j.stablehlo.jax;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.LIMIT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.math.LongMath;
import com.google.common.primitives.Ints;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.source.ReadLimits;

/**
 * A reader of the flatbuffer that {@code jax.export} writes. It reads all versions of the schema
 * with the same slots, with inline or indexed abstract values.
 */
final class ExportReader {
  private static final int MAX_DEPTH = 200;

  /** The most characters of a path beside a key: brackets and quotes, or a number. */
  private static final int PATH_PART = 12;

  /** The slots of the root table. */
  private static final int FUNCTION_NAME = 1;

  private static final int IN_TREE = 2;
  private static final int IN_AVALS = 3;
  private static final int OUT_TREE = 4;
  private static final int OUT_AVALS = 5;
  private static final int DEVICES_16 = 6;
  private static final int PLATFORMS = 9;
  private static final int ORDERED_EFFECTS = 10;
  private static final int MODULE = 13;
  private static final int CALLING_CONVENTION = 14;
  private static final int KEPT = 15;
  private static final int VJP = 17;
  private static final int DEVICES_32 = 18;
  private static final int UNIQUE_AVALS = 19;
  private static final int IN_AVAL_INDICES = 22;
  private static final int OUT_AVAL_INDICES = 23;

  /** The types of JAX by their numbers. */
  private static final ImmutableList<String> DTYPES =
      ImmutableList.copyOf(
          ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
                  + " complex64 complex128 bfloat16 int4 uint4 float8_e4m3b11fnuz float8_e4m3fn"
                  + " float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float0 float8_e4m3 float8_e3m4"
                  + " float8_e8m0fnu float4_e2m1fn key<fry> key<rbg> key<unsafe_rbg>")
              .split(" "));

  /** Returns the element type of the module's array for a type of JAX. */
  private static ElementType elementType(String dtype) {
    return switch (dtype) {
      case "bool", "float0" -> ElementType.PRED;
      case "bfloat16" -> ElementType.BF16;
      case String key when key.startsWith("key<") -> ElementType.U32;
      default ->
          ElementType.valueOf(
              Ascii.toUpperCase(
                  dtype
                      .replace("uint", "u")
                      .replace("int", "s")
                      .replace("float", "f")
                      .replace("complex", "c")
                      .replace("_", "")));
    };
  }

  /** Returns the key size of a random key type; 0 for all others. */
  private static int keySize(String dtype) {
    return dtype.startsWith("key<") ? dtype.equals("key<fry>") ? 2 : 4 : 0;
  }

  /**
   * A tree, and how much it is when what occurs in it several times is counted each time.
   *
   * @param tree the tree
   * @param leaves how many leaves it has
   * @param characters how long the paths of its leaves are, together with all of its keys
   */
  private record Counted(PyTree tree, long leaves, long characters) {}

  private final ReadLimits limits;
  private final Map<Integer, Counted> trees = new HashMap<>();
  private final Map<Integer, Sizes> sizes = new HashMap<>();

  /**
   * The sizes of an abstract value.
   *
   * @param all the text of each
   * @param characters how long they are
   */
  private record Sizes(ImmutableList<String> all, long characters) {}

  private ExportReader(int bytes) {
    this.limits = new ReadLimits("jax.export file", bytes);
  }

  static JaxExport read(byte[] bytes) {
    try {
      return ReadLimits.guarded(
          "jax.export file", () -> new ExportReader(bytes.length).read(root(bytes), 0));
    } catch (IndexOutOfBoundsException outside) {
      throw new HloException(
          PARSE,
          "jax.export file: an offset points outside of its %s bytes, want a whole flatbuffer of"
              + " jax.export",
          bytes.length);
    }
  }

  private static FlatTable root(byte[] bytes) {
    return FlatTable.root(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
  }

  private JaxExport read(FlatTable table, int depth) {
    require(depth < 16, PARSE, "jax.export file: more than 16 gradients in a row");
    PyTree in = tree(table, IN_TREE, "in_tree");
    PyTree out = tree(table, OUT_TREE, "out_tree");
    ImmutableList<JaxArray> inputs =
        arrays(table, IN_AVALS, IN_AVAL_INDICES, in.leaves(""), "in_avals");
    ImmutableList<JaxArray> outputs =
        arrays(table, OUT_AVALS, OUT_AVAL_INDICES, out.leaves("result"), "out_avals");
    ImmutableList<String> platforms = table.strings(PLATFORMS);
    limits.take(platforms.stream().mapToLong(String::length).sum());
    ImmutableList<Integer> kept = table.u16s(KEPT);
    requireKept(kept, inputs.size());
    return new JaxExport(
        new JaxExport.Contents(
            table.string(FUNCTION_NAME),
            in,
            out,
            inputs,
            outputs,
            platforms,
            devices(table),
            table.tables(ORDERED_EFFECTS).size(),
            table.u16(CALLING_CONVENTION),
            kept,
            new ExportBytes(table.buffer(), table.position(), table.bytes(MODULE)),
            table.table(VJP).map(vjp -> read(vjp, depth + 1))));
  }

  /** Returns the number of devices; older files have 16 bits for it. */
  private static int devices(FlatTable table) {
    long devices = table.has(DEVICES_32) ? table.u32(DEVICES_32) : table.u16(DEVICES_16);
    return Math.max(1, Ints.saturatedCast(devices));
  }

  private static void requireKept(List<Integer> kept, int count) {
    for (int i = 0; i < kept.size(); i++) {
      require(
          kept.get(i) < count && (i == 0 || kept.get(i) > kept.get(i - 1)),
          PARSE,
          "module_kept_var_idx got %s, want increasing numbers below %s",
          kept,
          count);
    }
  }

  private PyTree tree(FlatTable table, int slot, String name) {
    FlatTable root =
        table
            .table(slot)
            .orElseThrow(() -> new HloException(PARSE, "jax.export file: no %s", name));
    Counted counted = tree(root, name, 0);
    limits.take(LongMath.saturatedMultiply(ReadLimits.OBJECT, counted.leaves));
    limits.take(counted.characters);
    return counted.tree;
  }

  /** Reads a tree; one that is used many times is read once. */
  private Counted tree(FlatTable table, String name, int depth) {
    require(depth < MAX_DEPTH, LIMIT, "%s: got more than %s levels", name, MAX_DEPTH);
    Counted known = trees.get(table.position());
    if (known != null) {
      return known;
    }
    limits.take(ReadLimits.OBJECT);
    ImmutableList.Builder<Counted> list = ImmutableList.builder();
    for (FlatTable child : table.tables(1)) {
      list.add(tree(child, name, depth + 1));
    }
    Counted tree = counted(table, list.build(), name);
    trees.put(table.position(), tree);
    return tree;
  }

  private static Counted counted(FlatTable table, ImmutableList<Counted> parts, String name) {
    ImmutableList<PyTree> children = parts.stream().map(Counted::tree).collect(toImmutableList());
    PyTree tree = tree(table, children, name);
    long leaves = tree == PyTree.Leaf.LEAF ? 1 : 0;
    long characters = PATH_PART;
    for (int i = 0; i < parts.size(); i++) {
      Counted part = parts.get(i);
      int key =
          PATH_PART + (tree instanceof PyTree.Dictionary all ? all.keys().get(i).length() : 0);
      leaves = LongMath.saturatedAdd(leaves, part.leaves);
      long paths = LongMath.saturatedMultiply(LongMath.saturatedAdd(part.leaves, 1), key);
      characters = LongMath.saturatedAdd(characters, LongMath.saturatedAdd(part.characters, paths));
    }
    return new Counted(tree, leaves, characters);
  }

  private static PyTree tree(FlatTable table, ImmutableList<PyTree> children, String name) {
    int kind = table.u8(0);
    return switch (kind) {
      case 0 -> PyTree.Leaf.LEAF;
      case 1 -> PyTree.None.NONE;
      case 2 -> new PyTree.Sequence("tuple", children);
      case 3 -> new PyTree.Sequence("list", children);
      case 4 -> dictionary(table.strings(2), children, name);
      case 5 -> new PyTree.Sequence(table.string(3), children);
      default -> throw new HloException(PARSE, "%s: kind got %s, want 0 to 5", name, kind);
    };
  }

  private static PyTree dictionary(
      ImmutableList<String> keys, ImmutableList<PyTree> children, String name) {
    require(
        keys.size() == children.size(),
        PARSE,
        "%s: got %s keys, want %s, as many as values",
        name,
        keys.size(),
        children.size());
    return new PyTree.Dictionary(keys, children);
  }

  /** Reads abstract values, which are inline or indices into a table of distinct values. */
  private ImmutableList<JaxArray> arrays(
      FlatTable table, int inline, int indices, List<String> paths, String name) {
    List<FlatTable> values = table.tables(inline);
    if (table.has(indices)) {
      List<FlatTable> unique = table.tables(UNIQUE_AVALS);
      values =
          table.u32s(indices).stream()
              .map(index -> unique.get(Math.toIntExact(Math.min(index, Integer.MAX_VALUE))))
              .toList();
    }
    require(
        values.size() == paths.size(),
        PARSE,
        "%s: got %s, want %s, as many as leaves of the tree",
        name,
        values.size(),
        paths.size());
    ImmutableList.Builder<JaxArray> arrays = ImmutableList.builder();
    for (int i = 0; i < values.size(); i++) {
      arrays.add(array(values.get(i), paths.get(i)));
    }
    return arrays.build();
  }

  private JaxArray array(FlatTable table, String path) {
    int dtype = table.u8(2);
    require(
        dtype < DTYPES.size(),
        UNSUPPORTED,
        "%s: dtype got number %s, want one below %s",
        path,
        dtype,
        DTYPES.size());
    String known = DTYPES.get(dtype);
    Sizes found = sizes.computeIfAbsent(table.position(), place -> sizes(table));
    limits.take(ReadLimits.OBJECT + found.characters);
    return new JaxArray(path, known, elementType(known), found.all, keySize(known));
  }

  /** Reads sizes, which many arrays may share. */
  private static Sizes sizes(FlatTable table) {
    ImmutableList<String> all = table.strings(1);
    ImmutableSet.copyOf(all).forEach(SizeExpression::parse);
    return new Sizes(all, all.stream().mapToLong(String::length).sum());
  }
}
