package org.hlo4j.pjrt.binding;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;

/**
 * A C interface as a table: its structs with their fields, its functions and the constants of its
 * enums, each with the minor version since which it is there. The rows of the resource are {@code S
 * struct sizeof sizes}, {@code F field offset size since} of the struct above, {@code P function
 * offset since}, and {@code E constant value since} of the enum named by {@code N}.
 */
public final class Table {
  /** PJRT's C API, from 0.57 to 0.114. */
  public static final Table PJRT = read("pjrt-0.114.tsv");

  /** The newest minor version in {@link #PJRT}. */
  public static final int NEWEST = 114;

  /** The oldest minor version in {@link #PJRT}: older ones have another layout. */
  public static final int OLDEST = 57;

  /**
   * A function of the table of a plugin.
   *
   * @param name as {@code PJRT_Client_Compile}
   * @param offset where its pointer is in {@code PJRT_Api}
   * @param since the first minor version that has it
   */
  record Function(String name, long offset, int since) {}

  /**
   * A constant of an enum.
   *
   * @param name as {@code PJRT_Buffer_Type_F32}
   * @param value its number
   * @param since the first minor version that has it
   */
  public record Constant(String name, int value, int since) {}

  private final Map<String, StructLayout> structs = new HashMap<>();
  private final Map<String, Function> functions = new LinkedHashMap<>();
  private final Map<String, Map<Integer, Constant>> enums = new HashMap<>();

  /** What is read so far of the struct and the enum of the last S and N rows. */
  private String struct = "";

  private long sizeof;
  private ImmutableSortedMap<Integer, Integer> sizes = ImmutableSortedMap.of();
  private Map<String, StructLayout.Field> fields = new LinkedHashMap<>();
  private Map<Integer, Constant> constants = new LinkedHashMap<>();

  private Table() {}

  /** Reads a resource of this package. */
  public static Table read(String name) {
    Table table = new Table();
    lines(Table.class, name).forEach(table::row);
    table.endStruct();
    return table;
  }

  /** {@return the lines of a resource beside a class, but for comments} */
  public static ImmutableList<String> lines(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .collect(ImmutableList.toImmutableList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void row(String line) {
    String[] cells = line.split("\t", -1);
    switch (cells[0]) {
      case "S" -> beginStruct(cells);
      case "F" ->
          fields.put(
              cells[1],
              new StructLayout.Field(
                  struct + "." + cells[1],
                  Long.parseLong(cells[2]),
                  Integer.parseInt(cells[3]),
                  Integer.parseInt(cells[4])));
      case "P" ->
          functions.put(
              cells[1],
              new Function(cells[1], Long.parseLong(cells[2]), Integer.parseInt(cells[3])));
      case "N" -> {
        constants = new LinkedHashMap<>();
        enums.put(cells[1], constants);
      }
      case "E" -> {
        int value = Integer.parseInt(cells[2]);
        constants.put(value, new Constant(cells[1], value, Integer.parseInt(cells[3])));
      }
      default -> {} // a comment
    }
  }

  private void beginStruct(String[] cells) {
    endStruct();
    struct = cells[1];
    sizeof = Long.parseLong(cells[2]);
    ImmutableSortedMap.Builder<Integer, Integer> all =
        new ImmutableSortedMap.Builder<>(Comparator.<Integer>naturalOrder());
    Splitter.on(' ')
        .withKeyValueSeparator(':')
        .split(cells[3])
        .forEach((version, size) -> all.put(Integer.valueOf(version), Integer.valueOf(size)));
    sizes = all.buildOrThrow();
    fields = new LinkedHashMap<>();
  }

  private void endStruct() {
    if (!struct.isEmpty()) {
      structs.put(struct, new StructLayout(struct, sizeof, sizes, ImmutableMap.copyOf(fields)));
    }
  }

  /** {@return the struct of a name} */
  public StructLayout struct(String name) {
    return known(structs, name);
  }

  /** {@return whether there is a struct of a name} */
  boolean hasStruct(String name) {
    return structs.containsKey(name);
  }

  /** {@return the function of a name} */
  Function function(String name) {
    return known(functions, name);
  }

  /** {@return all functions, in the order of the interface} */
  Collection<Function> functions() {
    return functions.values();
  }

  /**
   * {@return the constant of a number, if this table has it}
   *
   * @param enumName as {@code PJRT_Buffer_Type}
   * @param value the number
   */
  public Optional<Constant> constant(String enumName, int value) {
    return Optional.ofNullable(known(enums, enumName).get(value));
  }

  /**
   * {@return the constant of a name, if this table has it}
   *
   * @param enumName as {@code PJRT_Buffer_Type}
   * @param suffix what comes after the name of the enum and an underscore
   */
  public Optional<Constant> constant(String enumName, String suffix) {
    return known(enums, enumName).values().stream()
        .filter(each -> each.name().equals(enumName + "_" + suffix))
        .findFirst();
  }

  /** {@return the element types that an enum has, with their constants} */
  public ImmutableMap<ElementType, Constant> elementTypes(String enumName) {
    return Arrays.stream(ElementType.values())
        .filter(type -> constant(enumName, type.name()).isPresent())
        .collect(
            ImmutableMap.toImmutableMap(
                type -> type, type -> constant(enumName, type.name()).orElseThrow()));
  }

  private static <T> T known(Map<String, T> all, String name) {
    T found = all.get(name);
    if (found == null) {
      throw new HloException("", "pjrt: got " + name + ", want a name of the table");
    }
    return found;
  }
}
