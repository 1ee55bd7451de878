package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.Kind.VERIFY;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.stablehlo.importer.Verification.verify;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** The conversion of a function to a computation. */
final class FunctionImport {
  private FunctionImport() {}

  static String name(Operation function) {
    return new Fields(function).string("sym_name");
  }

  /** Returns the shapes of a function's arguments as it declares them. */
  static ImmutableList<Shape> declared(Operation function) {
    return block(function).arguments().stream()
        .map(argument -> Shapes.of(argument.type()))
        .collect(toImmutableList());
  }

  /** Verifies a function for arguments of the declared shapes. */
  static void verifyFunction(ModuleImport module, Operation function) {
    Type.Function signature = signature(function);
    signature.inputs().forEach(type -> requireType(function, type));
    signature.results().forEach(type -> requireType(function, type));
    if (isDeclaration(function)) {
      requireScales(function);
      return;
    }
    ImmutableList<Shape> shapes =
        block(function).arguments().stream()
            .map(argument -> Shapes.placeholder(argument.type()))
            .collect(toImmutableList());
    computation(module, function, shapes, Collections.nCopies(shapes.size(), new long[0]));
  }

  /** Requires that the values of a future are tensors or tokens. */
  private static void requireType(Operation function, Type type) {
    if (Shapes.isFuture(type)) {
      for (Type promised : Shapes.futureTypes((Type.Dialect) type)) {
        if (!(promised instanceof Type.Tensor || promised.equals(Type.TOKEN))) {
          throw function.located(
              new HloException(VERIFY, "future got %s, want a tensor with a rank", promised));
        }
      }
    }
  }

  /** Requires scales for each place of the arguments that no op takes, which would report it. */
  private static void requireScales(Operation function) {
    ImmutableList<TypeInRole> inputs =
        TypeInRole.numbered("argument", signature(function).inputs(), " of @" + name(function));
    for (int i = 0; i < inputs.size(); i++) {
      if (inputs.get(i).isPerAxis() && (isDeclaration(function) || isOnlyReturned(function, i))) {
        inputs.get(i).requireScales();
      }
    }
  }

  private static boolean isOnlyReturned(Operation function, int number) {
    Value argument = block(function).arguments().get(number);
    return block(function).operations().stream()
        .noneMatch(operation ->
            !ComputationImport.isReturn(operation) && operation.operands().contains(argument));
  }

  /** Returns whether a function is private and has no body. */
  static boolean isDeclaration(Operation function) {
    return function.attributes().get("sym_visibility") instanceof Attribute.Str visibility
        && visibility.value().equals("private")
        && function.regions().stream().allMatch(Region::isEmpty);
  }

  /** Returns the only block of a function. */
  static Block block(Operation function) {
    require(
        function.regions().size() == 1 && function.region(0).blocks().size() == 1,
        PARSE,
        "@%s got no body, want one block",
        name(function));
    return function.region(0).block();
  }

  /**
   * Returns the computation of a function for arguments with known shapes and possibly known
   * values.
   */
  static HloComputation computation(
      ModuleImport module, Operation function, List<Shape> shapes, List<long[]> known) {
    try {
      return of(module, function, shapes, known);
    } catch (HloException refusal) {
      throw refusal.position().isPresent() || refusal.instruction().isPresent()
          ? refusal
          : function.located(refusal.withKind(VERIFY));
    }
  }

  private static HloComputation of(
      ModuleImport module, Operation function, List<Shape> shapes, List<long[]> known) {
    Block block = block(function);
    Type.Function signature = signature(function);
    requireDeclared(
        function, "got a body of the arguments", RegionRules.arguments(block), signature.inputs());
    requireFit(function, block, shapes);
    module.account().take(function.attributes());
    ComputationImport target = module.target(function);
    for (int i = 0; i < shapes.size(); i++) {
      HloInstruction parameter =
          parameter(target, function, block.arguments().get(i), i, shapes.get(i));
      module.known().put(parameter, isKnown(known.get(i), shapes.get(i)) ? known.get(i) : null);
      target.define(block.arguments().get(i), parameter);
    }
    ImmutableList<HloInstruction> results = target.lower(block);
    requireDeclared(function, "returns", RegionRules.returned(block), signature.results());
    requireScales(function);
    return module.finish(target, function, results);
  }

  /** Returns whether the elements are known; there are none if they are not. */
  private static boolean isKnown(long[] elements, Shape shape) {
    return elements.length > 0
        || (shape instanceof Shape.Array array && !array.isDynamic() && array.elementCount() == 0);
  }

  private static void requireFit(Operation function, Block block, List<Shape> shapes) {
    require(
        shapes.size() == block.arguments().size(),
        ARGUMENT,
        "@%s got %s arguments, want %s",
        name(function),
        shapes.size(),
        block.arguments().size());
    for (int i = 0; i < shapes.size(); i++) {
      require(
          Shapes.fits(shapes.get(i), block.arguments().get(i).type()),
          ARGUMENT,
          "argument %s of @%s got %s, want %s",
          i,
          name(function),
          Shapes.text(shapes.get(i)),
          block.arguments().get(i).type());
    }
  }

  private static HloInstruction parameter(
      ComputationImport target, Operation function, Value argument, int number, Shape shape) {
    String known = argument.location().name();
    HloInstruction parameter =
        target.parameter(
            number,
            shape,
            known.isEmpty() ? name(argument, number) : known,
            target.module().metadata(argument.location()));
    Attributes attributes = attributes(function, "arg_attrs", number);
    HloInstruction annotated = Annotations.of(attributes, target.module().meshes()).on(parameter);
    return annotated == parameter ? parameter : target.replaceLast(annotated);
  }

  /** Returns the name of an argument; bytecode has no names. */
  private static String name(Value argument, int number) {
    return argument.name().isEmpty() ? "arg" + number : argument.name();
  }

  /** Returns the attributes of an argument or result. */
  static Attributes attributes(Operation function, String list, int number) {
    return function.attributes().ofElement(list, number);
  }

  /** Returns the types of a function's arguments and results, as it declares them. */
  static Type.Function signature(Operation function) {
    if (function.attributes().get("function_type") instanceof Attribute.OfType of
        && of.type() instanceof Type.Function signature) {
      return signature;
    }
    throw function.located(new HloException(PARSE, "function_type is missing"));
  }

  private static void requireDeclared(
      Operation function, String what, List<Type> got, List<Type> want) {
    verify(got.equals(want), "@%s %s %s, want %s", name(function), what, got, want);
  }
}
