package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.ARGUMENT;
import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/** Properties of a StableHLO module that are found without importing it. */
public final class ModuleOutline {
  private ModuleOutline() {}

  /**
   * Returns the name of a module.
   *
   * @param module a {@code builtin.module}
   * @return its symbol; if it has none, the name of the first function; empty if there is none
   */
  public static String name(Operation module) {
    String symbol = new Fields(module).string("sym_name");
    return !symbol.isEmpty()
        ? symbol
        : new CallGraph(module).functions().keySet().stream().findFirst().orElse("");
  }

  /**
   * Returns whether there is a function to run.
   *
   * @param module a {@code builtin.module}
   * @return whether one with a body is named main or is the only function
   */
  public static boolean hasEntry(Operation module) {
    return new CallGraph(module)
        .findEntry()
        .filter(entry -> entry.regions().stream().anyMatch(region -> !region.isEmpty()))
        .isPresent();
  }

  /**
   * Returns a module with another entry.
   *
   * @param module a {@code builtin.module}
   * @param function the name of one of its functions
   * @return the module with that function, as {@code main} if there are others, and those that it
   *     calls
   * @throws HloException if there is no such function, or it calls a function named main
   */
  public static Operation withEntry(Operation module, String function) {
    CallGraph graph = new CallGraph(module);
    Operation entry = graph.functions().get(function);
    if (entry == null) {
      throw new HloException(
          ARGUMENT, "function got %s, want one of %s", function, graph.functions().keySet());
    }
    ImmutableList<Operation> called = graph.postOrder(entry);
    ImmutableList.Builder<Operation> kept = ImmutableList.builder();
    for (Operation operation : module.region(0).block().operations()) {
      if (operation == entry) {
        kept.add(called.size() > 1 ? main(entry) : entry);
      } else if (called.contains(operation)) {
        requireNotMain(operation, function);
        kept.add(operation);
      } else if (!operation.name().equals("func.func")) {
        kept.add(operation);
      }
    }
    Block block = new Block(module.region(0).block().arguments(), kept.build());
    return module.withRegions(ImmutableList.of(Region.of(block)));
  }

  private static Operation main(Operation function) {
    return function.withAttributes(
        function.attributes().with("sym_name", new Attribute.Str("main")));
  }

  private static void requireNotMain(Operation called, String function) {
    require(
        !FunctionImport.name(called).equals("main"),
        UNSUPPORTED,
        "function got %s, which calls main, want one that does not",
        function);
  }

  /**
   * Returns whether sizes of the entry's arguments are unknown, or sizes of other values follow
   * from what the arguments hold.
   *
   * @param module a {@code builtin.module}
   * @return whether they are; false if there is no entry
   */
  public static boolean hasSymbolicDimensions(Operation module) {
    return new CallGraph(module)
        .findEntry()
        .filter(entry -> !FunctionImport.isDeclaration(entry))
        .filter(entry -> hasSymbolicArguments(entry) || dependsOnValues(module, entry))
        .isPresent();
  }

  /**
   * Returns whether a module of symbolic dimensions has no counterpart unless its arguments are
   * known.
   */
  private static boolean dependsOnValues(Operation module, Operation entry) {
    boolean hasSymbolicResults =
        FunctionImport.block(entry).operations().stream()
            .flatMap(operation -> operation.results().stream())
            .anyMatch(ModuleOutline::isSymbolic);
    if (!hasSymbolicResults) {
      return false;
    }
    try {
      ModuleImport.of(module);
      return false;
    } catch (HloException unknownSize) {
      return unknownSize.kind() == UNSUPPORTED;
    }
  }

  /**
   * Returns the shape of a value, with {@link Shape#UNBOUNDED} for sizes that are not known.
   *
   * @param type its type
   * @return the shape
   * @throws HloException if HLO has no such type
   */
  public static Shape symbolicShape(Type type) {
    return Shapes.symbolicShape(type);
  }

  /**
   * Returns the arguments of the entry.
   *
   * @param module a {@code builtin.module}
   * @return the arguments
   * @throws HloException if it has no entry
   */
  public static ImmutableList<Value> arguments(Operation module) {
    return FunctionImport.block(new CallGraph(module).entry(module)).arguments();
  }

  /**
   * Returns whether a function has arguments of unknown sizes, on which the sizes of its values
   * depend.
   */
  static boolean hasSymbolicArguments(Operation function) {
    return FunctionImport.block(function).arguments().stream().anyMatch(ModuleOutline::isSymbolic);
  }

  private static boolean isSymbolic(Value value) {
    return value.type() instanceof Type.Tensor tensor
        && !tensor.isStatic()
        && tensor.encoding().isEmpty();
  }
}
