package org.hlo4j.stablehlo.mlir;

import com.google.common.base.Joiner;
import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;

/**
 * The bracket structure of {@code dense<[[1, 2], [3, 4]]>}: the number of elements in each
 * dimension.
 *
 * @param sizes the number of elements in each dimension, none of a splat
 * @param isSplat whether there is a single element without brackets, which stands for all
 */
record DenseText(ImmutableList<Long> sizes, boolean isSplat) {
  /** No elements at all. */
  static final DenseText EMPTY = new DenseText(ImmutableList.of(0L), false);

  private static final int MAX_RANK = 64;

  /** Returns whether the sizes are those of a type. */
  boolean suits(Type.Tensor type) {
    return isSplat
        || (sizes.contains(0L) && type.sizes().contains(0L))
        || sizes.equals(type.sizes());
  }

  /** Returns the sizes as {@code 2x3}. */
  @Override
  public String toString() {
    return Joiner.on('x').join(sizes);
  }

  /** Scans the text from here up to the closing angle bracket, which is not consumed. */
  static DenseText scan(TextScanner in) {
    if (in.peek() == '>') {
      return EMPTY;
    }
    if (in.peek() != '[') {
      element(in);
      return new DenseText(ImmutableList.of(), true);
    }
    List<Long> sizes = new ArrayList<>();
    list(in, sizes, 0);
    return new DenseText(ImmutableList.copyOf(sizes), false);
  }

  private static void list(TextScanner in, List<Long> sizes, int depth) {
    int start = in.skip();
    in.require(depth < MAX_RANK, start, "got more than %s dimensions, want fewer", MAX_RANK);
    in.expect('[');
    boolean first = sizes.size() == depth;
    if (first) {
      sizes.add(0L);
    }
    long count = in.peek() == ']' ? 0 : items(in, sizes, depth);
    in.expect(']');
    if (first) {
      sizes.set(depth, count);
    } else if (sizes.get(depth) != count) {
      throw in.wrongAt(
          start, "got a list of %s, want %s as in those before", count, sizes.get(depth));
    }
  }

  private static long items(TextScanner in, List<Long> sizes, int depth) {
    boolean innermost = in.peek() != '[';
    if (innermost != (sizes.size() == depth + 1) && (innermost || sizes.get(depth) != 0)) {
      throw in.wrong(innermost ? "[ as in the lists before" : "an element as in those before");
    }
    long count = 0;
    do {
      if (innermost) {
        element(in);
      } else {
        list(in, sizes, depth + 1);
      }
      count++;
    } while (in.eat(','));
    return count;
  }

  private static void element(TextScanner in) {
    if (in.eat('(')) {
      number(in);
      in.expect(',');
      number(in);
      in.expect(')');
    } else {
      number(in);
    }
  }

  private static void number(TextScanner in) {
    int start = in.skip();
    while (isNumberPart(in.charAt(in.at))) {
      in.at++;
    }
    if (in.at == start) {
      throw in.wrong("a number");
    }
  }

  /** Returns whether a character may be part of a number, {@code true} or {@code false}. */
  static boolean isNumberPart(char c) {
    return TextScanner.isDigit(c)
        || c == '.'
        || c == '-'
        || c == '+'
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z');
  }
}
