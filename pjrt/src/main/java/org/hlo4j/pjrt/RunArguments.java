package org.hlo4j.pjrt;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.pjrt.binding.Handle;
import org.hlo4j.pjrt.binding.HostArrays;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of one run. A plugin compares neither types nor sizes nor layouts with those of the
 * program.
 *
 * @param lists for each device a buffer for each parameter
 * @param donated the numbers of the arguments that the run may write to
 */
record RunArguments(List<? extends List<PjrtBuffer>> lists, Set<Integer> donated) {
  /**
   * Compares the arguments with what a program takes.
   *
   * @param devices those of the program
   * @param parameters what each takes
   * @throws HloException if an argument does not suit, or cannot be donated
   */
  void check(ImmutableList<PjrtDevice> devices, ImmutableList<Shape> parameters) {
    require(
        lists.size() == devices.size(),
        "got arguments of %s devices, want those of %s",
        lists.size(),
        devices.size());
    for (int i = 0; i < devices.size(); i++) {
      check(lists.get(i), devices.get(i), parameters);
      checkDonated(lists.get(i));
    }
  }

  @FormatMethod
  private static void require(boolean holds, @FormatString String what, @Nullable Object... names) {
    if (!holds) {
      throw new HloException("", "execute: " + Strings.lenientFormat(what, names));
    }
  }

  private void checkDonated(List<PjrtBuffer> arguments) {
    for (int number : donated) {
      require(
          number >= 0 && number < arguments.size(),
          "donated got argument %s, want one of the %s",
          number,
          arguments.size());
      PjrtBuffer argument = arguments.get(number);
      require(!argument.isView(), "donated got argument %s, which is a view", number);
      require(
          arguments.indexOf(argument) == arguments.lastIndexOf(argument),
          "donated got argument %s, which is argument %s, too",
          number,
          arguments.indexOf(argument) + arguments.lastIndexOf(argument) - number);
    }
  }

  /** Closes the donated buffers that are gone. */
  void closeDonated(Predicate<PjrtBuffer> isGone) {
    for (List<PjrtBuffer> each : lists) {
      for (int number : donated) {
        if (!each.get(number).handle().isClosed() && isGone.test(each.get(number))) {
          each.get(number).handle().donate();
        }
      }
    }
  }

  private static void check(
      List<PjrtBuffer> arguments, PjrtDevice device, ImmutableList<Shape> parameters) {
    require(
        arguments.size() == parameters.size(),
        "got %s arguments, want %s",
        arguments.size(),
        parameters.size());
    for (int i = 0; i < arguments.size(); i++) {
      PjrtBuffer argument = arguments.get(i);
      require(
          argument.device().client() == device.client(),
          "argument %s got a buffer of another client, want one of this: %s",
          i,
          device.client());
      require(
          argument.device() == device, "argument %s got %s, want it on %s", i, argument, device);
      check(i, argument, parameters.get(i));
    }
  }

  private static void check(int number, PjrtBuffer argument, Shape want) {
    Shape.Array got = argument.shape();
    Shape.Array array = want instanceof Shape.Array known ? known : got;
    require(
        want instanceof Shape.Array
            && got.elementType() == array.elementType()
            && got.sizes().equals(array.sizes()),
        "argument %s got %s, want %s",
        number,
        got,
        want.withoutLayout());
    Layout layout = array.layout().orElse(Layout.rowMajor(array.rank()));
    require(
        HostArrays.sameOrder(argument.layout().orElse(layout), layout, got),
        "argument %s got %s in the layout %s, want %s",
        number,
        got,
        argument.layout().orElse(layout),
        layout);
  }

  /** Keeps the program and all buffers alive for a run; no donated one can be read any more. */
  List<Handle> hold(Handle program) {
    lists.forEach(own -> donated.forEach(number -> own.get(number).stopReads()));
    List<Handle> held = new ArrayList<>(4);
    try {
      held.add(program.hold());
      for (List<PjrtBuffer> each : lists) {
        for (PjrtBuffer argument : each) {
          held.add(argument.handle().hold());
        }
      }
      return held;
    } catch (HloException closed) {
      held.forEach(Handle::release);
      throw closed;
    }
  }
}
