package org.hlo4j.spark;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.stablehlo.jax.JaxArray;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.jspecify.annotations.Nullable;

/**
 * What a function takes from a table and adds to it.
 *
 * @param columns the column of each argument
 * @param fetches the columns of the results
 * @param rows how many rows the function takes at a time; 0 for any number
 */
record Signature(ImmutableMap<Argument, String> columns, ImmutableList<Fetch> fetches, long rows) {

  static Signature of(
      JaxExport export,
      @Nullable Map<String, String> feed,
      @Nullable Map<String, String> fetch,
      List<String> vectors) {
    ImmutableList<JaxArray> inputs = export.inputs();
    require(!inputs.isEmpty(), Kind.ARGUMENT, "model: %s takes no arguments", export);
    Map<Integer, String> fed =
        columns("feed", feed == null ? defaults(inputs, "features", _ -> true) : feed, inputs);
    ImmutableMap.Builder<Argument, String> columns = ImmutableMap.builder();
    String rows = inputs.get(0).sizes().stream().findFirst().orElse("");
    for (int i = 0; i < inputs.size(); i++) {
      JaxArray input = inputs.get(i);
      require(
          fed.containsKey(i), Kind.ARGUMENT, "feed: got no column for %s %s", input.path(), input);
      requireRows(input, rows);
      columns.put(Argument.of(i, input), requireNonNull(fed.get(i)));
    }
    return new Signature(
        columns.buildOrThrow(), fetches(export, fetch, vectors, rows), size(export, rows));
  }

  private static ImmutableList<Fetch> fetches(
      JaxExport export, @Nullable Map<String, String> fetch, List<String> vectors, String rows) {
    ImmutableList<JaxArray> outputs = export.outputs();
    Map<Integer, String> fetched =
        columns(
            "fetch",
            fetch == null
                ? defaults(outputs, "prediction", output -> hasRows(output, rows))
                : fetch,
            outputs);
    for (String vector : vectors) {
      require(
          fetched.containsValue(vector),
          Kind.ARGUMENT,
          "vectors: got %s, want one of %s",
          vector,
          fetched.values());
    }
    fetched.keySet().forEach(i -> requireRows(outputs.get(i), rows));
    return fetched.entrySet().stream()
        .map(one ->
            Fetch.of(
                Argument.of(one.getKey(), outputs.get(one.getKey())),
                one.getValue(),
                vectors.contains(one.getValue())))
        .collect(toImmutableList());
  }

  private static void requireRows(JaxArray array, String rows) {
    require(
        hasRows(array, rows),
        Kind.ARGUMENT,
        "model: %s: got %s, want its first size, and no other, to be the number of rows%s",
        array.path(),
        array,
        rows.isEmpty() ? "" : ", " + rows);
  }

  private static boolean hasRows(JaxArray array, String rows) {
    Pattern variable = Pattern.compile("\\b" + rows + "\\b");
    return !array.sizes().isEmpty()
        && array.sizes().get(0).equals(rows)
        && (isNumber(rows)
            || array.sizes().stream().skip(1).noneMatch(size -> variable.matcher(size).find()));
  }

  private static boolean isNumber(String rows) {
    return rows.matches("\\d+");
  }

  private static long size(JaxExport export, String rows) {
    if (isNumber(rows)) {
      long size = Long.parseLong(rows);
      require(size > 0, Kind.ARGUMENT, "model: %s takes no rows", export);
      return size;
    }
    require(
        export.sizeVariables().contains(rows),
        Kind.ARGUMENT,
        "model: %s: got %s rows, want a number or a variable",
        export,
        rows);
    return 0;
  }

  /** Columns by the keys of arrays that have one; one alone may go without. */
  private static Map<String, String> defaults(
      List<JaxArray> arrays, String alone, Predicate<JaxArray> isWanted) {
    Map<String, String> columns = new LinkedHashMap<>();
    for (int i = 0; i < arrays.size(); i++) {
      if (isWanted.test(arrays.get(i))) {
        String key = key(arrays.get(i).path());
        String number = arrays.size() == 1 ? "" : "_" + i;
        columns.put(key.isEmpty() ? alone + number : key, String.valueOf(i));
      }
    }
    return columns;
  }

  /** Returns the last key of a path such as {@code args[0]['w']}; empty if it ends otherwise. */
  private static String key(String path) {
    return path.endsWith("']") ? path.substring(path.lastIndexOf("['") + 2, path.length() - 2) : "";
  }

  /** Returns the column of each array, by its index. */
  private static Map<Integer, String> columns(
      String what, Map<String, String> given, List<JaxArray> arrays) {
    TreeMap<Integer, String> columns = new TreeMap<>();
    given.forEach((column, name) -> {
      int index = index(what, column, name, arrays);
      String other = columns.put(index, column);
      require(
          other == null,
          Kind.ARGUMENT,
          "%s: got the columns %s and %s for %s, want one",
          what,
          other,
          column,
          name);
    });
    return ImmutableSortedMap.copyOfSorted(columns);
  }

  private static int index(String what, String column, String name, List<JaxArray> arrays) {
    int[] named =
        IntStream.range(0, arrays.size())
            .filter(i ->
                name.equals(String.valueOf(i))
                    || name.equals(arrays.get(i).path())
                    || name.equals(key(arrays.get(i).path())))
            .toArray();
    require(
        named.length == 1,
        Kind.ARGUMENT,
        "%s: column %s: got %s, want one of %s, or their positions",
        what,
        column,
        name,
        arrays.stream().map(JaxArray::path).toList());
    return named[0];
  }

  /** Returns the feeds of a table; refused if it has no such column, or of an unsuitable type. */
  ImmutableList<Feed> feeds(StructType schema) {
    return columns.entrySet().stream()
        .map(one -> {
          int ordinal = ordinal(schema, one.getValue(), one.getKey());
          return Feed.of(one.getKey(), one.getValue(), schema.fields()[ordinal], ordinal);
        })
        .collect(toImmutableList());
  }

  private static int ordinal(StructType schema, String column, Argument argument) {
    int[] found =
        IntStream.range(0, schema.size())
            .filter(i -> schema.fieldNames()[i].equals(column))
            .toArray();
    if (found.length != 1) {
      throw new HloException(
          Kind.ARGUMENT,
          "feed: got "
              + (found.length == 0 ? "no" : found.length + " columns")
              + " "
              + column
              + " in "
              + Arrays.toString(schema.fieldNames())
              + ", want one for "
              + argument);
    }
    return found[0];
  }

  /** Returns a schema with the columns of the results; refused if it has one already. */
  StructType appended(StructType schema, boolean nullable) {
    feeds(schema);
    StructType appended = schema;
    for (Fetch fetch : fetches) {
      require(
          !List.of(appended.fieldNames()).contains(fetch.column()),
          Kind.ARGUMENT,
          "fetch: column %s is there already, want another name for %s",
          fetch.column(),
          fetch.result());
      appended =
          appended.add(new StructField(fetch.column(), fetch.type(), nullable, Metadata.empty()));
    }
    return appended;
  }
}
