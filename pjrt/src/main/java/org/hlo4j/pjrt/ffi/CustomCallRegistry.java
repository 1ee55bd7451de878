package org.hlo4j.pjrt.ffi;

import com.google.common.base.Utf8;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
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
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * The handlers of custom calls of one plugin. The plugin keeps what it is given until the process
 * ends, and drops, without a word, one for a name that it has already. So it is asked first, at the
 * first program with that name, by a program of nothing else.
 */
public final class CustomCallRegistry {
  /** The name of XLA's CPUs, of which handlers get memory that Java can read. */
  private static final String PLATFORM = "Host";

  private static final String CLIENT_PLATFORM = "cpu";

  /** The first version with this layout of the arguments. */
  private static final int SINCE = 73;

  private static final int FFI =
      Table.PJRT.constant("PJRT_Extension_Type", "FFI").orElseThrow().value();

  private static final StructLayout EXTENSION = Memory.TABLE.struct("PJRT_FFI_Extension");
  private static final StructLayout ARGUMENTS =
      Memory.TABLE.struct("PJRT_FFI_Register_Handler_Args");

  /** Names that XLA's compilers know; one that sees such a call without operands may crash. */
  private static final Pattern OF_XLA =
      Pattern.compile(
          "(?:__|xla\\.|mhlo\\.|Dynamic|MoveTo|SPMD|X64).*|AllocateBuffer|AssumeGatherIndicesInBound"
              + "|CreateBuffer|Eigh|GatherScatterIndicesBitpacked|GetRngSeed|LayoutConstraint"
              + "|LuDecomposition|PadToStatic|Pin|PlaceHolder"
              + "|ProductOfElementaryHouseholderReflectors|Qr|SetBound|Sharding|SliceToDynamic|TopK"
              + "|Unpin|annotate_device_placement|control_dep");

  /** How XLA says that it has no handler of a name. */
  private static final Pattern MISSING = Pattern.compile("No FFI handler registered for (\\S+)");

  /** A client of the plugin, as far as the registry needs one. */
  public interface Compiler {
    /** {@return the name of the platform, such as cpu} */
    String platform();

    /**
     * Compiles a program and forgets it.
     *
     * @throws PjrtException if the plugin refuses it
     */
    void compile(String stableHlo);
  }

  private final Api api;

  /** The user's, those that the plugin was not given yet included. */
  private final Map<String, Handler> handlers = new LinkedHashMap<>();

  /** What the plugin calls. */
  private final Map<String, Handler> given = new LinkedHashMap<>();

  /** The names of which the plugin has handlers of its own. */
  private final Set<String> ofPlugin = new HashSet<>();

  /** The handlers of a plugin, none at first. */
  public CustomCallRegistry(Api api) {
    this.api = api;
  }

  /** Adds a handler. */
  public synchronized void register(String target, CustomCallTarget function) {
    HloException.require(
        !target.isEmpty() && target.indexOf('\0') < 0,
        "",
        "custom-call: got \"%s\", want a name",
        target);
    HloException.require(
        !OF_XLA.matcher(target).matches(),
        "",
        "custom-call: got a function of %s, which XLA's compiler knows, want another name",
        target);
    registration();
    HloException.require(
        !handlers.containsKey(target),
        "",
        "custom-call: got a second function of %s, want one; PjrtCustomCalls.replace replaces it",
        target);
    Handler known = given.get(target);
    if (known != null) {
      known.replace(function);
    }
    handlers.put(target, known == null ? new Handler(target, function, false) : known);
  }

  /** Replaces a handler, and returns what it did before. */
  public synchronized CustomCallTarget replace(String target, CustomCallTarget function) {
    Handler handler = handlers.get(target);
    HloException.require(
        handler != null,
        "",
        "custom-call: got a new function of %s, want one of %s",
        target,
        handlers.keySet());
    CustomCallTarget before = handler.function();
    handler.replace(function);
    return before;
  }

  /** {@return the names that have a handler of the user's} */
  public synchronized ImmutableSet<String> names() {
    return ImmutableSet.copyOf(handlers.keySet());
  }

  /** Returns the function that registers a handler. */
  private Function registration() {
    Api.Extension extension = api.extensions().get(FFI);
    HloException.require(
        extension != null,
        Kind.UNSUPPORTED,
        "custom-call: got a plugin of version %s without the extension FFI, want one with it",
        api.version());
    HloException.require(
        extension.memory().byteSize() >= EXTENSION.sizeof() && api.minor() >= SINCE,
        Kind.UNSUPPORTED,
        "custom-call: got the extension FFI of %s bytes in version %s, want %s from version 0.%s"
            + " on",
        extension.memory().byteSize(),
        api.version(),
        EXTENSION.sizeof(),
        SINCE);
    long function = EXTENSION.field("register_handler").get(extension.memory());
    HloException.require(
        function != 0,
        Kind.UNSUPPORTED,
        "custom-call: got a plugin of version %s whose extension FFI takes no handlers, want one"
            + " that does",
        api.version());
    return new Function(
        api,
        "PJRT_FFI_Register_Handler",
        MemorySegment.ofAddress(function),
        ARGUMENTS,
        new ConcurrentLinkedQueue<>());
  }

