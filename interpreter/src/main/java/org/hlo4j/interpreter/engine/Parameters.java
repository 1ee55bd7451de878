package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.interpreter.DeviceGrid;
import org.jspecify.annotations.Nullable;

/** The parameters of a program by name and shape, and the checks of arguments against them. */
public final class Parameters {
  /** The maximum number of parameters or arguments that a message lists. */
  private static final int MAX_LISTED = 20;

  private final ImmutableList<String> names;
  private final Shape[] shapes;
  private final ImmutableList<String> bound;

  private Parameters(ImmutableList<String> names, Shape[] shapes, ImmutableList<String> bound) {
    this.names = names;
    this.shapes = shapes;
    this.bound = bound;
  }

  /**
   * Returns the parameters of a module.
   *
   * @param module the module
   * @return the parameters of its entry
   */
  public static Parameters of(HloModule module) {
    return of(module.parameterNames(), module.entry());
  }

  /**
   * Returns the parameters of an entry under other names.
   *
   * @param names a name for each
   * @param entry the computation
   * @return its parameters
   */
  static Parameters of(ImmutableList<String> names, HloComputation entry) {
    return new Parameters(
        names,
        entry.parameters().stream()
            .map(parameter -> parameter.shape().withoutLayout())
            .toArray(Shape[]::new),
        ImmutableList.of());
  }

  /** Returns the selected parameters. Messages report the others as bound. */
  Parameters select(IntPredicate isSelected) {
    return new Parameters(
        names(isSelected),
        Arrays.stream(positions(isSelected)).mapToObj(i -> shapes[i]).toArray(Shape[]::new),
        names(isSelected.negate()));
  }

  private ImmutableList<String> names(IntPredicate isSelected) {
    return Arrays.stream(positions(isSelected)).mapToObj(names::get).collect(toImmutableList());
  }

  private int[] positions(IntPredicate isSelected) {
    return IntStream.range(0, shapes.length).filter(isSelected).toArray();
  }

  ImmutableList<String> names() {
    return names;
  }

  ImmutableList<Shape> shapes() {
    return ImmutableList.copyOf(shapes);
  }

  /** Returns text such as {@code (x: f32[2], y: f32[])}. */
  @Override
  public String toString() {
    return IntStream.range(0, shapes.length)
        .mapToObj(i -> names.get(i) + ": " + shapes[i])
        .collect(joining(", ", "(", ")"));
  }

  private boolean fits(int i, @Nullable Literal argument) {
    return argument != null
        && (shapes[i].equals(argument.shape())
            || DynamicShapes.within(shapes[i], argument.shape()));
  }

  /** Returns whether there is one argument for each parameter, of its shape. */
  boolean fit(List<Literal> arguments) {
    return arguments.size() == shapes.length
        && IntStream.range(0, shapes.length).allMatch(i -> fits(i, arguments.get(i)));
  }

  /**
   * Throws unless there is one argument for each parameter, of its shape.
   *
   * @param arguments in the order of the parameters
   * @param call the name of the call, for the message
   */
  void check(Literal[] arguments, String call) {
    if (arguments == null) {
      throw refusal(call, "arguments are null, want " + shapes.length + " literals");
    }
    int count = arguments.length;
    boolean fit = count == shapes.length;
    for (int i = 0; fit && i < count; i++) {
      fit = fits(i, arguments[i]);
    }
    if (!fit) {
      boolean isCounted = count != shapes.length;
      throw refused(
          call, isCounted ? head(count, "") : "", true, i -> i < count, i -> arguments[i]);
    }
  }

  /**
   * Returns the arguments of a single device.
   *
   * @param arguments a list of one list
   * @return the same as an array
   * @throws HloException if there are more lists or fewer
   */
  public static Literal[] ofSingle(List<List<Literal>> arguments) {
    requireLists(DeviceGrid.SINGLE, arguments, "run");
    return own(arguments, 0, "run");
  }

  private static void requireLists(DeviceGrid grid, List<List<Literal>> arguments, String call) {
    require(grid != null, "", "%s: grid is null", call);
    require(arguments != null, "", "%s: arguments are null, want a list for each device", call);
    require(
        arguments.size() == grid.deviceCount(),
        "",
        "%s: got arguments for %s, want %s",
        call,
        arguments.size() == 1 ? "1 device" : arguments.size() + " devices",
        grid.deviceCount());
  }

  private static Literal[] own(List<List<Literal>> arguments, int device, String call) {
    List<Literal> own = arguments.get(device);
    require(
        own != null,
        "",
        "%s, device %s: arguments are null, want a list of literals",
        call,
        device);
    return own.toArray(Literal[]::new);
  }

