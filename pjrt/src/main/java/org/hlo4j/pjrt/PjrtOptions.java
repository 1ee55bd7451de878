package org.hlo4j.pjrt;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.pjrt.binding.Table;

/**
 * Options of a client, by the names that the plugin gives them. They do not change.
 *
 * <p>Plugins end the process where the type of an option is wrong, and swallow names that they do
 * not know. So names, types and ranges are compared with a table before a client is made, for CPUs
 * and CUDA; those of other platforms are passed on as they are.
 *
 * @param values by name: String, Long, {@code long[]}, Float or Boolean; an Integer becomes a Long,
 *     and a Double a Float
 * @param memoryLimit how many bytes of the devices' memory may be kept before forgotten buffers are
 *     looked for by a garbage collection
 * @param cache a folder that keeps compiled programs for later processes
 */
public record PjrtOptions(
    ImmutableMap<String, Object> values, long memoryLimit, Optional<Path> cache) {
  /**
   * Brings the values into the types that plugins take.
   *
   * @throws HloException if one is of another type
   */
  public PjrtOptions {
    ImmutableMap<String, Object> given = values;
    values = Maps.toMap(given.keySet(), name -> taken(name, requireNonNull(given.get(name))));
  }

  private static Object taken(String name, Object value) {
    return switch (value) {
      case Integer number -> (Object) number.longValue();
      case Double number -> number.floatValue();
      case String _, Long _, long[] _, Float _, Boolean _ -> value;
      default ->
          throw new HloException(
              "",
              "option %s: got a value of type %s, want String, Long, long[], Float or Boolean"
                  .formatted(name, value.getClass().getSimpleName()));
    };
  }

  /** No option: the plugin's own settings, but that a GPU's memory is not taken in advance. */
  public static final PjrtOptions DEFAULT =
      new PjrtOptions(ImmutableMap.of(), Long.MAX_VALUE, Optional.empty());

  private static final List<Row> KNOWN =
      Table.lines(PjrtOptions.class, "options.tsv").stream().map(Row::of).toList();

  /** An option of a platform: the least value is 0 or more; empty if it is no number. */
  private record Row(String platform, String name, String type, String least, int since) {
    static Row of(String line) {
      String[] cells = line.split("\t", -1);
      return new Row(cells[0], cells[1], cells[2], cells[3], Integer.parseInt(cells[4]));
    }

    void check(Object value) {
      String got = value.getClass().getSimpleName();
      HloException.require(
          got.equals(type), "", "option %s: got %s of type %s, want %s", name, value, got, type);
      if (value instanceof Number number && !least.isEmpty()) {
        HloException.require(
            number.doubleValue() >= Integer.parseInt(least),
            "",
            "option %s: got %s, want at least %s",
            name,
            value,
            least);
      }
    }
  }

  /**
   * Returns these options with one more.
   *
   * @param name as {@code cpu_device_count}
   * @param value a String, Long, Integer, {@code long[]}, Float, Double or Boolean
   * @return the options
   * @throws HloException if the value is of another type
   */
  public PjrtOptions with(String name, Object value) {
    return new PjrtOptions(
        ImmutableMap.<String, Object>builder().putAll(values).put(name, value).buildKeepingLast(),
        memoryLimit,
        cache);
  }

  /**
   * Returns these options with one more, from text as a command line has it: {@code true} and
   * {@code false}, numbers, lists of whole numbers with a plus sign between them; all else is a
   * text.
   *
   * @param assignment as {@code cpu_device_count=2} or {@code visible_devices=0+1}
   * @return the options
   * @throws HloException if there is no equals sign
   */
  public PjrtOptions with(String assignment) {
    int equals = assignment.indexOf('=');
    HloException.require(equals > 0, "", "option: got %s, want NAME=VALUE", assignment);
    String name = assignment.substring(0, equals);
    return with(name, parsed(name, assignment.substring(equals + 1)));
  }

  private static Object parsed(String name, String text) {
    String type =
        KNOWN.stream().filter(row -> row.name.equals(name)).map(Row::type).findFirst().orElse("");
    if (text.matches("true|false")) {
      return Boolean.valueOf(text);
    } else if (text.matches("\\d{1,18}(\\+\\d{1,18})" + (type.equals("long[]") ? "*" : "+"))) {
      return Splitter.on('+').splitToStream(text).mapToLong(Long::parseLong).toArray();
    } else if (text.matches("-?\\d{1,18}") && !type.equals("Float")) {
      return Long.valueOf(text);
    }
    return text.matches("-?\\d{1,18}(\\.\\d*)?") ? (Object) Float.valueOf(text) : text;
  }

  /**
   * Returns these options with a limit. Java does not see how large the buffers of a device are, so
   * that forgotten ones may stay for long: once more bytes are kept, the garbage is collected
   * first.
   *
   * @param bytes how many bytes of all devices together
   * @return the options
   */
  public PjrtOptions withMemoryLimit(long bytes) {
    return new PjrtOptions(values, bytes, cache);
  }

  /**
   * Returns these options with a cache: programs that were compiled before by the same plugin, with
   * the same options, on the same kind of processor, are loaded. What the plugin refuses to load is
   * compiled again.
   *
   * @param folder where compiled programs are kept; it is made if it is not there
   * @return the options
   */
  public PjrtOptions withCache(Path folder) {
    return new PjrtOptions(values, memoryLimit, Optional.of(folder));
  }

  /**
   * Returns what a plugin is given: the memory of a GPU is not taken in advance unless asked.
   *
   * @param platform of the plugin, as far as its name says
   * @param minor the version of the plugin
   * @throws HloException if an option is not one of the platform's, of another type or out of range
   */
  ImmutableMap<String, Object> checked(String platform, int minor) {
    List<Row> rows = KNOWN.stream().filter(row -> row.platform.equals(platform)).toList();
    values.forEach((name, value) -> check(rows, platform, minor, name, value));
    return platform.equals("cuda") && !values.containsKey("preallocate")
        ? with("preallocate", false).values
        : values;
  }

  private static void check(List<Row> rows, String platform, int minor, String name, Object value) {
    List<Row> known = rows.stream().filter(each -> each.since <= minor).toList();
    Optional<Row> row = known.stream().filter(each -> each.name.equals(name)).findFirst();
    row.ifPresent(each -> each.check(value));
    HloException.require(
        row.isPresent() || rows.isEmpty(),
        "",
        "option: got %s, want one of the %s plugin of version 0.%s: %s",
        name,
        platform,
        minor,
        known.stream().map(Row::name).collect(Collectors.joining(", ")));
  }
}
