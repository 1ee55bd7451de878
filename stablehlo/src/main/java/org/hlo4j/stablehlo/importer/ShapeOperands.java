package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The operands of a custom call that hold the sizes of its results, which {@code
 * indices_of_shape_operands} lists: one for each result. JAX adds them to any call whose results
 * have symbolic dimensions; the target itself does not take them.
 *
 * @param op the custom call
 * @param indices the number of such an operand for each result
 */
record ShapeOperands(OpImport op, Dims indices) {
  private static final String INDICES = "indices_of_shape_operands";

  private ShapeOperands(OpImport op) {
    this(op, indices(op));
  }

  /** Returns whether a custom call has such operands. */
  static boolean isIn(OpImport op) {
    return op.fields().has(INDICES);
  }

  /**
   * Returns the call without these operands, and with the sizes that they hold in the types of its
   * results.
   */
  static OpImport removed(OpImport op) {
    return new ShapeOperands(op).withoutThem();
  }

  /** Requires that the attribute names an operand for each result that holds its sizes. */
  static void check(OpImport op) {
    new ShapeOperands(op);
  }

  private static Dims indices(OpImport op) {
    Dims indices = op.fields().vector(INDICES);
    verify(
        indices.count() == op.resultCount()
            && indices.stream().allMatch(i -> i >= 0 && i < op.operandCount()),
        "%s got %s, want one of %s operands for each of %s results",
        INDICES,
        indices,
        op.operandCount(),
        op.resultCount());
    for (int i = 0; i < indices.count(); i++) {
      SizeRules.requireCount(op, indices.getInt(i), rank(op.resultType(i)), INDICES);
    }
    return indices;
  }

  private static int rank(Type type) {
    verify(
        type instanceof Type.Tensor,
        "result got %s, want a tensor, whose sizes an operand holds",
        type);
    return ((Type.Tensor) type).rank();
  }

  private OpImport withoutThem() {
    Operation all = op.operation();
    List<Type> results = IntStream.range(0, indices.count()).mapToObj(this::type).toList();
    return op.replaced(all.name(), kept(all.operands()), results, attributes());
  }

  /** Returns the type of a result, with the sizes that its operand holds. */
  private Type type(int result) {
    Type.Tensor declared = (Type.Tensor) op.resultType(result);
    Dims sizes = DynamicLowerings.sizes(op, indices.getInt(result), INDICES);
    Type.Tensor known =
        new Type.Tensor(
            sizes.stream().boxed().collect(toImmutableList()),
            declared.element(),
            Optional.empty());
    verify(
        sizes.stream().allMatch(size -> size >= 0) && Shapes.areCompatible(known, declared),
        "%s got the sizes %s for result %s, want %s",
        INDICES,
        sizes,
        result,
        declared);
    return known;
  }

  private <T> ImmutableList<T> kept(List<T> perOperand) {
    return IntStream.range(0, perOperand.size())
        .filter(i -> !indices.contains(i))
        .mapToObj(perOperand::get)
        .collect(toImmutableList());
  }

  private Map<String, Attribute> attributes() {
    Map<String, Attribute> attributes = new HashMap<>(op.fields().entries());
    attributes.remove(INDICES);
    ImmutableList<Attribute> layouts = op.fields().array("operand_layouts");
    if (layouts.size() == op.operandCount()) {
      attributes.put("operand_layouts", new Attribute.Array(kept(layouts)));
    }
    if (op.fields().has("output_operand_aliases")) {
      ImmutableList<Attribute> aliases = op.fields().array("output_operand_aliases");
      attributes.put(
          "output_operand_aliases",
          new Attribute.Array(aliases.stream().map(this::moved).collect(toImmutableList())));
    }
    return attributes;
  }

  /** Returns an alias whose operand has moved forward by the removed ones before it. */
  private Attribute moved(Attribute alias) {
    if (!(alias instanceof Attribute.Struct struct)) {
      return alias;
    }
    long operand = new Fields(struct.fields()).int64("operand_index", 0);
    verify(
        !indices.contains(operand),
        "output_operand_aliases got operand %s, which holds sizes, want another",
        operand);
    long before = indices.stream().distinct().filter(i -> i < operand).count();
    ImmutableMap<String, Attribute> fields =
        ImmutableMap.<String, Attribute>builder()
            .putAll(struct.fields())
            .put("operand_index", Attribute.Int.i64(operand - before))
            .buildKeepingLast();
    return new Attribute.Struct(struct.dialect(), struct.mnemonic(), fields);
  }
}
