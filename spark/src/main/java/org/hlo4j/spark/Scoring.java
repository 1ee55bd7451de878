package org.hlo4j.spark;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.LongAccumulator;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * How rows are scored: what a task is sent.
 *
 * @param model the bytes of the model
 * @param hash of these bytes
 * @param reads counts how often a JVM reads them
 * @param evaluator by name
 * @param feeds the columns that are arguments
 * @param fetches the results that are columns
 * @param rows of a batch
 * @param isStatic whether the function takes that many and no others
 * @param invalid what happens to rows that do not suit the function
 */
record Scoring(
    Broadcast<byte[]> model,
    String hash,
    LongAccumulator reads,
    String evaluator,
    ImmutableList<Feed> feeds,
    ImmutableList<Fetch> fetches,
    int rows,
    boolean isStatic,
    InvalidRows invalid)
    implements Serializable {
  /** Returns the column by which a person tells rows apart: the first of names or integers. */
  static Optional<Label> label(StructType schema, ImmutableList<Feed> feeds) {
    for (int i = 0; i < schema.size(); i++) {
      int ordinal = i;
      DataType type = schema.fields()[i].dataType();
      boolean isName = type.equals(DataTypes.StringType);
      if ((isName || Numbers.of(type).filter(Numbers::isIntegral).isPresent())
          && feeds.stream().noneMatch(feed -> feed.ordinal() == ordinal)) {
        return Optional.of(new Label(schema.fieldNames()[i], i, type));
      }
    }
    return Optional.empty();
  }

  /**
   * A column by which a person tells rows apart.
   *
   * @param column its name
   * @param ordinal where it is in a row
   * @param type its type
   */
  record Label(String column, int ordinal, DataType type) implements Serializable {
    String of(InternalRow row) {
      String text = row.isNullAt(ordinal) ? "null" : row.get(ordinal, type).toString();
      return column + " " + Ascii.truncate(text, 40, "...");
    }
  }

  /** A batch with at most one row in so many is padded to a smaller size. */
  private static final int STEP = 16;

  /**
   * A row on its way through the function.
   *
   * @param position in its partition
   * @param row the row of the table
   * @param values one for each feed
   * @param results one for each fetch, null until they are known
   */
  record Entry(long position, InternalRow row, List<Feed.Value> values, InternalRow results) {
    ImmutableList<ImmutableList<Long>> sizes() {
      return values.stream().map(Feed.Value::sizes).collect(toImmutableList());
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(position);
    }
  }

  /** Returns a row without results yet, whose values are to be added. */
  Entry entry(long position, InternalRow row) {
    return new Entry(
        position, row, new ArrayList<>(feeds.size()), new GenericInternalRow(fetches.size()));
  }

  /** Adds the values of a row. */
  void read(Entry entry) throws InvalidRow {
    for (Feed feed : feeds) {
      entry.values.add(feed.read(entry.row));
    }
  }

  /** Returns whether rows may have other sizes than rows before. */
  boolean isOpen() {
    return feeds.stream().anyMatch(feed -> !feed.argument().isStatic());
  }

  /**
   * Computes the results of rows. Those of the same sizes are batches.
   *
   * @param refused gets the rows whose sizes the function refuses
   */
  void score(List<Entry> entries, BiConsumer<Entry, InvalidRow> refused) {
    Map<ImmutableList<ImmutableList<Long>>, List<Entry>> groups = new LinkedHashMap<>();
    for (Entry entry : entries) {
      groups.computeIfAbsent(entry.sizes(), _ -> new ArrayList<>()).add(entry);
    }
    Models.Model read = read();
    for (List<Entry> group : groups.values()) {
      Lists.partition(group, rows).forEach(batch -> score(read, batch, refused));
    }
  }

  private Models.Model read() {
    TaskContext task = TaskContext.get();
    int threads = task == null ? 1 : task.cpus();
    return Models.get(
        new Models.Key(hash, evaluator, threads),
        () -> {
          reads.add(1);
          return model.value();
        });
  }

  private void score(Models.Model read, List<Entry> batch, BiConsumer<Entry, InvalidRow> refused) {
    List<Literal> results;
    try {
      results = run(read, batch);
    } catch (HloException refusal) {
      if (refusal.kind() != Kind.ARGUMENT || !isOpen()) {
        throw refusal;
      }
      InvalidRow reason = new InvalidRow(refusal.summary());
      batch.forEach(entry -> refused.accept(entry, reason));
      return;
    }
    for (int row = 0; row < batch.size(); row++) {
      for (int i = 0; i < fetches.size(); i++) {
        Fetch fetch = fetches.get(i);
        batch.get(row).results.update(i, fetch.value(results.get(fetch.result().index()), row));
      }
    }
  }

  private List<Literal> run(Models.Model read, List<Entry> batch) {
    int padded = isStatic ? rows : padded(batch.size());
    List<Literal> leaves = new ArrayList<>();
    for (int i = 0; i < feeds.size(); i++) {
      leaves.add(packed(feeds.get(i).argument(), batch, i, padded));
    }
    List<?> arguments = (List<?>) read.export().inTree().unflatten(leaves.iterator());
    Object result = read.function().call((List<?>) arguments.get(0), asKeywords(arguments.get(1)));
    return read.export().outTree().flatten(result, "result");
  }

  @SuppressWarnings("unchecked") // the tree of keywords is a dictionary
  private static Map<String, ?> asKeywords(Object keywords) {
    return (Map<String, ?>) keywords;
  }

  /** Returns how many rows a batch is made: as many as fit, or a 16th of that, and so on. */
  private int padded(int count) {
    int size = rows;
    while (size >= STEP && count <= size / STEP) {
      size /= STEP;
    }
    return size;
  }

  /** Returns an argument; rows that are too few are copies of the last one. */
  private static Literal packed(Argument argument, List<Entry> batch, int feed, int padded) {
    Shape.Array shape = shape(argument, padded, batch.get(0).values.get(feed).sizes());
    Object storage = LiteralBuilder.newStorage(shape);
    int elements = (int) (shape.elementCount() / padded);
    for (int row = 0; row < padded; row++) {
      Entry entry = batch.get(Math.min(row, batch.size() - 1));
      Elements.copy(entry.values.get(feed).elements(), argument.type(), storage, row * elements);
    }
    return Literal.unsafeOf(shape, storage);
  }

  private static Shape.Array shape(Argument argument, int rows, List<Long> sizes) {
    return Shape.of(
        argument.type(),
        LongStream.concat(LongStream.of(rows), sizes.stream().mapToLong(size -> size)).toArray());
  }

  /**
   * Returns an exception of the JDK's. A driver whose jars came later than it started cannot read
   * others from its tasks, and would only tell of an unknown reason.
   */
  static RuntimeException toldToDriver(HloException refusal) {
    RuntimeException told = new IllegalArgumentException(refusal.getMessage());
    told.setStackTrace(refusal.getStackTrace());
    return told;
  }
}
