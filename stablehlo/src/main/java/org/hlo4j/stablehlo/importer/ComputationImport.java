package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.stablehlo.dialect.OpTable;
import org.hlo4j.stablehlo.dialect.RecordBinding;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of a function or a region to a computation: the instructions so far, and the
 * instruction of each value.
 */
final class ComputationImport {
  private final ModuleImport module;
  private final List<HloInstruction> instructions = new ArrayList<>();
  private final Map<Value, HloInstruction> values = new HashMap<>();

  ComputationImport(ModuleImport module) {
    this.module = module;
  }

  ModuleImport module() {
    return module;
  }

  HloInstruction instruction(Value value) {
    HloInstruction known = values.get(value);
    if (known == null) {
      known = constant(value);
    }
    return known;
  }

  /** Returns the instruction of a captured constant, which is emitted again in this computation. */
  private HloInstruction constant(Value value) {
    Operation constant = module.constant(value);
    if (constant != null) {
      lower(constant);
    }
    HloInstruction made = values.get(value);
    if (made == null && module.isVerifying()) {
      return placeholder(value);
    }
    if (made == null) {
      throw new HloException(
          UNSUPPORTED,
          "operand got %s, which is defined outside of the region, want arguments of the region and"
              + " constants only, as HLO has it here",
          value);
    }
    return made;
  }

  ImmutableList<HloInstruction> instructions(List<Value> list) {
    return list.stream().map(this::instruction).collect(toImmutableList());
  }

  HloInstruction parameter(int number, Shape shape, String name, Metadata metadata) {
    return add(
        HloInstruction.create(
            module.instructionName(name),
            new Parameter(number, shape),
            List.of(),
            List.of(),
            shape,
            metadata));
  }

  void define(Value value, HloInstruction instruction) {
    values.put(value, instruction);
  }

  /**
   * Emits a placeholder for a value of which only the type matters, in a module that is only
   * verified.
   */
  HloInstruction placeholder(Value value) {
    HloInstruction made = placeholder(Shapes.placeholder(value.type()));
    define(value, made);
    return made;
  }

  HloInstruction placeholder(Shape shape) {
    return plain(new CustomCall(shape, "placeholder"), "placeholder", List.of());
  }

  /** Adds an instruction without metadata and annotations. */
  private HloInstruction plain(Op op, String name, List<HloInstruction> operands) {
    return add(
        HloInstruction.of(
            module.instructionName(name), op, operands.toArray(HloInstruction[]::new)));
  }

  HloInstruction add(HloInstruction instruction) {
    module.account().takeInstruction();
    instructions.add(instruction);
    if (!module.isVerifying()) {
      module.known().compute(instruction);
    }
    return instruction;
  }

  /** Emits an instruction with the shape that the op infers from the operands. */
  HloInstruction emit(
      Op op,
      List<HloInstruction> operands,
      List<HloComputation> called,
      Operation origin,
      Map<String, String> attributes) {
    Shape shape = laidOut(op, op.infer(HloInstruction.inputs(operands, called)));
    HloInstruction plain =
        HloInstruction.create(
            module.instructionName(op.opcode()),
            op,
            operands,
            called,
            shape,
            module.metadata(origin),
            attributes);
    HloInstruction added = add(module.annotated(plain, origin));
    if (isConstant(origin)) {
      module.known().compute(added);
    }
    return added;
  }

  /**
   * Returns the shape of an instruction. For custom calls and infeeds it includes the layouts that
   * they declare.
   */
  private static Shape laidOut(Op op, Shape inferred) {
    if (op instanceof Infeed infeed) {
      return new Shape.Tuple(ImmutableList.of(infeed.shape(), Shape.token()));
    }
    return op instanceof CustomCall call ? call.shape() : inferred;
  }

  /**
   * Lowers all operations of a block except its terminator, and returns the terminator's operands.
   */
  ImmutableList<HloInstruction> lower(Block block) {
    for (Operation operation : block.operations()) {
      if (isReturn(operation)) {
        return instructions(operation.operands());
      }
      lower(operation);
    }
    throw new HloException(PARSE, "block ends without a return");
  }

  /** Returns whether an op is a constant of StableHLO, or of another dialect. */
  static boolean isConstant(Operation operation) {
    return operation.name().endsWith(".constant");
  }

  static boolean isReturn(Operation operation) {
    return switch (operation.name()) {
      case "stablehlo.return", "func.return", "sdy.return", "shape.assuming_yield" -> true;
      default -> false;
    };
  }

  private void lower(Operation operation) {
    try {
      module.account().take(operation.attributes());
      int operands = operation.operands().size();
      OpTable.find(operation.name()).ifPresent(row -> row.requireOperands(operands));
      SizeRules.requireTensors(operation);
      QuantizationRules.check(operation);
      OpImport op = new OpImport(operation, this);
      ImmutableList<HloInstruction> results =
          switch (QuantizationRules.numbers(operation)) {
            case STORAGE -> op.lower();
            case WITH_ZEROS -> Quantization.lowerWithZeros(op);
            case EXPRESSED -> Quantization.lower(op);
          };
      ResultTypes.check(operation, results);
      for (int i = 0; i < results.size(); i++) {
        define(operation.results().get(i), results.get(i));
      }
    } catch (HloException refusal) {
      module.refuse(located(operation, refusal));
    }
    if (module.isVerifying()) {
      operation.results().forEach(this::declare);
    }
  }

