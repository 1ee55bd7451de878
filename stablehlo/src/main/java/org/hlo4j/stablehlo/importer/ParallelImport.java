package org.hlo4j.stablehlo.importer;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.ParallelProgram;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Attributes;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Region;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Value;

/**
 * The split of a program at its {@code interpreter.run_parallel} into the parts before and after
 * it.
 */
public final class ParallelImport {
  private final Operation module;
  private final Operation entry;
  private final ImmutableList<Operation> operations;
  private final int cut;

  private ParallelImport(Operation module, Operation entry, int cut) {
    this.module = module;
    this.entry = entry;
    this.operations = FunctionImport.block(entry).operations();
    this.cut = cut;
  }

  /**
   * Splits a program into its parts.
   *
   * @param module a {@code builtin.module}
   * @return the parts; empty if its entry has no such op
   */
  public static Optional<ParallelProgram> of(Operation module) {
    Operation entry = new CallGraph(module).testEntries(module).get(0);
    List<Operation> operations = FunctionImport.block(entry).operations();
    for (int i = 0; i < operations.size(); i++) {
      if (operations.get(i).name().equals("interpreter.run_parallel")) {
        return Optional.of(new ParallelImport(module, entry, i).parts());
      }
    }
    return Optional.empty();
  }

  private ParallelProgram parts() {
    Operation run = operations.get(cut);
    Fields fields = new Fields(run);
    Map<String, HloModule> modules = new HashMap<>();
    ImmutableList<ImmutableList<HloModule>> programs =
        fields.array("programs").stream()
            .map(row ->
                names(row).stream().map(name -> named(name, modules)).collect(toImmutableList()))
            .collect(toImmutableList());
    return new ParallelProgram(
        moduleBeforeSplit(run),
        programs,
        fields.array("infeed").stream()
            .map(row -> named(names(row).get(0), modules))
            .collect(toImmutableList()),
        ModuleImport.checked(moduleAfterSplit(run)).get(0));
  }

  private static List<String> names(Attribute row) {
    require(
        row instanceof Attribute.Array array && !array.elements().isEmpty(),
        PARSE,
        "got %s, want a list of functions",
        row);
    return ((Attribute.Array) row)
        .elements().stream().map(name -> ((Attribute.Symbol) name).name()).toList();
  }

  private HloModule named(String name, Map<String, HloModule> modules) {
    return modules.computeIfAbsent(name, each -> ModuleImport.of(module, each));
  }

  /**
   * Returns a module of the operations before the split, whose results are the operands of the
   * split operation.
   */
  private HloModule moduleBeforeSplit(Operation run) {
    List<Operation> body = new ArrayList<>(operations.subList(0, cut));
    body.add(Operation.of("func.return", run.operands(), List.of(), Attributes.NONE));
    return ModuleImport.of(
        withEntry(FunctionImport.block(entry).arguments(), body, run.operandTypes()));
  }

  /**
   * Returns a module of all other operations, whose arguments are the results of the split
   * operation. It includes the operations before the split, whose values may be used after it.
   */
  private Operation moduleAfterSplit(Operation run) {
    List<Operation> body = new ArrayList<>(operations.subList(0, cut));
    body.addAll(operations.subList(cut + 1, operations.size()));
    Operation end = operations.get(operations.size() - 1);
    return withEntry(run.results(), body, end.operandTypes());
  }

  private Operation withEntry(List<Value> arguments, List<Operation> body, List<Type> results) {
    Type.Function type = new Type.Function(Value.types(arguments), ImmutableList.copyOf(results));
    Operation function =
        entry
            .withAttributes(
                Attributes.of(
                    Map.of(
                        "sym_name",
                        new Attribute.Str("main"),
                        "function_type",
                        new Attribute.OfType(type))))
            .withRegions(
                List.of(
                    Region.of(
                        new Block(ImmutableList.copyOf(arguments), ImmutableList.copyOf(body)))));
    ImmutableList<Operation> all =
        module.region(0).block().operations().stream()
            .map(each -> each == entry ? function : each)
            .collect(toImmutableList());
    return module.withRegions(List.of(Region.of(new Block(ImmutableList.of(), all))));
  }
}
