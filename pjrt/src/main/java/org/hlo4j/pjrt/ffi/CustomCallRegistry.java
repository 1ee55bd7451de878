package org.hlo4j.pjrt.ffi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Strings;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.interpreter.CustomCallTarget;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.pjrt.PjrtException;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Function;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.pjrt.binding.Table;

/**
 * The handlers of custom calls of one plugin. The plugin keeps what it is given until the process
 * ends, and drops, without a word, one for a name that it has already. So it is asked first, at the
 * first program with that name, by a program of nothing else.
 */
public final class CustomCallRegistry {
  /** XLA's CPUs, of which handlers get memory that Java can read. */
  private static final String PLATFORM = "cpu";

  /** Their name in the extension. */
  private static final String HANDLER_PLATFORM = "Host";

  private static final int FFI = Table.PJRT.number("PJRT_Extension_Type_FFI");

  /** The first version with these structs. */
  private static final int SINCE = 73;

  private static final StructLayout EXTENSION = Table.FFI.struct("PJRT_FFI_Extension");
  private static final StructLayout ARGUMENTS = Table.FFI.struct("PJRT_FFI_Register_Handler_Args");

  /** Names that XLA's compilers know; one that sees such a call without operands may crash. */
  private static final Pattern OF_XLA =
      Pattern.compile(
          "(__|xla\\.|mhlo\\.|Dynamic|MoveTo|SPMD|X64).*|AllocateBuffer|CreateBuffer|Eigh|Qr|Pin"
              + "|AssumeGatherIndicesInBound|GatherScatterIndicesBitpacked|GetRngSeed|PlaceHolder"
              + "|LayoutConstraint|LuDecomposition|ProductOfElementaryHouseholderReflectors"
              + "|PadToStatic|SetBound|Sharding|SliceToDynamic|TopK|Unpin|control_dep"
              + "|annotate_device_placement");

  /** How XLA says that it has no handler of a name. */
  private static final Pattern MISSING = Pattern.compile("No FFI handler registered for (\\S+)");

  /**
   * A client of the plugin, as far as the registry needs one.
   *
   * @param platform the name of the platform, such as cpu
   * @param hasHandler whether the plugin has a handler of a name
   */
  public record Client(String platform, Predicate<String> hasHandler) {}

  private enum Owner {
    HLO4J,
    PLUGIN,
    NOBODY
  }

  private final Api api;
  private final Map<String, Handler> handlers = new LinkedHashMap<>();
  private final Map<String, Owner> owners = new HashMap<>();

  /** The handlers of a plugin, none at first. */
  public CustomCallRegistry(Api api) {
    this.api = api;
  }

  /** Adds a handler. */
  public synchronized void register(String target, CustomCallTarget function) {
    refuseIf(target.isEmpty() || target.indexOf('\0') >= 0, "\"%s\", want a name", target);
    refuseIf(OF_XLA.matcher(target).matches(), "%s, a name of XLA's, want another", target);
    refuseIf(
        isOfUser(target),
        "a second function of %s, want one; PjrtCustomCalls.replace replaces it",
        target);
    registration();
    Handler handler = handlers.remove(target);
    handlers.put(target, handler == null ? new Handler(target) : handler);
    handler(target).replace(function);
  }

  @FormatMethod
  private static void refuseIf(boolean isWrong, @FormatString String what, Object... names) {
    HloException.require(!isWrong, "", "custom-call: got %s", Strings.lenientFormat(what, names));
  }

  /** Replaces a handler, and returns what it did before. */
  public synchronized CustomCallTarget replace(String target, CustomCallTarget function) {
    refuseIf(!isOfUser(target), "%s, want one of %s", target, names());
    CustomCallTarget before = handler(target).function();
    handler(target).replace(function);
    return before;
  }

  private Handler handler(String target) {
    return handlers.computeIfAbsent(target, Handler::new);
  }

  private boolean isOfUser(String target) {
    return names().contains(target);
  }

  /** {@return the names that have a handler of the user's} */
  public synchronized ImmutableSet<String> names() {
    return ImmutableSet.copyOf(Maps.filterValues(handlers, Handler::isOfUser).keySet());
  }

