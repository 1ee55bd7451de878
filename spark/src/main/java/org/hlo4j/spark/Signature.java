package org.hlo4j.spark;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Iterables;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.jax.JaxArray;
import org.hlo4j.stablehlo.jax.JaxExport;

/**
 * What a function takes from a table and adds to it.
 *
 * @param columns the column of each argument that is fed
 * @param weights the names of the arrays that are the other arguments, by their index
 * @param fetches the columns of the results
 * @param rows how many rows the function takes at a time; 0 for any number
 */
record Signature(
    ImmutableMap<Argument, String> columns,
    ImmutableSortedMap<Integer, String> weights,
    ImmutableList<Fetch> fetches,
    long rows) {

  static Signature of(
      JaxExport export,
      Map<String, Literal> weights,
      Map<String, String> feed,
      Map<String, String> fetch,
      List<String> vectors) {
    List<JaxArray> inputs = export.inputs();
    NavigableMap<Integer, String> named = named("weights: array", names(weights, inputs), inputs);
    NavigableMap<Integer, String> fed =
        named(
            "feed: column",
            feed.isEmpty() ? defaults(inputs, "features", i -> !named.containsKey(i)) : feed,
            inputs);
    named.keySet().removeAll(fed.keySet());
    for (int i = 0; i < inputs.size(); i++) {
      JaxArray input = inputs.get(i);
      boolean isKnown = fed.containsKey(i) || named.containsKey(i);
      require(isKnown, Kind.ARGUMENT, "feed: got no column for %s %s", input.path(), input);
    }
    require(!fed.isEmpty(), Kind.ARGUMENT, "feed: got no column for an argument of %s", export);
    named.forEach((i, name) ->
        requireSuits(inputs.get(i), name, requireNonNull(weights.get(name)).arrayShape()));
    String rows = inputs.get(fed.firstKey()).sizes().stream().findFirst().orElse("");
    fed.keySet().forEach(i -> requireRows(inputs.get(i), rows));
    return new Signature(
        fed.keySet().stream().collect(toImmutableMap(i -> Argument.of(i, inputs.get(i)), fed::get)),
        ImmutableSortedMap.copyOfSorted(named),
        fetches(export.outputs(), fetch, vectors, rows),
        isNumber(rows) ? Long.parseLong(rows) : 0);
  }

  /** Returns the names of arrays that are arguments, each for itself. */
  private static Map<String, String> names(Map<String, Literal> arrays, List<JaxArray> inputs) {
    return arrays.keySet().stream()
        .filter(name -> indices(name, inputs).length > 0)
        .collect(toImmutableMap(Function.identity(), Function.identity()));
  }

  private static void requireSuits(JaxArray input, String name, Shape.Array got) {
    Shape.Array want = input.symbolicShape();
    require(
        got.elementType() == want.elementType() && Argument.admits(want, got),
        Kind.ARGUMENT,
        "weights: array %s: got %s, want %s for %s",
        name,
        got,
        input,
        input.path());
  }

  private static ImmutableList<Fetch> fetches(
      List<JaxArray> outputs, Map<String, String> fetch, List<String> vectors, String rows) {
    NavigableMap<Integer, String> fetched =
        named(
            "fetch: column",
            fetch.isEmpty()
                ? defaults(outputs, "prediction", i -> hasRows(outputs.get(i), rows))
                : fetch,
            outputs);
    for (String vector : vectors) {
      boolean isFetched = fetched.containsValue(vector);
      require(
          isFetched, Kind.ARGUMENT, "vectors: got %s, want one of %s", vector, fetched.values());
    }
    fetched.keySet().forEach(i -> requireRows(outputs.get(i), rows));
    return fetched.entrySet().stream()
        .map(one -> {
          Argument result = Argument.of(one.getKey(), outputs.get(one.getKey()));
          return Fetch.of(result, one.getValue(), vectors.contains(one.getValue()));
        })
        .collect(toImmutableList());
  }

  private static void requireRows(JaxArray array, String rows) {
    require(
        hasRows(array, rows),
        Kind.ARGUMENT,
        "model: %s: got %s, want its first size, and no other, to be the number of rows, %s",
        array.path(),
        array,
        isSize(rows) ? rows : "above 0 or a variable");
  }

  private static boolean hasRows(JaxArray array, String rows) {
    Pattern variable = Pattern.compile("\\b" + rows + "\\b");
    return isSize(rows)
        && rows.equals(Iterables.getFirst(array.sizes(), ""))
        && (isNumber(rows)
            || array.sizes().stream().skip(1).noneMatch(size -> variable.matcher(size).find()));
  }

  private static boolean isSize(String rows) {
    return rows.matches("[1-9]\\d*|[A-Za-z_]\\w*");
  }

  private static boolean isNumber(String text) {
    return text.matches("\\d+");
  }

  /** Columns by the keys of arrays that have one; one alone may go without. */
  private static Map<String, String> defaults(
      List<JaxArray> arrays, String alone, IntPredicate isWanted) {
    int[] wanted = IntStream.range(0, arrays.size()).filter(isWanted).toArray();
    Map<String, String> columns = new LinkedHashMap<>();
    for (int i : wanted) {
      String path = arrays.get(i).path();
      String key = path.endsWith("']") ? path.substring(path.lastIndexOf("['") + 2) : "";
      columns.put(
          key.isEmpty()
              ? alone + (wanted.length == 1 ? "" : "_" + i)
              : key.substring(0, key.length() - 2),
          String.valueOf(i));
    }
    return columns;
  }

  /** Returns the column of each array, by its index. */
  private static NavigableMap<Integer, String> named(
      String what, Map<String, String> given, List<JaxArray> arrays) {
    NavigableMap<Integer, String> columns = new TreeMap<>();
    given.forEach((column, name) -> {
      int[] indices = indices(name, arrays);
      require(
          indices.length == 1,
          Kind.ARGUMENT,
          "%s %s: got %s, want one of %s, or their positions",
          what,
          column,
          name,
          arrays.stream().map(JaxArray::path).toList());
      String other = columns.put(indices[0], column);
      require(
          other == null,
          Kind.ARGUMENT,
          "%s %s: got %s, want another than for %s",
          what,
          column,
          name,
          other);
    });
    return columns;
  }

  /**
   * Returns which arrays a name is: a position, a path, or the end of one, such as {@code 0.w} of
   * {@code args[0]['layers'][0]['w']}.
   */
  private static int[] indices(String name, List<JaxArray> arrays) {
    return IntStream.range(0, arrays.size())
        .filter(i ->
            isNumber(name)
                ? name.equals(String.valueOf(i))
                : dotted(arrays.get(i).path()).endsWith(dotted(name)))
        .toArray();
  }

  /** Returns a path such as {@code args[0]['w']} as {@code .args.0.w}. */
  private static String dotted(String path) {
    String dots = path.replaceAll("'?]", "").replaceAll("\\['?", ".");
    return dots.startsWith(".") ? dots : "." + dots;
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
    List<String> names = Arrays.asList(schema.fieldNames());
    int found = names.indexOf(column);
    boolean isOne = found >= 0 && found == names.lastIndexOf(column);
    require(
        isOne,
        Kind.ARGUMENT,
        "feed: got %s %s in %s, want one for %s",
        found < 0 ? "no" : "several columns",
        column,
        names,
        argument);
    return found;
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
      appended = appended.add(fetch.column(), fetch.type(), nullable);
    }
    return appended;
  }
}
