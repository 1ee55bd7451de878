package org.hlo4j.pjrt.ffi;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ImmutableList;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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

  private final String target;
  private volatile CustomCallTarget function = new KnownCalls();
  private final Cache<CallSite.Key, CallSite> sites =
      CacheBuilder.newBuilder().maximumSize(MAX_SITES).build();

  /** A handler that answers by hlo4j's kernels until its function is replaced. */
  Handler(String target) {
    this.target = target;
  }

  /** Returns what a plugin is given, an {@code XLA_FFI_Handler}. */
  MemorySegment stub() {
    return Upcalls.stub(this::called);
  }

  CustomCallTarget function() {
    return function;
  }

  boolean isOfUser() {
    return !(function instanceof KnownCalls);
  }

  void replace(CustomCallTarget newFunction) {
    function = newFunction;
  }

  /** Called by the plugin; returns an error or 0. What is thrown out of it ends the process. */
  long called(long address) {
    Frame frame = Frame.at(address);
    try {
      if (!frame.answersVersion() && frame.isExecute()) {
        Upcalls.inside(() -> run(frame));
      }
      return 0;
    } catch (Throwable thrown) {
      return HandlerErrors.of(frame.api(), target, thrown);
    }
  }

  private void run(Frame frame) {
    CallSite site = site(CallSite.Key.of(frame));
    HloInstruction call = site.call();
    List<Literal> arrays = new ArrayList<>();
    List<FrameBuffer> operands = frame.operands();
    for (int i = 0; i < operands.size(); i++) {
      operands.get(i).read(site.operands().get(i)).ifPresent(arrays::add);
    }
    Iterator<Literal> rest = arrays.iterator();
    Literal result =
        function.call(
            call,
            call.operands().stream()
                .map(each -> Literal.ofArrays(each.shape(), rest))
                .collect(ImmutableList.toImmutableList()));
    requireShape(result, call.shape());
    Iterator<Literal> values = result.arrays().iterator();
    List<FrameBuffer> results = frame.results();
    for (int i = 0; i < results.size(); i++) {
      if (site.results().get(i) instanceof Shape.Array array) {
        results.get(i).write(values.next(), array);
      }
    }
  }

  private CallSite site(CallSite.Key key) {
    CallSite known = sites.getIfPresent(key);
    if (known == null) {
      known = key.site(target, KnownCalls.takesColumns(target));
      sites.put(key, known);
    }
    return known;
  }

  private static void requireShape(@Nullable Literal result, Shape want) {
    if (result == null || !result.shape().compatible(want)) {
      String got = result == null ? "null" : result.shape().toString();
      throw new HloException("", "the function gave " + got + ", want " + want.withoutLayout());
    }
  }
}
