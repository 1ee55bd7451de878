package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A whole program: a list of computations, callees before callers, with one as the entry.
 *
 * <p>Serializable, as an HloModuleProto in a form of a version that is checked.
 *
 * @serial exclude
 */
public final class HloModule implements Serializable {
  private static final long serialVersionUID = 1L;

  private final transient String name;
  private final transient ImmutableList<HloComputation> computations;
  private final transient HloComputation entry;
  private final transient ImmutableMap<String, String> attributes;
  private final transient String stackFrames;
  private final transient UnknownFields unknownFields;
  private final transient Supplier<ModuleDevices> devices =
      Suppliers.memoize(() -> ModuleDevices.of(this));

  private HloModule(
      String name,
      ImmutableList<HloComputation> computations,
      HloComputation entry,
      ImmutableMap<String, String> attributes,
      String stackFrames,
      UnknownFields unknownFields) {
    this.name = requireNonNull(name, "name");
    this.computations = computations;
    this.entry = requireNonNull(entry, "entry");
    this.attributes = attributes;
    this.stackFrames = stackFrames;
    this.unknownFields = unknownFields;
  }

  /**
   * Returns a module of an entry computation and all it calls.
   *
   * @param name the module's name
   * @param entry the computation that is run
   * @return the module, callees before callers
   */
  public static HloModule create(String name, HloComputation entry) {
    return create(name, calleesFirst(requireNonNull(entry, "entry")), entry);
  }

  /**
   * Returns an unverified module of these computations.
   *
   * @param name the module's name
   * @param computations the computations, callees before callers
   * @param entry the one that is run
   * @return the module
   */
  public static HloModule create(
      String name, List<HloComputation> computations, HloComputation entry) {
    return new HloModule(
        name,
        requireNoNulls(computations, "computations"),
        entry,
        ImmutableMap.of(),
        "",
        UnknownFields.NONE);
  }

  /**
   * Returns the same module with other header attributes and stack frames.
   *
   * @param newAttributes the attributes of its header by name, as written after the equals sign
   * @param newStackFrames the tables that metadata refers to by {@code stack_frame_id}, as text
   * @return the module
   */
  public HloModule withText(Map<String, String> newAttributes, String newStackFrames) {
    return new HloModule(
        name,
        computations,
        entry,
        requireNoNulls(newAttributes, "newAttributes"),
        newStackFrames,
        unknownFields);
  }

  /**
   * Returns the same module with other unknown fields.
   *
   * @param fields what a protocol buffer says of it that hlo4j does not interpret
   * @return the module
   */
  public HloModule withUnknownFields(UnknownFields fields) {
    return new HloModule(name, computations, entry, attributes, stackFrames, fields);
  }

  /**
   * Sorts the computations depth-first, with an explicit stack, because calls may be nested deeper
   * than Java's stack permits.
   */
  private static ImmutableList<HloComputation> calleesFirst(HloComputation entry) {
    ImmutableList.Builder<HloComputation> order = ImmutableList.builder();
    Set<HloComputation> done = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<HloComputation> opened = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<HloComputation> stack = new ArrayDeque<>();
    stack.push(entry);
    while (!stack.isEmpty()) {
      HloComputation top = stack.peek();
      if (opened.add(top)) {
        for (HloInstruction caller : top.instructions().reverse()) {
          caller.called().reverse().stream().filter(c -> !opened.contains(c)).forEach(stack::push);
        }
      } else {
        stack.pop();
        if (done.add(top)) {
          order.add(top);
        }
      }
    }
    return order.build();
  }

  /**
   * Returns the name of the module.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns all computations, callees before callers.
   *
   * @return the computations
   */
  public ImmutableList<HloComputation> computations() {
    return computations;
  }

  /**
   * Returns the instructions of all computations, callees before callers.
   *
   * @return the instructions
   */
  public Stream<HloInstruction> instructions() {
    return computations.stream().flatMap(each -> each.instructions().stream());
  }

  /**
   * Returns the computation that is run.
   *
   * @return the entry computation
   */
  public HloComputation entry() {
    return entry;
  }

  /**
   * Returns the names under which the entry's arguments are given. They are those of its parameters
   * in the text that it was read from: there, instructions of other computations may have them,
   * too, so that in the module, where names are unique, a parameter {@code x} may be {@code x.1}.
   *
   * @return a name for each parameter of the entry, in order
   */
  public ImmutableList<String> parameterNames() {
    List<HloInstruction> parameters = entry.parameters();
    ImmutableList<String> written =
        parameters.stream().map(each -> each.quoted().substring(1)).collect(toImmutableList());
    return ImmutableSet.copyOf(written).size() == written.size()
        ? written
        : parameters.stream().map(HloInstruction::name).collect(toImmutableList());
  }

  /**
   * Returns the devices that the program is for, and how arguments and results lie on them.
   *
   * @return the devices, as header, shardings and manual computations say
   * @throws org.hlo4j.hlo.HloException if a sharding does not suit its array
   */
  public ModuleDevices devices() {
    return devices.get();
  }

  /**
   * Returns the attributes of the header that hlo4j does not interpret, such as {@code
   * is_scheduled} and {@code input_output_alias}, and {@code entry_computation_layout} if it was
   * written.
   *
   * @return the attributes by name, each as it is written after the equals sign
   */
  public ImmutableMap<String, String> attributes() {
    return attributes;
  }

  /**
   * Returns the tables of files, functions, locations and frames that metadata refers to by {@code
   * stack_frame_id}.
   *
   * @return the tables as text; empty if there are none
   */
  public String stackFrames() {
    return stackFrames;
  }

  /**
   * Returns what the protocol buffer of the module says that hlo4j does not interpret.
   *
   * @return the fields; none if the module was not read from one
   */
  public UnknownFields unknownFields() {
    return unknownFields;
  }

  /** Returns the name and the entry's signature; the text of the module is the Printer's. */
  @Override
  public String toString() {
    return "HloModule " + name + " " + entry.programShape();
  }

  private Object writeReplace() {
    return new org.hlo4j.hlo.serial.ModuleForm(this);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("module: got its fields, want its serial form");
  }
}
