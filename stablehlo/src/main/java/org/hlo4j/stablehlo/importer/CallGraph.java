package org.hlo4j.stablehlo.importer;

import static org.hlo4j.hlo.HloException.Kind.VERIFY;

import com.google.common.collect.FluentIterable;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Operation;

/** The functions of a module, and an order in which each function comes after its callees. */
final class CallGraph {
  private enum State {
    OPENED,
    DONE
  }

  /** The attributes that builtin.module declares itself. */
  private static final ImmutableSet<String> OF_MODULES =
      ImmutableSet.of("sym_name", "sym_visibility");

  private final ImmutableMap<String, Operation> functions;

  CallGraph(Operation module) {
    requirePrefixes(module);
    Map<String, Operation> named = new LinkedHashMap<>();
    for (Operation operation : module.region(0).block().operations()) {
      if (operation.name().equals("func.func")) {
        String name = new Fields(operation).string("sym_name");
        if (named.put(name, operation) != null) {
          throw operation.located(new HloException(VERIFY, "function @%s is defined twice", name));
        }
      }
    }
    functions = ImmutableMap.copyOf(named);
  }

  /** Requires, as MLIR's verifier does, that other attributes have the prefix of a dialect. */
  private static void requirePrefixes(Operation module) {
    for (String name : module.attributes().entries().keySet()) {
      if (name.indexOf('.') < 0 && !OF_MODULES.contains(name)) {
        throw module.located(
            new HloException(
                VERIFY, "attribute got %s, want the prefix of a dialect: mhlo.%s", name, name));
      }
    }
  }

  ImmutableMap<String, Operation> functions() {
    return functions;
  }

  /** Returns the function of a name. A refusal names the operation that uses it. */
  Operation function(String name, Operation user) {
    Operation function = functions.get(name);
    if (function == null) {
      throw user.located(
          new HloException(
              VERIFY, "got @%s, want one of the functions %s", name, functions.keySet()));
    }
    return function;
  }

  /** Returns the entry: {@code main}, or the only function. */
  Operation entry(Operation module) {
    return findEntry()
        .orElseThrow(() ->
            module.located(
                new HloException(
                    VERIFY,
                    "got the functions %s, want one that is named main",
                    functions.keySet())));
  }

  /** Returns the entry; empty if there is none. */
  Optional<Operation> findEntry() {
    Operation main = functions.get("main");
    return main == null && functions.size() == 1
        ? functions.values().stream().findFirst()
        : Optional.ofNullable(main);
  }

  /** Returns {@code main}, or else all functions without arguments. */
  ImmutableList<Operation> testEntries(Operation module) {
    ImmutableList<Operation> tests =
        functions.values().stream()
            .filter(function -> FunctionImport.block(function).arguments().isEmpty())
            .collect(ImmutableList.toImmutableList());
    return functions.containsKey("main") || tests.isEmpty()
        ? ImmutableList.of(entry(module))
        : tests;
  }

  /** Requires that no function calls itself, directly or indirectly. */
  void requireNoRecursion() {
    Map<Operation, State> states = new HashMap<>();
    functions.values().forEach(function -> postOrder(function, states));
  }

  /** Returns a function and all functions that it calls, callees first. */
  ImmutableList<Operation> postOrder(Operation entry) {
    return postOrder(entry, new HashMap<>());
  }

  private ImmutableList<Operation> postOrder(Operation entry, Map<Operation, State> states) {
    ImmutableList.Builder<Operation> order = ImmutableList.builder();
    Deque<Operation> stack = new ArrayDeque<>();
    stack.push(entry);
    while (!stack.isEmpty()) {
      Operation top = stack.peek();
      if (states.get(top) == null) {
        states.put(top, State.OPENED);
        callees(top).forEach(callee -> push(callee, states, stack));
      } else {
        stack.pop();
        if (states.put(top, State.DONE) == State.OPENED) {
          order.add(top);
        }
      }
    }
    return order.build();
  }

  private static void push(Operation callee, Map<Operation, State> states, Deque<Operation> stack) {
    State state = states.get(callee);
    if (state == State.OPENED) {
      throw callee.located(
          new HloException(
              VERIFY,
              "function calls itself: %s, want no recursion",
              cycle(callee, states, stack)));
    }
    if (state == null) {
      stack.push(callee);
    }
  }

  /**
   * Describes a cycle, {@code @f -> @g -> @f}: the functions on the call path, from a function to
   * its recursive call.
   */
  private static String cycle(
      Operation function, Map<Operation, State> states, Deque<Operation> stack) {
    List<String> names = new ArrayList<>();
    names.add("@" + FunctionImport.name(function));
    for (Operation caller : stack) {
      if (states.get(caller) == State.OPENED) {
        names.add("@" + FunctionImport.name(caller));
      }
      if (caller.equals(function)) {
        break;
      }
    }
    return String.join(" -> ", Lists.reverse(names));
  }

  /** Returns the functions of the module that a function calls. */
  private Set<Operation> callees(Operation function) {
    Set<Operation> callees = new LinkedHashSet<>();
    Deque<Operation> open = new ArrayDeque<>();
    open.push(function);
    while (!open.isEmpty()) {
      Operation operation = open.pop();
      callee(operation).stream()
          .map(symbol -> functions.get(symbol.name()))
          .filter(Objects::nonNull)
          .forEach(callees::add);
      operation.blocks().forEach(block -> block.operations().forEach(open::push));
    }
    return callees;
  }

  private static ImmutableList<Attribute.Symbol> callee(Operation operation) {
    Fields fields = new Fields(operation);
    return switch (operation.name()) {
      case "func.call" -> ImmutableList.of(fields.symbol("callee"));
      case "stablehlo.composite" -> ImmutableList.of(fields.symbol("decomposition"));
      case "stablehlo.custom_call" -> // what is not a symbol is refused where the call is lowered
          FluentIterable.from(fields.array("called_computations"))
              .filter(Attribute.Symbol.class)
              .toList();
      default -> ImmutableList.of();
    };
  }
}
