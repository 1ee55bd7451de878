package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Location;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The conversion of a computation to a block. A tuple is represented by the list of its leaves, so
 * that tuple and get-tuple-element instructions need no operations.
 */
final class BlockExport {
  private final ModuleExport module;
  private final int depth;
  private final List<Operation> operations = new ArrayList<>();
  private final Map<HloInstruction, ImmutableList<Value>> values = new HashMap<>();
  private final IdentityHashMap<Shape, int[]> offsets = new IdentityHashMap<>();

  BlockExport(ModuleExport module, int depth) {
    this.module = module;
    this.depth = depth;
  }

  ModuleExport module() {
    return module;
  }

  /** Returns the nesting depth of this block in regions. */
  int depth() {
    return depth;
  }

  /** Returns the leaves of an instruction's result. */
  ImmutableList<Value> values(HloInstruction instruction) {
    return requireNonNull(values.get(instruction));
  }

  /** Returns the leaves of an element of a tuple. */
  ImmutableList<Value> element(HloInstruction tuple, int index) {
    int[] starts = offsets.computeIfAbsent(tuple.shape(), BlockExport::offsets);
    return values(tuple).subList(starts[index], starts[index + 1]);
  }

  private static int[] offsets(Shape shape) {
    return ShapeTypes.starts(((Shape.Tuple) shape).elements());
  }

  OperationBuilder operation(String name, Location location) {
    return new OperationBuilder(operations, name, location);
  }

  /**
   * Converts a computation whose parameters have the given leaves, and returns the leaves of its
   * result.
   */
  ImmutableList<Value> run(HloComputation computation, List<ImmutableList<Value>> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      HloInstruction parameter = computation.parameters().get(i);
      ShapeTypes.missing(parameter.shape()).ifPresent(refusal -> module.refuse(parameter, refusal));
      values.put(parameter, arguments.get(i));
    }
    for (HloInstruction instruction : computation.instructions()) {
      ReadLimits.checkInterrupt("export");
      if (!values.containsKey(instruction)) {
        values.put(instruction, export(instruction));
      }
    }
    HloInstruction root = computation.root();
    return hasAllLeaves(root)
        ? values(root)
        : refused(root, OpExport.unsupported("is not done here"));
  }

  /**
   * Returns whether all leaves of an instruction's shape are available; a started asynchronous op
   * has only the leaves of its final result.
   */
  boolean hasAllLeaves(HloInstruction instruction) {
    return values(instruction).size() == ShapeTypes.count(instruction.shape());
  }

  /**
   * Returns the leaves of the result. For an unsupported instruction they are placeholders, so that
   * the conversion can go on and find further ones.
   */
  private ImmutableList<Value> export(HloInstruction instruction) {
    try {
      Annotations.requireExpressed(instruction);
      Optional<HloException> missing = ShapeTypes.missing(instruction.shape());
      if (missing.isPresent()) {
        throw missing.get();
      }
      return OpExports.values(new OpExport(this, instruction));
    } catch (HloException refusal) {
      if (refusal.kind() != UNSUPPORTED) {
        throw instruction.located(refusal);
      }
      return refused(instruction, refusal);
    }
  }

  private ImmutableList<Value> refused(HloInstruction instruction, HloException refusal) {
    module.refuse(instruction, refusal);
    return unknown(instruction.shape()).collect(toImmutableList());
  }

  /** Returns placeholders for the leaves of a shape, which no operation defines. */
  private static Stream<Value> unknown(Shape shape) {
    return switch (shape) {
      case Shape.Tuple tuple -> tuple.elements().stream().flatMap(BlockExport::unknown);
      case Shape.Opaque _ -> Stream.of(Value.of(Type.TOKEN));
      case Shape.Array _, Shape.Buffer _, Shape.Token _ ->
          Stream.of(Value.of(ShapeTypes.of(shape)));
    };
  }

  /** Returns the block, terminated by an operation that returns the given results. */
  Block end(String terminator, List<Value> arguments, List<Value> results) {
    operation(terminator, Location.unknown()).withOperands(results).emit();
    return new Block(ImmutableList.copyOf(arguments), ImmutableList.copyOf(operations));
  }
}
