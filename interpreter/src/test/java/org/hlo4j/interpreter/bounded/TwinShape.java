package org.hlo4j.interpreter.bounded;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A shape of a bounded program and of its static twin. */
record TwinShape(String type, List<Dim> dims) {
  /**
   * A dimension.
   *
   * @param bound the bound, or the static size
   * @param isDynamic whether it is a bound
   * @param size the size when it runs
   */
  record Dim(long bound, boolean isDynamic, long size) {
    static Dim of(long size) {
      return new Dim(size, false, size);
    }

    /** Returns a static dimension of the bound's size. */
    Dim whole() {
      return of(bound);
    }

    /** Returns a bound that is the size. */
    Dim full() {
      return new Dim(bound, true, bound);
    }

    /** Returns what becomes of it by a function of sizes. */
    Dim mapped(Function<Long, Long> size) {
      return new Dim(size.apply(bound), isDynamic, size.apply(this.size));
    }
  }

  int rank() {
    return dims.size();
  }

  Dim dim(int i) {
    return dims.get(i);
  }

  TwinShape withType(String newType) {
    return new TwinShape(newType, dims);
  }

  TwinShape withDims(List<Dim> newDims) {
    return new TwinShape(type, List.copyOf(newDims));
  }

  TwinShape with(int i, Dim dim) {
    List<Dim> next = new ArrayList<>(dims);
    next.set(i, dim);
    return withDims(next);
  }

  boolean isDynamic() {
    return dims.stream().anyMatch(Dim::isDynamic);
  }

  long elements() {
    return dims.stream().mapToLong(Dim::size).reduce(1, (a, b) -> a * b);
  }

  /** Returns the text of the bounded program: {@code f32[<=4,3]}. */
  String bounded() {
    return text(dim -> (dim.isDynamic() ? "<=" : "") + dim.bound());
  }

  /** Returns the text of the twin: {@code f32[2,3]}. */
  String twin() {
    return text(dim -> "" + dim.size());
  }

  private String text(Function<Dim, String> size) {
    return type + dims.stream().map(size).collect(joining(",", "[", "]"));
  }
}
