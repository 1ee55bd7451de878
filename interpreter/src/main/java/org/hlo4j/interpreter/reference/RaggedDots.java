package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.interpreter.engine.Execution;

/** Ragged dots: each element is summed as in {@link Dots}, over the indices of its group. */
final class RaggedDots {
  private final Literal groupSizes;
  private final Dots.Sum sum;
  private final LiteralBuilder result;
  private final Execution execution;
  private final int[] lhsBatch;
  private final int[] rhsBatch;
  private final int[] lhsContracting;
  private final int[] rhsContracting;
  private final int[] lhsFree;
  private final int[] rhsFree;
  private final int[] rhsGroup;
  private final int ragged;
  private final int inner;

  private RaggedDots(RaggedDot op, List<Literal> in, Shape.Array shape, Execution execution) {
    Dims left = in.get(0).arrayShape().sizes();
    Dims right = in.get(1).arrayShape().sizes();
    this.groupSizes = in.get(2);
    this.sum = new Dots.Sum(in.get(0), in.get(1), shape.elementType());
    this.result = LiteralBuilder.zeros(shape);
    this.execution = execution;
    this.lhsBatch = Offsets.ofDimensions(op.lhsBatchDims(), left);
    this.rhsBatch = Offsets.ofDimensions(op.rhsBatchDims(), right);
    this.lhsContracting = Offsets.ofDimensions(op.lhsContractingDims(), left);
    this.rhsContracting = Offsets.ofDimensions(op.rhsContractingDims(), right);
    this.lhsFree = Offsets.ofDimensions(op.dot().lhsFreeDims(left.count()), left);
    this.rhsFree = Offsets.ofDimensions(op.rhsFreeDims(right.count()), right);
    this.rhsGroup = Offsets.ofDimensions(op.rhsGroupDims(), right);
    Dims family = op.family(left.count());
    long raggedDim = op.lhsRaggedDims().get(0);
    this.ragged = (int) left.get((int) raggedDim);
    Dims innerDims = family.subList(family.indexOf(raggedDim) + 1, family.count());
    this.inner = (int) left.at(innerDims).product();
    for (int i = 0; i < groupSizes.elementCount(); i++) {
      long size = groupSizes.longAt(i);
      require(size >= 0, "", "ragged-dot: size of group %s got %s, want at least 0", i, size);
    }
  }

  static Literal dot(RaggedDot op, List<Literal> in, Shape.Array shape, Execution execution) {
    return switch (op.mode()) {
      case BATCH -> Dots.dot(op.dot(), in, shape, execution);
      case FREE -> new RaggedDots(op, in, shape, execution).computeFree();
      case CONTRACTING -> new RaggedDots(op, in, shape, execution).computeContracting();
    };
  }

  private int groups() {
    Shape.Array shape = groupSizes.arrayShape();
    return (int) shape.size(shape.rank() - 1);
  }

  /**
   * Returns the group of an index of the ragged dimension's family, or -1 for an index after the
   * last group. The group sizes are those of the batch index and of the family's dimensions before
   * the ragged one.
   */
  private int groupOf(int batch, int index, int familyCount) {
    int block = ragged * inner;
    int row =
        groupSizes.arrayShape().rank() == 1 ? 0 : batch * (familyCount / block) + index / block;
    long left = index / inner % ragged;
    for (int group = 0; group < groups(); group++) {
      left -= groupSizes.longAt(row * groups() + group);
      if (left < 0) {
        return group;
      }
    }
    return -1;
  }

  /** {@code result[b, i, j] = sum over k of lhs[b, i, k] * rhs[group of i, b, k, j]} */
  private Literal computeFree() {
    int next = 0;
    for (int b = 0; b < lhsBatch.length; b++) {
      for (int i = 0; i < lhsFree.length; i++) {
        execution.checkLimits();
        int group = groupOf(b, i, lhsFree.length);
        for (int j = 0; j < rhsFree.length && group >= 0; j++) {
          int right = rhsBatch[b] + rhsGroup[group] + rhsFree[j];
          sum.store(
              result, next + j, lhsBatch[b] + lhsFree[i], lhsContracting, right, rhsContracting);
        }
        next += rhsFree.length;
      }
    }
    return result.build();
  }

  /** {@code result[g, b, i, j] = sum over k of group g of lhs[b, i, k] * rhs[b, k, j]} */
  private Literal computeContracting() {
    int next = 0;
    for (int group = 0; group < groups(); group++) {
      for (int b = 0; b < lhsBatch.length; b++) {
        int[] members = members(group, b);
        int[] leftK = Arrays.stream(members).map(k -> lhsContracting[k]).toArray();
        int[] rightK = Arrays.stream(members).map(k -> rhsContracting[k]).toArray();
        for (int i : lhsFree) {
          execution.checkLimits();
          for (int j : rhsFree) {
            sum.store(result, next++, lhsBatch[b] + i, leftK, rhsBatch[b] + j, rightK);
          }
        }
      }
    }
    return result.build();
  }

  private int[] members(int group, int batch) {
    return IntStream.range(0, lhsContracting.length)
        .filter(k -> groupOf(batch, k, lhsContracting.length) == group)
        .toArray();
  }
}
