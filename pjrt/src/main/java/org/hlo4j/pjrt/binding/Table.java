package org.hlo4j.pjrt.binding;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Ordering;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;

/**
 * A C interface as a table: its structs with their fields, its functions and the constants of its
 * enums, each with the minor version since which it is there. The rows of the resource are {@code S
 * struct sizeof sizes}, {@code F field offset size since} of the struct above, {@code P function
 * offset since}, and {@code E constant value since}.
 */
public final class Table {
  /** PJRT's C API, from 0.57 to 0.114. */
  public static final Table PJRT = new Table("pjrt-0.114.tsv");

  /** XLA's foreign function interface, 0.3, and the extension of PJRT for it. */
  public static final Table FFI = new Table("ffi-0.3.tsv");

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
  private final Map<String, Constant> constants = new LinkedHashMap<>();

  /** What is read so far of the struct of the last S row. */
  private String struct = "";

  private Map<String, StructLayout.Field> fields = new LinkedHashMap<>();

  private Table(String resource) {
    lines(Table.class, resource).forEach(this::row);
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
    List<String> cells = Splitter.on('\t').splitToList(line);
    String name = cells.get(1);
    switch (cells.get(0)) {
      case "S" -> {
        struct = name;
        fields = new LinkedHashMap<>();
        Map<String, StructLayout.Field> known = Collections.unmodifiableMap(fields);
        structs.put(name, new StructLayout(name, number(cells, 2), sizes(cells.get(3)), known));
      }
      case "F" -> {
        String full = struct + "." + name;
        int size = number(cells, 3);
        fields.put(name, new StructLayout.Field(full, number(cells, 2), size, number(cells, 4)));
      }
      case "P" -> functions.put(name, new Function(name, number(cells, 2), number(cells, 3)));
      case "E" -> constants.put(name, new Constant(name, number(cells, 2), number(cells, 3)));
      default -> {} // the name of an enum
    }
  }

  private static int number(List<String> cells, int column) {
    return Integer.parseInt(cells.get(column));
  }

  private static ImmutableSortedMap<Integer, Integer> sizes(String byVersion) {
    ImmutableSortedMap.Builder<Integer, Integer> all =
        new ImmutableSortedMap.Builder<>(Ordering.natural());
    Splitter.on(' ')
        .withKeyValueSeparator(':')
        .split(byVersion)
        .forEach((version, size) -> all.put(Integer.valueOf(version), Integer.valueOf(size)));
    return all.buildOrThrow();
  }

  /** {@return the struct of a name} */
  public StructLayout struct(String name) {
    return known(structs, name);
  }

  /** {@return a struct of a name at an address} */
  public View view(String name, long address) {
    StructLayout layout = struct(name);
    return new View(layout, Api.memory(address, layout.sizeof()));
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

  /** {@return the number of a constant} */
  public int number(String constant) {
    return known(constants, constant).value();
  }

  /** {@return the name of a constant without that of its enum, the number if it is unknown} */
  public String constant(String enumName, int number) {
    return constants.values().stream()
        .filter(each -> each.value() == number && each.name().startsWith(enumName + "_"))
        .map(each -> each.name().substring(enumName.length() + 1))
        .findFirst()
        .orElse(String.valueOf(number));
  }

  /** {@return the element types that an enum has, with their constants} */
  public ImmutableMap<ElementType, Constant> elementTypes(String enumName) {
    return Arrays.stream(ElementType.values())
        .filter(type -> constants.containsKey(enumName + "_" + type.name()))
        .collect(
            ImmutableMap.toImmutableMap(
                type -> type, type -> known(constants, enumName + "_" + type.name())));
  }

  private static <T> T known(Map<String, T> all, String name) {
    T found = all.get(name);
    if (found == null) {
      throw new HloException("", "pjrt: got " + name + ", want a name of the table");
    }
    return found;
  }
}
