package org.hlo4j.pjrt.ffi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.pjrt.binding.Upcalls;
import org.jspecify.annotations.Nullable;

/** The function of a name that a plugin calls. It is permanent; what it does may be replaced. */
final class Handler {
  private static final int MAX_SITES = 1000;
  private static final MethodHandle CALL = call();

  private final String target;

  /** Whether matrices are stored column by column, in programs that do not say so. */
  private final boolean areColumns;

  private volatile CustomCallTarget function;
  private volatile boolean wasAsked;
  private final Cache<String, CallSite> sites =
      CacheBuilder.newBuilder().maximumSize(MAX_SITES).build();

  Handler(String target, CustomCallTarget function, boolean areColumns) {
    this.target = target;
    this.function = function;
    this.areColumns = areColumns;
  }

  private static MethodHandle call() {
    try {
      return MethodHandles.lookup()
          .findVirtual(Handler.class, "called", MethodType.methodType(long.class, long.class));
    } catch (ReflectiveOperationException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Returns what a plugin is given, an {@code XLA_FFI_Handler}. */
  MemorySegment stub() {
    return Upcalls.stub(CALL.bindTo(this), FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
  }

  CustomCallTarget function() {
    return function;
  }

  void replace(CustomCallTarget newFunction) {
    function = newFunction;
  }

  /** Returns whether the plugin asked for the version, as it does before it takes a handler. */
  boolean wasAsked() {
    return wasAsked;
  }

  /** Called by the plugin; returns an error or 0. What is thrown out of it ends the process. */
  private long called(long address) {
    Frame frame = new Frame(address);
    try {
      if (frame.answersVersion()) {
        wasAsked = true;
      } else {
        frame.requireKnown();
        if (frame.isExecute()) {
          Upcalls.inside(() -> run(frame));
        }
      }
      return 0;
    } catch (Throwable thrown) {
      return HandlerErrors.of(frame.api(), target, thrown);
    }
  }

  private void run(Frame frame) {
    CallSite site = site(frame);
    List<Literal> arrays = new ArrayList<>();
    for (int i = 0; i < site.operands().size(); i++) {
      arrays.add(frame.argument(i).read(site.operands().get(i)));
    }
    HloInstruction call = site.call();
    Iterator<Literal> rest = arrays.iterator();
    ImmutableList.Builder<Literal> operands = ImmutableList.builder();
    call.operands().forEach(each -> operands.add(packed(each.shape(), rest)));
    Literal result = function.call(call, operands.build());
    requireShape(result, call.shape());
    List<Literal> results = leaves(result, new ArrayList<>());
    for (int i = 0; i < results.size(); i++) {
      frame.result(i).write(results.get(i), site.results().get(i));
    }
  }

  private CallSite site(Frame frame) {
    Optional<String> text = frame.attributes().only(CallSite.TEXT);
    CallSite site =
        text.isPresent()
            ? known(text.get(), () -> CallSite.parse(text.get()))
            : sized(String.valueOf(frame.attributes().decode()), frame, Optional.empty());
    return site.fits(frame) ? site : sized(text.orElse(""), frame, Optional.of(site));
  }

  /** Returns the call with the sizes of a frame. */
  private CallSite sized(String text, Frame frame, Optional<CallSite> whole) {
    String shapes = frame.argumentShapes() + " -> " + frame.resultShapes();
    CallSite site =
        known(
            text + " " + shapes,
            () ->
                whole.isPresent()
                    ? whole.get().resized(frame)
                    : CallSite.of(target, frame, areColumns));
    HloException.require(
        site.fits(frame), "", "got a call with %s, want one as in %s", shapes, site.call());
    return site;
  }

  private CallSite known(String key, Supplier<CallSite> made) {
    CallSite known = sites.getIfPresent(key);
    if (known == null) {
      known = made.get();
      sites.put(key, known);
    }
    return known;
  }

  /** Returns the value of a shape with the next arrays. */
  private static Literal packed(Shape shape, Iterator<Literal> arrays) {
    if (!(shape instanceof Shape.Tuple tuple)) {
      return arrays.next();
    }
    return Literal.tuple(tuple.elements().stream().map(each -> packed(each, arrays)).toList());
  }

  private static void requireShape(@Nullable Literal result, Shape want) {
    HloException.require(
        result != null && result.shape().compatible(want),
        "",
        "the function gave %s, want %s",
        result == null ? null : result.shape(),
        want.withoutLayout());
  }

  private static List<Literal> leaves(Literal value, List<Literal> to) {
    if (value.shape() instanceof Shape.Tuple) {
      value.elements().forEach(each -> leaves(each, to));
    } else {
      to.add(value);
    }
    return to;
  }
}