  /**
   * Returns the arguments of each device, checked.
   *
   * @param grid the devices
   * @param arguments the arguments of each, in the order of the device numbers
   * @param call the name of the call, for the message
   * @return the same as arrays
   * @throws HloException if there are not as many lists as devices, or an argument does not suit
   */
  public List<Literal[]> checkOnDevices(
      DeviceGrid grid, List<List<Literal>> arguments, String call) {
    requireLists(grid, arguments, call);
    List<Literal[]> checked = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      Literal[] all = own(arguments, i, call);
      check(all, call + ", device " + i);
      checked.add(all);
    }
    return checked;
  }

  /**
   * Returns the arguments in the order of the parameters. Throws if one is missing.
   *
   * @param arguments by the names of the parameters
   * @param call the name of the call, for the message
   */
  Literal[] orderAll(Map<String, Literal> arguments, String call) {
    @Nullable Literal[] ordered = orderSome(arguments, call, true);
    return Stream.of(ordered).toArray(Literal[]::new);
  }

  /** Returns the arguments in the order of the parameters, with null for missing ones. */
  @Nullable Literal[] orderSome(Map<String, Literal> arguments, String call) {
    return orderSome(arguments, call, false);
  }

  /**
   * Returns the bound arguments of a program with some more.
   *
   * @param bound one for each parameter of the program, null for those that are these parameters
   * @param arguments more of them, by the names of these parameters
   * @return all of them, with null for those that are still missing
   */
  @Nullable Literal[] bindMore(@Nullable Literal[] bound, Map<String, Literal> arguments) {
    @Nullable Literal[] more = orderSome(arguments, "bind");
    @Nullable Literal[] all = bound.clone();
    for (int i = 0, next = 0; i < all.length; i++) {
      if (all[i] == null && more[next++] != null) {
        all[i] = HandedOut.note(Objects.requireNonNull(more[next - 1]));
      }
    }
    return all;
  }

  private @Nullable Literal[] orderSome(Map<String, Literal> arguments, String call, boolean all) {
    if (arguments == null) {
      throw refusal(call, "arguments are null, want a map from names to literals");
    }
    IntPredicate isGiven = i -> arguments.containsKey(names.get(i));
    @Nullable Literal[] ordered = new @Nullable Literal[shapes.length];
    int given = 0;
    boolean fit = true;
    for (int i = 0; i < shapes.length; i++) {
      ordered[i] = arguments.get(names.get(i));
      boolean isAbsent = ordered[i] == null && !isGiven.test(i);
      given += isAbsent ? 0 : 1;
      fit &= isAbsent || fits(i, ordered[i]);
    }
    String unknown = given == arguments.size() ? "" : unknown(arguments);
    boolean isNamed = unknown.isEmpty() && (given == shapes.length || !all);
    if (!fit || !isNamed) {
      String head = isNamed ? "" : head(arguments.size(), all ? "" : "some of ") + unknown;
      throw refused(call, head, all, isGiven, i -> ordered[i]);
    }
    return ordered;
  }

  /**
   * Returns the actual and the expected number, such as {@code got 1 argument, want 2: x f32[2], y
   * f32[]}.
   */
  private String head(int count, String some) {
    String got = "got " + count + (count == 1 ? " argument" : " arguments") + ", want " + some;
    return shapes.length == 0
        ? got + "none"
        : got + shapes.length + joinSelected(": ", i -> true, i -> names.get(i) + " " + shapes[i]);
  }

  /** Returns the names that no parameter has, each with the most similar name of a parameter. */
  private String unknown(Map<String, Literal> arguments) {
    StringJoiner unknown = new StringJoiner(", ", "; unknown ", "").setEmptyValue("");
    StringJoiner twice = new StringJoiner(", ", "; already bound ", "").setEmptyValue("");
    for (Map.Entry<String, Literal> argument : arguments.entrySet()) {
      String name = String.valueOf(argument.getKey());
      Literal value = argument.getValue();
      String typed = name + (value == null ? "" : " " + value.shape());
      if (bound.contains(name)) {
        twice.add(typed);
      } else if (!names.contains(name)) {
        String nearest = Nearest.to(name, names);
        unknown.add(typed + (nearest.isEmpty() ? "" : " (nearest known name: " + nearest + ")"));
      }
    }
    return unknown.toString() + twice;
  }

  private HloException refused(
      String call,
      String head,
      boolean all,
      IntPredicate isGiven,
      IntFunction<@Nullable Literal> values) {
    IntPredicate isMissing = i -> all && !isGiven.test(i);
    IntPredicate isWrong = i -> isGiven.test(i) && !fits(i, values.apply(i));
    // For a short list of parameters, the head of the message has the shapes already.
    IntFunction<String> missing =
        i -> names.get(i) + (shapes.length > MAX_LISTED ? " " + shapes[i] : "");
    IntFunction<String> wrong = i -> wrong(i, values.apply(i));
    HloException refusal =
        refusal(
            call,
            Stream.of(
                    head,
                    joinSelected("missing ", isMissing, missing),
                    joinSelected("", isWrong, wrong))
                .filter(part -> !part.isEmpty())
                .collect(joining("; ")));
    String fits =
        joinSelected(
            "fits: ",
            i -> isWrong.test(i) && isConvertible(i, values.apply(i)),
            i -> names.get(i) + ".convertElementType(" + typeName(shapes[i]) + ")");
    return fits.isEmpty() ? refusal : refusal.with("fits", fits);
  }

  /** Returns whether an argument would fit after a conversion that drops no imaginary part. */
  private boolean isConvertible(int i, @Nullable Literal value) {
    return value != null
        && shapes[i] instanceof Shape.Array want
        && value.shape() instanceof Shape.Array got
        && (want.elementType().isComplex() || !got.elementType().isComplex())
        && DynamicShapes.within(want, got.withElementType(want.elementType()));
  }

  private static String typeName(Shape shape) {
    return ((Shape.Array) shape).elementType().name();
  }

  private String wrong(int i, @Nullable Literal value) {
    String got = value == null ? "null" : value.shape().toString();
    return "argument " + names.get(i) + " got " + got + ", want " + shapes[i];
  }

  /** Returns the texts of the selected parameters, at most the first 20. */
  private String joinSelected(String start, IntPredicate isSelected, IntFunction<String> text) {
    int[] all = positions(isSelected);
    String told =
        Arrays.stream(all)
            .limit(MAX_LISTED)
            .mapToObj(text)
            .collect(joining(start.isEmpty() ? "; " : ", "));
    String more = all.length > MAX_LISTED ? " and " + (all.length - MAX_LISTED) + " more" : "";
    return told.isEmpty() ? "" : start + told + more;
  }

  private static HloException refusal(String call, String problem) {
    return new HloException("", call + ": " + problem);
  }
}
