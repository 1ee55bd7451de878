package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.stablehlo.dialect.RecordBinding;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;
import org.jspecify.annotations.Nullable;

/**
 * An op during its lowering: its operands and attributes, and the computation that its instructions
 * are added to.
 *
 * @param operation the op
 * @param target the computation
 * @param fields the attributes of the op
 */
record OpImport(Operation operation, ComputationImport target, Fields fields) {
  OpImport(Operation operation, ComputationImport target) {
    this(operation, target, new Fields(operation));
  }

  /** Returns another op at the place of this one, with the same regions. */
  OpImport replaced(
      String name, List<Value> operands, List<Type> results, Map<String, Attribute> attributes) {
    return new OpImport(
        operation.replaced(
            name, operands, results.stream().map(Value::of).toList(), Attributes.of(attributes)),
        target);
  }

  /** Emits the instructions of the op, and returns those whose values are its results. */
  ImmutableList<HloInstruction> lower() {
    return target.module().lowering(operation).lower(this);
  }

  int operandCount() {
    return operation.operands().size();
  }

  HloInstruction operand(int number) {
    return target.instruction(value(number));
  }

  private Value value(int number) {
    require(number < operandCount(), PARSE, "operands got %s, want more", operandCount());
    return operation.operand(number);
  }

  Shape.Array array(int number) {
    return arrayShape(operand(number));
  }

  static Shape.Array arrayShape(HloInstruction instruction) {
    if (instruction.shape() instanceof Shape.Array array) {
      return array;
    }
    throw new HloException(VERIFY, "operand got %s, want an array", instruction.shape());
  }

  ImmutableList<HloInstruction> operands() {
    return target.instructions(operation.operands());
  }

  ImmutableList<HloInstruction> operands(int from, int to) {
    return target.instructions(operation.operands().subList(from, to));
  }

  int resultCount() {
    return operation.results().size();
  }

  Type resultType(int number) {
    require(number < resultCount(), PARSE, "results got %s, want more", number);
    return operation.results().get(number).type();
  }

  /** Returns the declared shape of the only result. */
  Shape.Array resultArray() {
    require(resultCount() == 1, PARSE, "results got %s, want 1", resultCount());
    if (target.module().shape(resultType(0)) instanceof Shape.Array array) {
      return array;
    }
    throw new HloException(VERIFY, "result got %s, want a tensor", resultType(0));
  }

  /** Returns the declared shape of the result, or of all results as a tuple. */
  Shape resultShape() {
    return Shapes.joined(resultShapes(0, resultCount()));
  }

  ImmutableList<Shape> resultShapes(int from, int to) {
    return operation.resultTypes().subList(from, to).stream()
        .map(target.module()::shape)
        .collect(toImmutableList());
  }

  /** Returns the element type of the only result, whose sizes may be unknown. */
  ElementType declaredElementType() {
    return Shapes.elementType(RegionRules.tensor(resultType(0), "result").element());
  }

  /** Returns the elements of a small integer array, or null if they are not known. */
  long @Nullable [] known(HloInstruction instruction) {
    return target.module().known().of(instruction);
  }

  /** Returns the type of an operand, a tensor. */
  Type.Tensor operandTensor(int number) {
    return RegionRules.tensor(value(number).type(), "operand " + number);
  }

  ImmutableList<Type.Tensor> operandTensors(int from, int to) {
    return IntStream.range(from, to).mapToObj(this::operandTensor).collect(toImmutableList());
  }

  /** Returns whether sizes of operands are symbolic. */
  boolean isSymbolic() {
    return operands().stream()
        .anyMatch(each -> each.shape() instanceof Shape.Array array && array.hasUnbounded());
  }

  /** Returns the shapes of the declared types; sizes may be symbolic. */
  ImmutableList<Shape> declaredShapes() {
    return operation.resultTypes().stream().map(Shapes::placeholder).collect(toImmutableList());
  }

  /** Returns the shape that an op of HLO gives for the operands. */
  Shape inferred(Op op) {
    return op.infer(HloInstruction.inputs(operands(), List.of()));
  }

  /** Verifies the operations of regions from which nothing is emitted. */
  void verifyRegions() {
    for (int i = 0; i < operation.regions().size(); i++) {
      if (operation.region(i).blocks().size() == 1) {
        region(i, "region");
      }
    }
  }

  HloInstruction emit(Op op, HloInstruction... operands) {
    return emit(op, Arrays.asList(operands), List.of());
  }

  HloInstruction emit(Op op, List<HloInstruction> operands, List<HloComputation> called) {
    return emit(op, operands, called, Map.of());
  }

  HloInstruction emit(
      Op op,
      List<HloInstruction> operands,
      List<HloComputation> called,
      Map<String, String> attributes) {
    return target.emit(op, operands, called, operation, attributes);
  }

  /** Emits the op of HLO that the op mirrors, with the computations of its regions. */
  HloInstruction emitMirrored(List<HloInstruction> operands) {
    return emitMirrored(operands, Map.of());
  }

  HloInstruction emitMirrored(List<HloInstruction> operands, Map<String, Object> given) {
    Op op = mirrored(operation.name(), given);
    List<HloComputation> regions = new ArrayList<>();
    for (int i = 0; i < operation.regions().size(); i++) {
      String name = CollectiveRules.name(this);
      regions.add(region(i, name.equals("sort") ? "comparator" : name + "_body"));
    }
    return emit(op, operands, regions);
  }