  private void give(Handler handler, String target) {
    try (Arena arena = Arena.ofConfined();
        Call call = registration().open()) {
      call.set(
          "target_name", Api.text(target, arena), "target_name_size", Utf8.encodedLength(target));
      call.set("handler", handler.stub());
      call.set("platform_name", Api.text(PLATFORM, arena), "platform_name_size", PLATFORM.length());
      call.invoke();
    }
    HloException.require(
        handler.wasAsked(),
        Kind.UNSUPPORTED,
        "custom-call: got a plugin of version %s that took the handler of %s without asking for its"
            + " version, want one that asks",
        api.version(),
        target);
  }

  /** Returns a handler of a name, of the user or else of hlo4j. */
  private Optional<Handler> handler(String target) {
    return Optional.ofNullable(handlers.get(target))
        .or(() ->
            isKnown(target)
                ? Optional.of(
                    new Handler(target, new KnownCalls(), KnownCalls.takesColumns(target)))
                : Optional.empty());
  }

  /** Returns whether a target is answered here; the plugin is given its handler then. */
  private boolean isOurs(String target, Compiler compiler) {
    if (!given.containsKey(target) && !ofPlugin.contains(target)) {
      decide(target, compiler);
    }
    return given.containsKey(target);
  }

  private void decide(String target, Compiler compiler) {
    boolean isUsers = handlers.containsKey(target);
    boolean isOfHost = compiler.platform().equals(CLIENT_PLATFORM);
    HloException.require(
        isOfHost || !isUsers,
        Kind.UNSUPPORTED,
        "custom-call: got a call of %s in a program for %s, want one for %s: a function in Java"
            + " reads memory of the host",
        target,
        compiler.platform(),
        CLIENT_PLATFORM);
    boolean isOfPlugin = !isOfHost || isKnownTo(compiler, target);
    HloException.require(
        !isOfPlugin || !isUsers,
        "",
        "custom-call: got a function of %s, of which the plugin has its own, want another name",
        target);
    if (isOfPlugin) {
      ofPlugin.add(target);
    } else {
      Handler handler = handler(target).orElseThrow();
      give(handler, target);
      given.put(target, handler);
    }
  }

  private static boolean isKnownTo(Compiler compiler, String target) {
    try {
      compiler.compile(
          "func.func @main() -> tensor<f32> { %0 = \"stablehlo.custom_call\"() {api_version = 4 :"
              + " i32, call_target_name = "
              + new Attribute.Str(target)
              + "} : () -> tensor<f32> return %0 : tensor<f32> }");
      return true;
    } catch (PjrtException refused) {
      return refused.code() != PjrtException.Code.NOT_FOUND
          && refused.code() != PjrtException.Code.UNIMPLEMENTED;
    }
  }

  /** Gives the plugin the user's handlers, for programs of which it is not known what they call. */
  public synchronized void giveAll(Compiler compiler) {
    handlers.keySet().forEach(target -> isOurs(target, compiler));
  }

  /**
   * Gives the plugin a handler of hlo4j's that it lacks.
   *
   * @param refusal what the plugin said
   * @return whether it said that, so that the call can be tried again
   */
  public synchronized boolean givesMissing(PjrtException refusal, Compiler compiler) {
    Matcher missing = MISSING.matcher(refusal.summary());
    return missing.find()
        && !given.containsKey(missing.group(1))
        && handler(missing.group(1)).isPresent()
        && isOurs(missing.group(1), compiler);
  }

  /**
   * Returns a program as its handlers want it: with the text of each call that is answered here.
   *
   * @throws HloException of kind {@code UNSUPPORTED} if the plugin cannot be given a handler
   */
  public synchronized HloModule prepared(HloModule module, Compiler compiler) {
    return new ModuleCopy() {
      @Override
      protected void write(
          HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
        HloInstruction updated = updated(instruction);
        boolean isOurs = instruction.op() instanceof CustomCall op && answers(op, compiler);
        replace(instruction, isOurs ? withText(updated) : updated, to);
      }
    }.copy(module);
  }

  private boolean answers(CustomCall call, Compiler compiler) {
    String target = call.customCallTarget();
    boolean isTyped = call.apiVersion() == CustomCall.ApiVersion.API_VERSION_TYPED_FFI;
    return (handlers.containsKey(target) || (isTyped && isKnown(target)))
        && isOurs(target, compiler);
  }

  /** Returns whether a target is one that hlo4j has a kernel for, and XLA's compiler nothing. */
  private static boolean isKnown(String target) {
    return Interpreter.KNOWN_CUSTOM_CALLS.contains(target) && !OF_XLA.matcher(target).matches();
  }

  /** Returns a call with its text, and layouts for all arrays. */
  private static HloInstruction withText(HloInstruction call) {
    CustomCall op = (CustomCall) call.op();
    Shape shape = CallSite.laidOut(call.shape());
    CustomCall typed =
        new CustomCall(
            shape,
            op.customCallTarget(),
            Optional.of(CallSite.laidOutOperands(call)),
            op.customCallHasSideEffect(),
            Optional.empty(),
            op.outputToOperandAliasing(),
            op.schedule(),
            CustomCall.ApiVersion.API_VERSION_TYPED_FFI);
    Attribute text = new Attribute.Str(CallSite.text(call));
    Map<String, String> attributes = new LinkedHashMap<>(call.attributes());
    attributes.put(
        "backend_config",
        new Attribute.Dictionary(ImmutableMap.of(CallSite.TEXT, text)).toString());
    return HloInstruction.create(
            call.name(),
            typed,
            call.operands(),
            ImmutableList.of(),
            shape,
            call.metadata(),
            attributes)
        .withSharding(call.sharding())
        .withUnknownFields(call.unknownFields());
  }
}
