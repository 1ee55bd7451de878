package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;

/**
 * The constraints of custom calls: configuration, layouts, and buffers that are written in place.
 */
final class CustomCallRules {
  private CustomCallRules() {}

  static void check(OpImport op, String target, CallConfig config) {
    requireConfig(config);
    requireLayouts(op);
    requireAliases(op);
    requireBuffers(op, target);
  }

  /**
   * Requires that the configuration of a typed call is a dictionary, and that of any other call a
   * string.
   */
  @SuppressWarnings("EnumOrdinal") // XLA counts the versions from 1, in this order
  private static void requireConfig(CallConfig config) {
    boolean typed = config.version() == CustomCall.ApiVersion.API_VERSION_TYPED_FFI;
    Attribute value = config.value().orElse(null);
    require(
        value == null
            || (typed ? value instanceof Attribute.Dictionary : value instanceof Attribute.Str),
        VERIFY,
        "backend_config got %s, want a %s for api_version %s",
        value,
        typed ? "dictionary" : "string",
        1 + config.version().ordinal());
  }

  private static void requireLayouts(OpImport op) {
    boolean operands = op.fields().has("operand_layouts");
    require(
        operands == op.fields().has("result_layouts"),
        VERIFY,
        "%s got none, want layouts of operands and results, or of neither",
        operands ? "result_layouts" : "operand_layouts");
    if (operands) {
      requireLayouts(op, "operand_layouts", op.operation().operandTypes());
      ImmutableList<Type> results = op.operation().resultTypes();
      boolean isTuple = results.size() == 1 && results.get(0) instanceof Type.Tuple;
      requireLayouts(
          op, "result_layouts", isTuple ? ((Type.Tuple) results.get(0)).elements() : results);
    }
  }

  private static void requireLayouts(OpImport op, String name, List<Type> types) {
    ImmutableList<Attribute> layouts = op.fields().array(name);
    require(
        layouts.size() == types.size(),
        VERIFY,
        "%s got %s, want one for each of %s values",
        name,
        layouts.size(),
        types.size());
    for (int i = 0; i < types.size(); i++) {
      Type type = types.get(i);
      require(
          !(type instanceof Type.Tuple), VERIFY, "%s got one for %s, want no tuples", name, type);
      long want = type instanceof Type.Tensor tensor ? tensor.rank() : 0;
      if (type instanceof Type.MemRef buffer) {
        want = buffer.sizes().size();
      }
      require(
          layouts.get(i) instanceof Attribute.Dense dense
              && dense.type().sizes().equals(List.of(want)),
          VERIFY,
          "%s got %s for %s, want %s dimensions",
          name,
          layouts.get(i),
          type,
          want);
    }
  }

  /**
   * Requires that an alias names an operand and an output of the same type; of types that agree, if
   * the module is imported.
   */
  private static void requireAliases(OpImport op) {
    for (Fields alias : aliases(op)) {
      long operand = alias.int64("operand_index", 0);
      require(
          operand >= 0 && operand < op.operandCount(),
          VERIFY,
          "output_operand_aliases got operand_index %s, want from 0 to %s",
          operand,
          op.operandCount() - 1);
      Type from =
          part(op.operation().operandTypes().get((int) operand), alias, "operand_tuple_indices");
      Type to = part(output(op), alias, "output_tuple_indices");
      require(
          from.equals(to)
              || (!op.target().module().isVerifying() && Shapes.areCompatible(from, to)),
          VERIFY,
          "output_operand_aliases got %s and %s, want the same type",
          from,
          to);
    }
  }

  static ImmutableList<Fields> aliases(OpImport op) {
    return op.fields().array("output_operand_aliases").stream()
        .filter(Attribute.Struct.class::isInstance)
        .map(each -> new Fields(((Attribute.Struct) each).fields()))
        .collect(ImmutableList.toImmutableList());
  }

  private static Type output(OpImport op) {
    ImmutableList<Type> results = op.operation().resultTypes();
    return results.size() == 1 ? results.get(0) : new Type.Tuple(results);
  }

  private static Type part(Type whole, Fields alias, String indices) {
    Type part = whole;
    for (long index : alias.ints(indices).toArray()) {
      boolean exists =
          part instanceof Type.Tuple tuple && index >= 0 && index < tuple.elements().size();
      require(exists, VERIFY, "%s got %s, want an element of %s", indices, index, part);
      part = ((Type.Tuple) part).elements().get((int) index);
    }
    return part;
  }

  /**
   * Requires that buffers are written in place: each output is one operand, except for new buffers.
   */
  private static void requireBuffers(OpImport op, String target) {
    switch (target) {
      case CustomCall.CREATE_BUFFER ->
          require(
              op.operandCount() == 0 && output(op) instanceof Type.MemRef,
              VERIFY,
              "%s got %s, want () -> memref",
              target,
              signature(op));
      case CustomCall.PIN ->
          requireBufferConversion(op, target, isTensorToBuffer(op), "tensor -> memref");
      case CustomCall.UNPIN ->
          requireBufferConversion(op, target, isBufferToTensor(op), "memref -> tensor");
      default -> requireInPlace(op);
    }
  }

  private static void requireBufferConversion(
      OpImport op, String target, boolean holds, String want) {
    require(holds, VERIFY, "%s got %s, want %s of the same sizes", target, signature(op), want);
  }

  private static Type.Function signature(OpImport op) {
    return new Type.Function(op.operation().operandTypes(), op.operation().resultTypes());
  }

  private static boolean isTensorToBuffer(OpImport op) {
    return op.operandCount() == 1 && isSame(output(op), op.operation().operandTypes().get(0));
  }

  private static boolean isBufferToTensor(OpImport op) {
    return op.operandCount() == 1 && isSame(op.operation().operandTypes().get(0), output(op));
  }

  private static boolean isSame(Type buffer, Type tensor) {
    return buffer instanceof Type.MemRef memref
        && tensor instanceof Type.Tensor array
        && memref.sizes().equals(array.sizes())
        && memref.element().equals(array.element());
  }

  private static void requireInPlace(OpImport op) {
    Set<Dims> operands = new HashSet<>();
    Set<Dims> outputs = new HashSet<>();
    for (Fields alias : aliases(op)) {
      Dims output = alias.ints("output_tuple_indices");
      if (part(output(op), alias, "output_tuple_indices") instanceof Type.MemRef) {
        Dims operand =
            Dims.of(alias.int64("operand_index", 0)).concat(alias.ints("operand_tuple_indices"));
        require(
            operands.add(operand),
            VERIFY,
            "output_operand_aliases got buffer %s of the operands twice, want it once",
            operand);
        require(
            outputs.add(output),
            VERIFY,
            "output_operand_aliases got buffer output %s twice, want it once",
            output);
      }
    }
    Type output = output(op);
    if (output instanceof Type.MemRef
        || (output instanceof Type.Tuple tuple
            && tuple.innermost().stream().anyMatch(Type.MemRef.class::isInstance))) {
      requireAll(output, Dims.of(), outputs);
    }
  }

  private static void requireAll(Type type, Dims index, Set<Dims> aliased) {
    if (type instanceof Type.Tuple tuple) {
      for (int i = 0; i < tuple.elements().size(); i++) {
        requireAll(tuple.elements().get(i), index.concat(Dims.of(i)), aliased);
      }
    }
    require(
        !(type instanceof Type.MemRef) || aliased.contains(index),
        VERIFY,
        "output_operand_aliases got no buffer output %s, want an operand for it",
        index);
  }
}