  /**
   * Returns the refusal of an operation with its position. If HLO lacks the type of an operand,
   * which a placeholder stands for while a module is verified, that is the reason.
   */
  private HloException located(Operation operation, HloException refusal) {
    if (refusal.position().isPresent() || refusal.instruction().isPresent()) {
      return refusal;
    }
    HloException said =
        RecordBinding.find(operation.name()).map(op -> op.inWords(refusal)).orElse(refusal);
    HloException reason =
        module.isVerifying() ? Shapes.lacking(operation.operandTypes()).orElse(said) : said;
    return operation.located(reason.withKind(VERIFY)).withInstruction(operation.name());
  }

  /**
   * Defines a value by a placeholder of its declared type, which may leave sizes unknown, so that
   * its users see that type.
   */
  private void declare(Value result) {
    HloInstruction made = values.get(result);
    if (made == null || !made.shape().equals(Shapes.placeholder(result.type()))) {
      HloInstruction placeholder = placeholder(result);
      if (made != null) {
        module.known().put(placeholder, module.known().of(made));
      }
    }
  }

  /** Replaces the last instruction by another one. */
  HloInstruction replaceLast(HloInstruction replacement) {
    instructions.set(instructions.size() - 1, replacement);
    return replacement;
  }

  /**
   * Finishes the computation; its root is the only value, or a tuple of any other number of values.
   */
  HloComputation finish(String name, List<HloInstruction> results) {
    HloInstruction root = results.size() == 1 ? results.get(0) : tuple(results);
    return HloComputation.create(module.computationName(name), instructions, root);
  }

  /**
   * Finishes the computation with a sharding of the results. That of a single value is on its
   * element of a tuple, as in XLA: the value itself may have another one.
   */
  HloComputation finish(
      String name, List<HloInstruction> results, Optional<? extends Sharding> sharding) {
    if (sharding.isEmpty()) {
      return finish(name, results);
    }
    HloInstruction tuple = tuple(results);
    HloInstruction root =
        results.size() == 1
            ? plain(new GetTupleElement(0), "get-tuple-element", List.of(tuple))
            : tuple;
    HloInstruction sharded =
        replaceLast(root.withSharding(sharding.map(each -> each.forShape(root.shape()))));
    return HloComputation.create(module.computationName(name), instructions, sharded);
  }

  /** Finishes the computation with a tuple of these values as root, which has a sharding. */
  HloComputation finishTuple(
      String name, List<HloInstruction> results, Optional<Sharding> sharding) {
    HloInstruction root = replaceLast(tuple(results).withSharding(sharding));
    return HloComputation.create(module.computationName(name), instructions, root);
  }

  private HloInstruction tuple(List<HloInstruction> elements) {
    return plain(new Tuple(), "tuple", elements);
  }

  /** Returns the computation of a region whose parameters are the arguments of its block. */
  HloComputation region(Operation operation, Block block, String name) {
    List<Shape> shapes =
        block.arguments().stream().map(argument -> module.shape(argument.type())).toList();
    return region(operation, block, name, shapes, Collections.nCopies(shapes.size(), null));
  }

  /**
   * Returns the computation of a region whose parameters have these shapes, and known values. Those
   * of other element types than the arguments are converted.
   */
  HloComputation region(
      Operation operation,
      Block block,
      String name,
      List<Shape> shapes,
      List<long @Nullable []> known) {
    ComputationImport inner = new ComputationImport(module);
    for (int i = 0; i < shapes.size(); i++) {
      Value argument = block.arguments().get(i);
      HloInstruction parameter =
          inner.parameter(i, shapes.get(i), argument.name(), module.metadata(operation));
      module.known().put(parameter, known.get(i));
      inner.define(argument, inner.converted(parameter, argument.type(), operation));
    }
    return inner.finish(name, inner.lower(block));
  }

  private HloInstruction converted(HloInstruction value, Type type, Operation origin) {
    return value.shape() instanceof Shape.Array from
            && Shapes.placeholder(type) instanceof Shape.Array to
            && from.elementType() != to.elementType()
        ? emit(new Convert(to.elementType()), List.of(value), List.of(), origin, Map.of())
        : value;
  }

  /**
   * Inlines a computation: emits its instructions with the operands in place of its parameters.
   *
   * @param origin the operation that is lowered, if it is one
   */
  HloInstruction inline(
      HloComputation computation, List<HloInstruction> operands, Optional<Operation> origin) {
    Metadata metadata = origin.map(module::metadata).orElse(Metadata.NONE);
    return CallInliner.inline(
        computation,
        operands,
        each -> {
          HloInstruction copy =
              HloInstruction.create(
                  module.instructionName(each.op().opcode()),
                  each.op(),
                  each.operands(),
                  each.called().stream().map(module::importComputation).toList(),
                  each.shape(),
                  metadata,
                  each.attributes());
          return add(origin.map(operation -> module.annotated(copy, operation)).orElse(copy));
        });
  }
}
