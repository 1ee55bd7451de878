package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/**
 * Makes long rows of short ones, where what is read is either another part of an array for each row
 * or the same for all: several rows become one, over copies of what is the same, one behind the
 * other.
 */
final class Repeats {
  /** Longer rows are long enough: beginning one takes no longer than memory does. */
  private static final int LONGEST_SHORT = 15;

  private static final int LONG = 1024;

  /** Of fewer elements it does not pay. */
  private static final long ENOUGH = 1 << 16;

  /**
   * Copies of a part of an input.
   *
   * @param input its number
   * @param type what it holds
   * @param from where the part begins
   * @param length how many elements it has
   * @param times how many copies there are
   */
  record Copy(int input, ElementType type, int from, int length, int times) {
    /** The copies. */
    Object of(Object[] arrays) {
      Object copies = Storages.allocate(type, length * times);
      for (int k = 0; k < times; k++) {
        System.arraycopy(arrays[input], from, copies, k * length, length);
      }
      return copies;
    }
  }

  private final int firstCopy;
  private final List<Copy> copies = new ArrayList<>();

  /** Makes rows longer; copies are numbered from the first on. */
  Repeats(int firstCopy) {
    this.firstCopy = firstCopy;
  }

  /** What is to be copied for the parts so far. */
  ImmutableList<Copy> copies() {
    return ImmutableList.copyOf(copies);
  }

  /** A part with longer rows, or itself. */
  Part longer(Part part) {
    Nest nest = new Nest(part);
    if (nest.loops() < 2
        || nest.innerCount() > LONGEST_SHORT
        || part.domain().elements() < ENOUGH
        || !part.starts().isEmpty()) {
      return part;
    }
    int inner = (int) nest.innerCount();
    int times = times(nest.counts().get(nest.loops() - 2), LONG / inner);
    return times > 1 ? new Rows(part, nest, inner, times).longer() : part;
  }

  /** The most that divides a number of rows. */
  private static int times(long rows, int most) {
    int times = most;
    while (rows % times != 0) {
      times--;
    }
    return times;
  }

  private int copy(Copy copy) {
    if (!copies.contains(copy)) {
      copies.add(copy);
    }
    return firstCopy + copies.indexOf(copy);
  }

  /** The rows of a part. */
  private final class Rows {
    private final Part part;
    private final Nest nest;
    private final int inner;
    private final int times;
    private final int last;
    private final IdentityHashMap<Node, Node> known = new IdentityHashMap<>();
    private boolean isApart;

    Rows(Part part, Nest nest, int inner, int times) {
      this.part = part;
      this.nest = nest;
      this.inner = inner;
      this.times = times;
      this.last = nest.loops() - 1;
    }

    Part longer() {
      int before = copies.size();
      ImmutableLongArray.Builder counts = ImmutableLongArray.builder();
      nest.counts().subArray(0, last - 1).forEach(counts::add);
      counts.add(nest.counts().get(last - 1) / times).add((long) inner * times);
      Domain domain = new Domain(counts.build(), moved(nest.position(part.domain().position())));
      ImmutableList<Node> values =
          part.values().stream().map(this::value).collect(ImmutableList.toImmutableList());
      if (isApart) {
        copies.subList(before, copies.size()).clear();
        return part;
      }
      return new Part(domain, part.starts(), values, part.targets(), part.observesNanBits());
    }

    private boolean goesOn(Affine position) {
      return position.coefficient(last - 1) == position.coefficient(last) * inner;
    }

    /** A position that goes on from row to row. */
    private Affine moved(Affine position) {
      isApart |= !goesOn(position);
      return position.with(last - 1, position.coefficient(last - 1) * times);
    }

    private Node value(Node node) {
      Node value = known.get(node);
      if (value == null) {
        value =
            switch (node) {
              case Node.Read read -> read(read, nest.position(read.position()));
              case Node.Immediate immediate -> immediate;
              case Node.Count count ->
                  new Node.Count(count.type(), moved(nest.position(count.value())));
              case Node.Apply apply ->
                  new Node.Apply(
                      apply.op(),
                      apply.type(),
                      apply.operands().stream()
                          .map(this::value)
                          .collect(ImmutableList.toImmutableList()));
            };
        known.put(node, value);
      }
      return value;
    }

    private Node.Read read(Node.Read read, Affine position) {
      if (goesOn(position) || !position.equals(Affine.counter(last).plus(position.base()))) {
        return new Node.Read(read.input(), read.type(), moved(position));
      }
      Copy copy = new Copy(read.input(), read.type(), (int) position.base(), inner, times);
      return new Node.Read(copy(copy), read.type(), Affine.counter(last));
    }
  }
}
