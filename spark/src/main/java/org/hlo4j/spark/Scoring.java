package org.hlo4j.spark;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.jspecify.annotations.Nullable;

/**
 * How rows are scored: what a task is sent.
 *
 * @param model the model
 * @param feeds the columns that are arguments
 * @param fetches the results that are columns
 * @param rows of a batch
 * @param isStatic whether the function takes that many and no others
 * @param invalid what happens to rows that do not suit the function
 */
record Scoring(
    Models.Sent model,
    ImmutableList<Feed> feeds,
    ImmutableList<Fetch> fetches,
    int rows,
    boolean isStatic,
    InvalidRows invalid)
    implements Serializable {
  /** A batch with at most one row in so many is padded to a smaller size. */
  private static final int STEP = 16;

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
      return " (" + column + " " + Ascii.truncate(text, 40, "...") + ")";
    }
  }

  /** Returns the first column of names or integers that is not fed; null if there is none. */
  @Nullable Label label(StructType schema) {
    for (int i = 0; i < schema.size(); i++) {
      int ordinal = i;
      DataType type = schema.fields()[i].dataType();
      boolean isInteger = Numbers.of(type).filter(each -> each.element().isIntegral()).isPresent();
      if ((isInteger || type.equals(DataTypes.StringType))
          && feeds.stream().noneMatch(feed -> feed.ordinal() == ordinal)) {
        return new Label(schema.fieldNames()[i], i, type);
      }
    }
    return null;
  }

  /** A row on its way through the function. */
  static final class Entry {
    final InternalRow row;

    /** One for each fetch, null until they are known. */
    final InternalRow results;

    /** One for each feed. */
    private ImmutableList<Literal> values = ImmutableList.of();

    /** Why the row does not suit the function, if it does not. */
    @Nullable String refusal;

    Entry(InternalRow row, int fetches) {
      this.row = row;
      this.results = new GenericInternalRow(fetches);
    }

    private List<Shape> shapes() {
      return values.stream().map(Literal::shape).toList();
    }
  }

  /** Returns a row with its values, without results yet. */
  Entry read(InternalRow row) {
    Entry entry = new Entry(row, fetches.size());
    try {
      ImmutableList.Builder<Literal> values = ImmutableList.builder();
      for (Feed feed : feeds) {
        values.add(feed.read(row));
      }
      entry.values = values.build();
    } catch (InvalidRow refusal) {
      entry.refusal = refusal.getMessage();
    }
    return entry;
  }

  /** Returns whether rows may have other sizes than rows before. */
  boolean isDynamic() {
    return feeds.stream().anyMatch(feed -> !feed.argument().isStatic());
  }

  /** Computes the results of rows that were read. Those of the same sizes are batches. */
  void score(List<Entry> entries) {
    Collection<List<Entry>> groups =
        entries.stream()
            .filter(entry -> entry.refusal == null)
            .collect(Collectors.groupingBy(Entry::shapes))
            .values();
    JaxFunction function = model.function();
    for (List<Entry> group : groups) {
      Lists.partition(group, rows).forEach(batch -> score(function, batch));
    }
  }

  private void score(JaxFunction function, List<Entry> batch) {
    try {
      List<Literal> all = function.callFlat(arguments(batch));
      for (int i = 0; i < fetches.size(); i++) {
        Fetch fetch = fetches.get(i);
        Literal result = fetch.converted(all.get(fetch.result().index()));
        for (int row = 0; row < batch.size(); row++) {
          batch.get(row).results.update(i, fetch.value(result, row));
        }
      }
    } catch (HloException refusal) {
      if (refusal.kind() != Kind.ARGUMENT || !isDynamic()) {
        throw refusal;
      }
      batch.forEach(entry -> entry.refusal = refusal.summary());
    }
  }

  private List<Literal> arguments(List<Entry> batch) {
    int padded = isStatic ? rows : padded(batch.size());
    List<Literal> arguments = new ArrayList<>();
    for (int i = 0; i < feeds.size(); i++) {
      int feed = i;
      List<Literal> values = batch.stream().map(entry -> entry.values.get(feed)).toList();
      Literal packed = feeds.get(i).numbers().stacked(values, padded);
      arguments.add(packed.convertElementType(feeds.get(i).argument().type()));
    }
    return arguments;
  }

  /** Returns how many rows a batch is made: as many as fit, or a 16th of that, and so on. */
  private int padded(int count) {
    int size = rows;
    while (size >= STEP && count <= size / STEP) {
      size /= STEP;
    }
    return size;
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
