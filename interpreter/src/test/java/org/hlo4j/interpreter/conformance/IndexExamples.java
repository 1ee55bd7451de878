package org.hlo4j.interpreter.conformance;

import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.hlo.op.Slice;

/** Ops that take parts of arrays and put them back. */
final class IndexExamples {
  static final ImmutableMap<Class<? extends Op>, Example> TABLE =
      ImmutableMap.ofEntries(
          entry(
              Concatenate.class,
              Example.of(
                  b -> b.concatInDim(List.of(numbers(b), b.constant(new int[] {9})), 0),
                  new int[] {1, 2, 3, 9})),
          entry(
              DynamicReshape.class,
              Example.of(
                  b ->
                      numbers(b)
                          .dynamicReshape(
                              List.of(b.constant(3), b.constant(1)),
                              Shape.of(ElementType.S32, 3, 1)),
                  new int[][] {{1}, {2}, {3}})),
          entry(
              DynamicSlice.class,
              Example.of(
                  b -> numbers(b).dynamicSlice(List.of(b.constant(7)), 2), new int[] {2, 3})),
          entry(
              DynamicUpdateSlice.class,
              Example.of(
                  b -> numbers(b).dynamicUpdateSlice(b.constant(new int[] {9}), b.constant(1)),
                  new int[] {1, 9, 3})),
          entry(
              Gather.class,
              Example.of(
                  b -> {
                    XlaOp rows = b.constant(new int[] {2, 0});
                    XlaOp numbers = numbers(b);
                    return numbers.gather(
                        rows, Gather.takeRows(numbers.arrayShape(), rows.arrayShape()));
                  },
                  new int[] {3, 1})),
          entry(
              GetDimensionSize.class,
              Example.of(
                  b -> numbers(b).setDimensionSize(b.constant(2), 0).getDimensionSize(0), 2)),
          entry(
              Pad.class,
              Example.of(
                  b -> numbers(b).pad(b.constant(7), PadConfig.edges(Dims.of(1), Dims.of(-1))),
                  new int[] {7, 1, 2})),
          entry(Reverse.class, Example.of(b -> numbers(b).rev(0), new int[] {3, 2, 1})),
          entry(
              Scatter.class,
              Example.of(
                  b -> {
                    XlaOp at = b.constant(new int[] {2, 2});
                    XlaOp numbers = numbers(b);
                    return numbers.scatter(
                        at,
                        b.constant(new int[] {10, 20}),
                        XlaOp::add,
                        Scatter.rows(numbers.arrayShape(), at.arrayShape()));
                  },
                  new int[] {1, 2, 33})),
          entry(
              SetDimensionSize.class,
              Example.of(b -> numbers(b).setDimensionSize(b.constant(2), 0), new int[] {1, 2})),
          entry(
              Slice.class,
              Example.of(
                  b -> numbers(b).slice(Dims.of(0), Dims.of(3), Dims.of(2)), new int[] {1, 3})));

  private IndexExamples() {}

  private static XlaOp numbers(XlaBuilder b) {
    return b.constant(new int[] {1, 2, 3});
  }
}