  /** Returns the function that registers a handler. */
  private Function registration() {
    Api.Extension extension = api.extensions().get(FFI);
    long size = extension == null ? 0 : extension.memory().byteSize();
    long function =
        extension == null || size < EXTENSION.sizeof() || api.minor() < SINCE
            ? 0
            : EXTENSION.field("register_handler").get(extension.memory());
    HloException.require(
        function != 0,
        Kind.UNSUPPORTED,
        "custom-call: got a plugin of version %s whose extension FFI (%s bytes) takes no functions,"
            + " want one of 0.%s or later that does (%s bytes)",
        api.version(),
        size,
        SINCE,
        EXTENSION.sizeof());
    return new Function(
        api,
        "PJRT_FFI_Register_Handler",
        MemorySegment.ofAddress(function),
        ARGUMENTS,
        new ConcurrentLinkedQueue<>());
  }

  private void give(String target) {
    MemorySegment stub = handler(target).stub();
    try (Arena arena = Arena.ofConfined();
        Call call = registration().open()) {
      call.set("target_name", target.getBytes(UTF_8), arena)
          .set("platform_name", HANDLER_PLATFORM.getBytes(UTF_8), arena)
          .set("handler", stub)
          .invoke();
    }
  }

  private Owner owner(String target, Client client) {
    return owners.computeIfAbsent(target, any -> decided(target, client));
  }

  private Owner decided(String target, Client client) {
    boolean isOfUser = isOfUser(target);
    if (client.hasHandler().test(target)) {
      refuseIf(isOfUser, "a function of %s, of which the plugin has its own, want another", target);
      return Owner.PLUGIN;
    }
    if (!client.platform().equals(PLATFORM) || !api.extensions().containsKey(FFI)) {
      refuseIf(
          isOfUser,
          "a call of %s on %s, want it on %s, whose memory Java can read",
          target,
          client.platform(),
          PLATFORM);
      return Owner.NOBODY;
    }
    give(target);
    return Owner.HLO4J;
  }

  /** Gives the plugin the user's handlers, for programs of which it is not known what they call. */
  public synchronized void giveAll(Client client) {
    names().forEach(target -> owner(target, client));
  }

  /**
   * Gives the plugin a handler of hlo4j's that it lacks.
   *
   * @param refusal what the plugin said
   * @return whether it said that, so that the call can be tried again
   */
  public synchronized boolean givesMissing(PjrtException refusal, Client client) {
    Matcher missing = MISSING.matcher(refusal.summary());
    return missing.find()
        && isKnown(missing.group(1))
        && !owners.containsKey(missing.group(1))
        && owner(missing.group(1), client) == Owner.HLO4J;
  }

  /**
   * Returns a program as its handlers want it: with the text of each call that is answered here.
   * What nobody answers is written as ops of HLO.
   *
   * @throws HloException of kind {@code UNSUPPORTED} if there is neither a handler nor such an op
   */
  public synchronized HloModule prepared(HloModule module, Client client) {
    return ModuleCopy.map(module, each -> isAnswered(each) ? told(each, client) : each);
  }

  private HloInstruction told(HloInstruction call, Client client) {
    return switch (owner(((CustomCall) call.op()).customCallTarget(), client)) {
      case HLO4J -> CallSite.told(call);
      case PLUGIN -> call;
      case NOBODY -> KnownCalls.asOps(call, client.platform());
    };
  }

  private boolean isAnswered(HloInstruction instruction) {
    return instruction.op() instanceof CustomCall call
        && (isOfUser(call.customCallTarget())
            || (call.apiVersion() == CustomCall.ApiVersion.API_VERSION_TYPED_FFI
                && isKnown(call.customCallTarget())));
  }

  /** Returns whether a target is one that hlo4j has a kernel for, and XLA's compiler nothing. */
  private static boolean isKnown(String target) {
    return Interpreter.KNOWN_CUSTOM_CALLS.contains(target) && !OF_XLA.matcher(target).matches();
  }
}
