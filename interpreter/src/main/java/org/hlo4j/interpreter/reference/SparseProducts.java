package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.StandardTarget;

/** Products of a sparse matrix, stored by rows (CSR), with a dense vector or matrix. */
final class SparseProducts {
  private SparseProducts() {}

  /**
   * cpu_csr_sparse_dense_ffi: the operands are the elements; the start of each row among them, and
   * the end of the last; the column of each element; and the dense vector or matrix. Elements
   * outside of all rows are ignored.
   */
  static Literal csr(HloInstruction call, List<Literal> in, Execution execution) {
    requireOperands(call, in);
    Literal elements = in.get(0);
    Literal dense = in.get(3);
    int[] starts = starts(call, in.get(1), elements.elementCount());
    int rows = starts.length - 1;
    Dims sizes = dense.arrayShape().sizes();
    Shape.Array shape = elements.arrayShape().withSizes(sizes.with(0, rows));
    StandardTarget.requireResult(call, shape);
    int width = (int) sizes.subList(1, sizes.count()).product();
    LiteralBuilder result = new LiteralBuilder(shape);
    Dots.Sum sum = new Dots.Sum(elements, dense, shape.elementType());
    for (int row = 0; row < rows; row++) {
      execution.checkLimits();
      int[] left = new int[starts[row + 1] - starts[row]];
      Arrays.setAll(left, k -> k);
      int[] right = columns(call, in.get(2), starts[row], left.length, sizes.get(0), width);
      for (int j = 0; j < width; j++) {
        sum.store(result, row * width + j, starts[row], left, j, right);
      }
    }
    return result.build();
  }

  private static void requireOperands(HloInstruction call, List<Literal> in) {
    require(
        in.size() == 4
            && in.stream().allMatch(operand -> operand.shape() instanceof Shape.Array)
            && isVector(in.get(0), in.get(0).elementType())
            && isVector(in.get(1), ElementType.S32)
            && in.get(1).elementCount() > 0
            && isVector(in.get(2), ElementType.S32)
            && in.get(2).elementCount() == in.get(0).elementCount()
            && in.get(3).elementType() == in.get(0).elementType()
            && (in.get(3).arrayShape().rank() == 1 || in.get(3).arrayShape().rank() == 2),
        "",
        "custom-call: %s: cpu_csr_sparse_dense_ffi got %s, want elements, s32 starts of rows and"
            + " columns, and a vector or matrix of the elements' type",
        call.name(),
        in.stream().map(operand -> operand.shape().withoutLayout()).toList());
  }

  private static boolean isVector(Literal operand, ElementType type) {
    return operand.arrayShape().rank() == 1 && operand.elementType() == type;
  }

  private static int[] starts(HloInstruction call, Literal starts, int count) {
    int[] all = new int[starts.elementCount()];
    for (int i = 0; i < all.length; i++) {
      all[i] = (int) starts.longAt(i);
      require(
          all[i] >= (i == 0 ? 0 : all[i - 1]) && all[i] <= count,
          "",
          "custom-call: %s: row %s got start %s, want none before that of the row before, and at"
              + " most %s",
          call.name(),
          i,
          all[i],
          count);
    }
    return all;
  }

  /**
   * Returns the start of the row of the dense operand that each element of a sparse row is
   * multiplied by.
   */
  private static int[] columns(
      HloInstruction call, Literal columns, int start, int count, long size, int width) {
    int[] all = new int[count];
    for (int k = 0; k < count; k++) {
      long column = columns.longAt(start + k);
      require(
          column >= 0 && column < size,
          "",
          "custom-call: %s: element %s got column %s, want one of %s",
          call.name(),
          start + k,
          column,
          size);
      all[k] = (int) column * width;
    }
    return all;
  }
}
