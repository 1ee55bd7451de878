package org.hlo4j.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.spark.Scoring.Entry;
import org.hlo4j.spark.Scoring.Label;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;
import scala.runtime.AbstractFunction1;

/** The rows of a partition with the results of each, in their order. */
final class Batches extends AbstractIterator<Object> {
  /** Rows of other sizes are batches of their own, so more rows are read before any is scored. */
  private static final int OPEN_WINDOW = 8;

  private final Task task;
  private final int window;
  private final scala.collection.Iterator<Object> rows;
  private Iterator<Entry> scored = Collections.emptyIterator();
  private long position;

  private Batches(Task task, scala.collection.Iterator<Object> rows) {
    this.task = task;
    this.window = (task.scoring.isOpen() ? OPEN_WINDOW : 1) * task.scoring.rows();
    this.rows = rows;
  }

  /** What a task does with its partition. */
  static final class Task
      extends AbstractFunction1<
          scala.collection.Iterator<Object>, scala.collection.Iterator<Object>>
      implements Serializable {
    private static final long serialVersionUID = 1;

    private final Scoring scoring;
    private final @Nullable Label label;

    /**
     * @param scoring how rows are scored
     * @param label by which a message names a row
     */
    Task(Scoring scoring, @Nullable Label label) {
      this.scoring = scoring;
      this.label = label;
    }

    @Override
    public scala.collection.Iterator<Object> apply(scala.collection.Iterator<Object> rows) {
      return new Batches(this, rows);
    }
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
    return new JoinedRow(entry.row(), entry.results());
  }

  private Iterator<Entry> nextWindow() {
    Set<Entry> all = new LinkedHashSet<>();
    List<Entry> valid = new ArrayList<>();
    while (all.size() < window && rows.hasNext()) {
      Entry entry = task.scoring.entry(position++, (InternalRow) rows.next());
      all.add(entry);
      try {
        task.scoring.read(entry);
        valid.add(entry);
      } catch (InvalidRow refusal) {
        refuse(entry, refusal, all);
      }
    }
    task.scoring.score(valid, (entry, refusal) -> refuse(entry, refusal, all));
    return all.iterator();
  }

  private void refuse(Entry entry, InvalidRow refusal, Set<Entry> all) {
    switch (task.scoring.invalid()) {
      case KEEP -> {}
      case SKIP -> all.remove(entry);
      case ERROR ->
          throw new HloException(
              Kind.ARGUMENT,
              String.format(
                  "row %s of partition %s%s: %s",
                  entry.position(),
                  TaskContext.getPartitionId(),
                  task.label == null ? "" : " (" + task.label.of(entry.row()) + ")",
                  refusal.getMessage()));
    }
  }
}