  /**
   * Returns the op of HLO that an op of StableHLO mirrors, made of the attributes of this one.
   *
   * @param name the name of the op of StableHLO
   * @param given components that do not follow from attributes and types
   */
  Op mirrored(String name, Map<String, Object> given) {
    return RecordBinding.find(name)
        .orElseThrow()
        .read(
            fields.entries(),
            component ->
                Optional.ofNullable(given.get(component.name())).or(() -> fromTypes(component)));
  }

  /** Returns a component that is not an attribute, or one of which not all values are permitted. */
  private Optional<Object> fromTypes(OpAttribute component) {
    return switch (component.name()) {
      case "shape" ->
          Optional.of(
              component.component().getType() == Shape.Array.class ? resultArray() : resultShape());
      case "channel_id" -> Optional.of(CollectiveRules.channel(this));
      case "preferred_element_type" -> Optional.of(preferredElementType());
      case "replica_groups" -> Optional.of(CollectiveRules.groups(this));
      case "source_target_pairs" ->
          Optional.of(fields.pairs("source_target_pairs", "collective_permute C1"));
      default -> Optional.empty();
    };
  }

  /** Returns the element type of a product if it is not that of the operands. */
  private Optional<ElementType> preferredElementType() {
    ElementType result = declaredElementType();
    return array(0).elementType() == result && array(1).elementType() == result
        ? Optional.empty()
        : Optional.of(result);
  }

  /**
   * Returns the results of an instruction: itself, or the elements of its tuple unless the result
   * is a tuple.
   */
  ImmutableList<HloInstruction> results(HloInstruction instruction) {
    boolean isTuple = resultCount() == 1 && !(resultType(0) instanceof Type.Tensor);
    return instruction.shape() instanceof Shape.Tuple && !isTuple
        ? elements(instruction)
        : ImmutableList.of(instruction);
  }

  ImmutableList<HloInstruction> elements(HloInstruction tuple) {
    return elements(tuple, ((Shape.Tuple) tuple.shape()).elements().size());
  }

  /** Returns the first elements of a tuple. */
  ImmutableList<HloInstruction> elements(HloInstruction tuple, int count) {
    return IntStream.range(0, count).mapToObj(i -> element(tuple, i)).collect(toImmutableList());
  }

  HloInstruction element(HloInstruction tuple, int index) {
    return emit(new GetTupleElement(index), tuple);
  }

  /** Returns the annotations of the operation. */
  Annotations annotations() {
    return target.module().annotations(operation);
  }

  ImmutableList<Shape> operandShapes() {
    return operands().stream().map(HloInstruction::shape).collect(toImmutableList());
  }

  /** Replaces the last instruction by itself with annotations, unless it has them. */
  HloInstruction annotate(HloInstruction last, Annotations annotations) {
    HloInstruction annotated = annotations.on(last);
    return annotated == last ? last : target.replaceLast(annotated);
  }

  HloInstruction tuple(List<HloInstruction> elements) {
    return emit(new Tuple(), elements, List.of());
  }

  HloInstruction converted(HloInstruction value, ElementType type) {
    return arrayShape(value).elementType() == type ? value : emit(new Convert(type), value);
  }

  /** Broadcasts a scalar to an array. */
  HloInstruction broadcast(HloInstruction scalar, Dims sizes) {
    Shape.Array shape = arrayShape(scalar).withSizes(sizes);
    return sizes.isEmpty() ? scalar : emit(new Broadcast(shape, Dims.of()), scalar);
  }

  /** Returns an array of equal numbers that has the shape of a value. */
  HloInstruction like(HloInstruction value, long number) {
    Shape.Array shape = arrayShape(value);
    return broadcast(emit(new Constant(Literal.of(shape.elementType(), number))), shape.sizes());
  }

  /** Returns the only block of a region. */
  Block block(int region) {
    require(
        region < operation.regions().size() && operation.region(region).blocks().size() == 1,
        PARSE,
        "region %s is missing or has not just one block",
        region);
    return operation.region(region).block();
  }

  /** Returns the computation of a region, whose parameters are the arguments of its block. */
  HloComputation region(int number, String name) {
    return target.region(operation, block(number), name);
  }

  /** Returns the element types of the arguments of a region's block. */
  ImmutableList<Type> argumentTypes(int region) {
    return block(region).arguments().stream()
        .map(argument -> RegionRules.tensor(argument.type(), "block argument").element())
        .collect(toImmutableList());
  }

  /**
   * Returns operands converted to the types that a region works on.
   *
   * @param from the number of the first operand
   * @param types the element types, one for each operand
   */
  ImmutableList<HloInstruction> promoted(int from, List<Type> types) {
    ImmutableList.Builder<HloInstruction> converted = ImmutableList.builder();
    for (int i = 0; i < types.size(); i++) {
      Type given = operandTensor(from + i).element();
      converted.add(Quantization.converted(this, operand(from + i), given, types.get(i)));
    }
    return converted.build();
  }

  /** Inlines the result of a function of the builder's library. */
  HloInstruction inlineLibraryFunction(
      Function<ImmutableList<XlaOp>, XlaOp> function, List<HloInstruction> operands) {
    XlaBuilder builder = new XlaBuilder(operation.name());
    ImmutableList.Builder<XlaOp> parameters = ImmutableList.builder();
    for (int i = 0; i < operands.size(); i++) {
      parameters.add(builder.parameter(i, operands.get(i).shape(), "p" + i));
    }
    XlaOp root = function.apply(parameters.build());
    return target.inline(builder.build(root).entry(), operands, Optional.of(operation));
  }
}
