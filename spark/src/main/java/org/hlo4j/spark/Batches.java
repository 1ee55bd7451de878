package org.hlo4j.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.spark.Scoring.Entry;
import org.hlo4j.spark.Scoring.Label;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;

/** The rows of a partition with the results of each, in their order. */
final class Batches extends AbstractIterator<Object> {
  /** Rows of other sizes are batches of their own, so more rows are read before any is scored. */
  private static final int DYNAMIC_WINDOW = 8;

  private final Scoring scoring;
  private final @Nullable Label label;
  private final int window;
  private final scala.collection.Iterator<Object> rows;
  private Iterator<Entry> scored = Collections.emptyIterator();
  private long position;

  /**
   * @param scoring how rows are scored
   * @param label by which a message names a row
   * @param rows the rows
   */
  Batches(Scoring scoring, @Nullable Label label, scala.collection.Iterator<Object> rows) {
    this.scoring = scoring;
    this.label = label;
    this.window = (scoring.isDynamic() ? DYNAMIC_WINDOW : 1) * scoring.rows();
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    try {
      while (!scored.hasNext() && rows.hasNext()) {
        scored = nextWindow();
      }
    } catch (HloException refusal) {
      throw Scoring.toldToDriver(refusal);
    }
    return scored.hasNext();
  }

  @Override
  public Object next() {
    hasNext();
    Entry entry = scored.next();
    return new JoinedRow(entry.row, entry.results);
  }

  private Iterator<Entry> nextWindow() {
    List<Entry> read = new ArrayList<>();
    while (read.size() < window && rows.hasNext()) {
      read.add(scoring.read((InternalRow) rows.next()));
    }
    scoring.score(read);
    List<Entry> kept = new ArrayList<>();
    for (Entry entry : read) {
      if (isKept(entry, position++)) {
        kept.add(entry);
      }
    }
    return kept.iterator();
  }

  private boolean isKept(Entry entry, long number) {
    if (entry.refusal != null && scoring.invalid() == InvalidRows.ERROR) {
      String row = "row " + number + " of partition " + TaskContext.getPartitionId();
      String name = label == null ? "" : label.of(entry.row);
      throw new HloException(Kind.ARGUMENT, row + name + ": " + entry.refusal);
    }
    return entry.refusal == null || scoring.invalid() == InvalidRows.KEEP;
  }
}
