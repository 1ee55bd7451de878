package org.hlo4j.interpreter.conformance;

import static java.util.Map.entry;

import com.google.common.collect.ImmutableMap;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;

/** Ops that make, convert, choose or move elements, one by one. */
final class BasicExamples {
  static final ImmutableMap<Class<? extends Op>, Example> TABLE =
      ImmutableMap.ofEntries(
          entry(
              BitcastConvert.class,
              Example.of(b -> b.constant(1f).bitcastConvertType(ElementType.S32), 0x3f800000)),
          entry(
              Broadcast.class,
              Example.of(
                  b -> b.constant(new int[] {1, 2}).broadcast(2), new int[][] {{1, 2}, {1, 2}})),
          entry(Clamp.class, Example.of(b -> b.constant(7).clamp(b.constant(0), b.constant(5)), 5)),
          entry(Compare.class, Example.of(b -> b.constant(1).lt(b.constant(2)), true)),
          entry(Constant.class, Example.of(b -> b.constant(new int[] {1, 2}), new int[] {1, 2})),
          entry(
              Convert.class,
              Example.of(b -> b.constant(1.75f).convertElementType(ElementType.S32), 1)),
          entry(Copy.class, Example.of(b -> b.constant(4).copy(), 4)),
          entry(
              GetTupleElement.class,
              Example.of(b -> b.tuple(b.constant(1), b.constant(2)).getTupleElement(1), 2)),
          entry(Iota.class, Example.of(b -> b.iota(ElementType.S32, 3), new int[] {0, 1, 2})),
          entry(
              Map.class,
              Example.of(b -> b.constant(new int[] {1, 2}).map(XlaOp::neg), new int[] {-1, -2})),
          entry(
              Parameter.class, Example.of(b -> b.parameter(0, Shape.of(ElementType.S32), "x"), 42)),
          entry(ReducePrecision.class, Example.of(b -> b.constant(1.2f).reducePrecision(8, 1), 1f)),
          entry(
              Reshape.class,
              Example.of(b -> b.constant(new int[] {1, 2}).reshape(2, 1), new int[][] {{1}, {2}})),
          entry(
              Rng.class,
              Example.of(
                  b -> b.rngUniform(b.constant(3), b.constant(4), Shape.of(ElementType.S32)), 3)),
          entry(
              RngBitGenerator.class,
              Example.of(
                  b ->
                      b.rngBitGenerator(
                          RngBitGenerator.Algorithm.RNG_THREE_FRY,
                          b.constant(ElementType.U64, new long[] {1, 2}),
                          Shape.of(ElementType.U32)),
                  Literal.tuple(
                      Literal.of(ElementType.U64, new long[] {1, 3}), Example.u32(43444564)))),
          entry(
              RngGetAndUpdateState.class,
              Example.of(
                  b -> b.rngGetAndUpdateState(4),
                  Literal.of(ElementType.U64, new long[] {117515157, 0}))),
          entry(
              Select.class,
              Example.of(b -> b.constant(false).select(b.constant(1), b.constant(2)), 2)),
          entry(
              StochasticConvert.class,
              Example.of(
                  b ->
                      b.constant(0.5f)
                          .stochasticConvertType(b.constant(Example.u32(0)), ElementType.S32),
                  1)),
          entry(
              Transpose.class,
              Example.of(
                  b -> b.constant(new int[][] {{1, 2}}).transpose(1, 0), new int[][] {{1}, {2}})),
          entry(
              Tuple.class,
              Example.of(
                  b -> b.tuple(b.constant(1), b.constant(true)),
                  Literal.tuple(Literal.of(1), Literal.of(true)))));

  private BasicExamples() {}
}
