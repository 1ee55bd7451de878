package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.byName;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.explicit;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.none;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.pdpd;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * The complete messages of broadcasting policy errors: the alignment by the policy's own rule, and
 * valid alternatives. Line numbers of this file are replaced by {@code LINE}.
 */
final class PolicyRefusalsTest {
  /** A user-defined policy that returns an invalid placement. */
  private record Lying() implements BroadcastPolicy {
    @Override
    public Placement place(ImmutableList<Operand> operands) {
      return new Placement(Dims.of(2, 3), ImmutableList.of(Dims.of(0, 1), Dims.of(1)));
    }

    @Override
    public String toString() {
      return "lying";
    }
  }

  private final XlaBuilder b = new XlaBuilder("t");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 2, 3), "x");
  private final XlaOp v = b.parameter(1, Shape.of(F32, 2), "v");
  private final XlaOp w = b.parameter(2, Shape.of(F32, 3), "w");
  private final XlaOp q = b.parameter(3, Shape.of(F32, 8, 1, 6, 1), "q");
  private final XlaOp r = b.parameter(4, Shape.of(F32, 7, 1, 5), "r");
  private final XlaOp p = b.parameter(5, Shape.of(PRED, 4), "p");
  private final XlaOp i = b.parameter(6, Shape.of(S32, 2, 3), "i");
  private final XlaOp d = b.parameter(8, Shape.of(F32, 2, 3).withDynamic(List.of(0)), "d");

  private static void refused(Executable call, String message) {
    HloException refusal = assertThrows(HloException.class, call);
    String told = refusal.getMessage().replaceAll("PolicyRefusalsTest.java:\\d+", "LINE");
    assertThat(told + "\n").isEqualTo(message);
  }

  @Test
  void numpyMismatch() {
    refused(
        () -> x.add(v, numpy()),
        """
        add: cannot broadcast x with v by numpy(): dimension 0 of v has size 2, dimension 1 of x has size 3, want equal sizes or 1 [numpy N1]
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
              dim 0   dim 1
          x       2       3
          v               2   from the right
                          ^
          fits: explicit(0) or pdpd(0)
          at LINE
        """);
  }

  @Test
  void numpyMismatchWithAnOperandOfHigherRank() {
    refused(
        () -> v.add(x, numpy()),
        """
        add: cannot broadcast v with x by numpy(): dimension 1 of x has size 3, dimension 0 of v has size 2, want equal sizes or 1 [numpy N1]
          v   f32[2]     parameter 1   LINE
          x   f32[2,3]   parameter 0   LINE
              dim 0   dim 1
          v               2   from the right
          x       2       3
                          ^
          fits: explicit(0)
          at LINE
        """);
  }

  @Test
  void sixteenDimensionsAreDrawn() {
    long[] sizes = new long[16];
    Arrays.fill(sizes, 2);
    XlaOp many = b.parameter(9, Shape.of(F32, sizes), "m");
    HloException refusal = assertThrows(HloException.class, () -> many.add(w, numpy()));
    assertThat(refusal).hasMessageThat().contains("  dim 15\n");
    XlaOp more = b.parameter(10, Shape.of(F32, Dims.of(sizes).inserted(0, 2)), "n");
    refused(
        () -> more.add(w, numpy()),
        """
        add: cannot broadcast n with w by numpy(): dimension 0 of w has size 3, dimension 16 of n has size 2, want equal sizes or 1 [numpy N1]
          n   f32[2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]   parameter 10   LINE
          w   f32[3]                                   parameter 2    LINE
          no policy fits
          at LINE
        """);
  }

  /** There are 155 million ways to map the 15 dimensions of size 2 to the 30. */
  @Test
  void searchForMappingsGivesUp() {
    long[] sizes = new long[30];
    Arrays.fill(sizes, 2);
    XlaOp many = b.parameter(9, Shape.of(F32, sizes), "m");
    long[] last = Arrays.copyOf(sizes, 16);
    last[15] = 3;
    XlaOp other = b.parameter(10, Shape.of(F32, last), "n");
    HloException refusal = assertThrows(HloException.class, () -> many.add(other, numpy()));
    assertThat(refusal).hasMessageThat().contains("no policy fits");
  }

  @Test
  void pdpdMismatch() {
    refused(
        () -> q.add(r, pdpd(1)),
        """
        add: cannot broadcast r onto q by pdpd(1): dimension 0 of r has size 7, dimension 1 of q has size 1, want equal sizes, or 1 in r to be stretched [pdpd P4]
          q   f32[8,1,6,1]   parameter 3   LINE
          r   f32[7,1,5]     parameter 4   LINE
              dim 0   dim 1   dim 2   dim 3
          q       8       1       6       1
          r               7       1       5   from axis 1
                          ^
          fits: numpy() or explicit(1, 2, 3)
          at LINE
        """);
  }

  @Test
  void pdpdRank() {
    refused(
        () -> r.add(q, pdpd()),
        """
        add: cannot broadcast q onto r by pdpd(): rank of q got 4, want at most 3 [pdpd P1]
          r   f32[7,1,5]     parameter 4   LINE
          q   f32[8,1,6,1]   parameter 3   LINE
              dim 0   dim 1   dim 2   dim 3
          r       7       1       5
          q       8       1       6       1   from axis 0
          fits: numpy() or explicit(1, 2, 3)
          at LINE
        """);
  }

  @Test
  void pdpdNegativeAxis() {
    refused(
        () -> x.add(v, pdpd(-2)),
        """
        add: cannot broadcast v onto x by pdpd(-2): axis got -2, want a dimension of x, or -1 for as far right as v goes [pdpd P2]
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
          fits: explicit(0) or pdpd(0)
          at LINE
        """);
  }

  @Test
  void pdpdAxisTooLarge() {
    refused(
        () -> x.add(w, pdpd(2)),
        """
        add: cannot broadcast w onto x by pdpd(2): axis got 2, want at most 1, so that w ends within the 2 dimensions of x [pdpd P3]
          x   f32[2,3]   parameter 0   LINE
          w   f32[3]     parameter 2   LINE
              dim 0   dim 1   dim 2
          x       2       3
          w                       3   from axis 2
                                  ^
          fits: numpy() or explicit(1) or pdpd(1)
          at LINE
        """);
  }

  @Test
  void nonePolicySizeMismatch() {
    refused(
        () -> x.add(v, none()),
        """
        add: cannot broadcast v onto x by none(): v got f32[2], want the sizes of x, which has f32[2,3] [none N1]
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
              dim 0   dim 1
          x       2       3
          v       2
                          ^
          fits: explicit(0) or pdpd(0)
          at LINE
        """);
  }

  @Test
  void nonePolicyOperandOfHigherRank() {
    refused(
        () -> v.add(x, none()),
        """
        add: cannot broadcast x onto v by none(): x got f32[2,3], want the sizes of v, which has f32[2] [none N1]
          v   f32[2]     parameter 1   LINE
          x   f32[2,3]   parameter 0   LINE
              dim 0   dim 1
          v       2
          x       2       3
                          ^
          fits: explicit(0)
          at LINE
        """);
  }

  @Test
  void fourPoliciesFit() {
    XlaOp one = b.parameter(9, Shape.of(F32, 1, 1), "one");
    refused(
        () -> x.add(one, none()),
        """
        add: cannot broadcast one onto x by none(): one got f32[1,1], want the sizes of x, which has f32[2,3] [none N1]
          x     f32[2,3]   parameter 0   LINE
          one   f32[1,1]   parameter 9   LINE
                dim 0   dim 1
          x         2       3
          one       1       1
                    ^
          fits: numpy() or pdpd(0) or pdpd(1) or others
          at LINE
        """);
  }

  @Test
  void explicitOfThreeOperandsOfOneRank() {
    refused(
        () -> x.lt(x).select(x, x, explicit(1, 0)),
        """
        select: cannot broadcast compare onto x: both have rank 2, broadcast_dimensions got (1, 0), want none or (0, 1) [broadcast B1]
          compare   pred[2,3]   compare       LINE
          x         f32[2,3]    parameter 0   LINE
          fits: numpy() or pdpd(0)
          at LINE
        """);
  }

  @Test
  void explicitIsNull() {
    HloException refusal =
        assertThrows(HloException.class, () -> explicit(Refusals.nullOf(Dims.class)));
    assertThat(refusal).hasMessageThat().startsWith("explicit: dimensions are null, want a tuple");
  }

  @Test
  void explicitMismatch() {
    refused(
        () -> x.add(v, explicit(1)),
        """
        add: cannot broadcast v onto x: dimension 0 of v has size 2, dimension 1 of x has size 3, want equal sizes or 1 [broadcast B6]
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
              dim 0   dim 1
          x       2       3
          v               2   broadcast_dimensions (1)
                          ^
          fits: broadcast_dimensions (0)
          at LINE
        """);
  }

  @Test
  void selectOfThreeOperands() {
    refused(
        () -> p.select(x, w, numpy()),
        """
        select: cannot broadcast x with p by numpy(): dimension 0 of p has size 4, dimension 1 of x has size 3, want equal sizes or 1 [numpy N1]
          p   pred[4]    parameter 5   LINE
          x   f32[2,3]   parameter 0   LINE
          w   f32[3]     parameter 2   LINE
              dim 0   dim 1
          x       2       3
          p               4   from the right
          w               3   from the right
                          ^
          no policy fits
          at LINE
        """);
  }

  @Test
  void selectNeedsPred() {
    refused(
        () -> i.select(x, w, numpy()),
        """
        select: element type of pred got s32, want pred [select C1]
          i   s32[2,3]   parameter 6   LINE
          x   f32[2,3]   parameter 0   LINE
          w   f32[3]     parameter 2   LINE
          at LINE
        """);
  }

  @Test
  void clampElementTypeMismatch() {
    refused(
        () -> x.clamp(p, w, numpy()),
        """
        clamp: element types of p and x got pred and f32, want the same
          p   pred[4]    parameter 5   LINE
          x   f32[2,3]   parameter 0   LINE
          w   f32[3]     parameter 2   LINE
          fits: x.convertElementType(PRED) or p.convertElementType(F32)
          at LINE
        """);
  }

  @Test
  void compareElementTypeMismatch() {
    refused(
        () -> x.lt(i, pdpd()),
        """
        compare: element types of x and i got f32 and s32, want the same
          x   f32[2,3]   parameter 0   LINE
          i   s32[2,3]   parameter 6   LINE
          fits: i.convertElementType(F32) or x.convertElementType(S32)
          at LINE
        """);
  }

  @Test
  void operandTypeIsChecked() {
    refused(
        () -> p.sub(p, numpy()),
        """
        subtract: element type of p got pred, want signed integer, unsigned integer, float, complex
          p   pred[4]   parameter 5   LINE
          at LINE
        """);
  }

  @Test
  void missingNames() {
    refused(
        () -> x.add(v, byName()),
        """
        add: cannot broadcast x by byName(): names of its dimensions got (?, ?), want one for dimension 0 as well [by-name M1]
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
          fits: x.named("...", "...")
          at LINE
        """);
  }

  @Test
  void nameClash() {
    refused(
        () -> x.named("batch", "features").add(v.named("features"), byName()),
        """
        add: cannot broadcast x with v by byName(): dimension features has size 3 in x (named at LINE) and size 2 in v (named at LINE), want one size for a name [by-name M2]
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
              batch   features
          x       2          3
          v                  2
                             ^
          fits: explicit(0) or pdpd(0)
          at LINE
        """);
  }

  /** The third operand has no part in it and is not drawn. */
  @Test
  void nameClashOfTwoOfThree() {
    refused(
        () -> x.named("batch", "a").clamp(w.named("a"), v.named("a"), byName()),
        """
        clamp: cannot broadcast x with v by byName(): dimension a has size 3 in x (named at LINE) and size 2 in v (named at LINE), want one size for a name [by-name M2]
          w   f32[3]     parameter 2   LINE
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
              batch   a
          x       2   3
          v           2
                      ^
          no policy fits
          at LINE
        """);
  }

  @Test
  void nameCountMismatch() {
    refused(
        () -> x.named("a"),
        """
        named: names got [a], want one for each of the 2 dimensions of f32[2,3]
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void duplicateName() {
    refused(
        () -> x.named("a", "a"),
        """
        named: names got [a, a], want no name twice
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void blankName() {
    refused(
        () -> x.named("a", " "),
        """
        named: name of a dimension got " ", want one
          x   f32[2,3]   parameter 0   LINE
          at LINE
        """);
  }

  @Test
  void dynamicSizes() {
    refused(
        () -> x.add(d, numpy()),
        """
        add: d got f32[<=2,3], want static sizes: numpy() knows no others
          x   f32[2,3]     parameter 0   LINE
          d   f32[<=2,3]   parameter 8   LINE
          at LINE
        """);
  }

  @Test
  void nullPolicy() {
    refused(
        () -> x.add(v, Refusals.nullOf(BroadcastPolicy.class)),
        """
        add: broadcast policy is null
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
          at LINE
        """);
  }

  @Test
  void invalidPlacementFromPolicy() {
    refused(
        () -> x.add(v, new Lying()),
        """
        add: broadcast policy lying got sizes (2, 3) with dimensions [(0, 1), (1)] for [f32[2,3], f32[2]], want for each dimension another one of the result, of its size, or for size 1
          x   f32[2,3]   parameter 0   LINE
          v   f32[2]     parameter 1   LINE
          at LINE
        """);
  }
}
