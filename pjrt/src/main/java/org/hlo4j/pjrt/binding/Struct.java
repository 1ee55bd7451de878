package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A struct for a plugin, zeroed but for its size. What the plugin does not have of it is refused.
 *
 * @param <S> what its setters return
 */
public class Struct<S extends Struct<S>> extends View {
  private final Api api;

  /** The structs that it points to, whose sizes a plugin may refuse as well. */
  private final List<Struct<?>> nested = new ArrayList<>();

  Struct(StructLayout layout, MemorySegment memory, Api api) {
    super(layout, memory);
    this.api = api;
    resize();
  }

  /** Sets all fields to zero but the size. */
  final void clear() {
    long size = memory().get(JAVA_LONG, 0);
    memory().fill((byte) 0);
    memory().set(JAVA_LONG, 0, size);
    nested.clear();
    if (api.hasNamedSizes()) {
      resize();
    }
  }

  /** Writes the sizes anew, which may have become known, here and in the structs it points to. */
  final void resize() {
    if (layout.fields().containsKey("struct_size")) {
      memory().set(JAVA_LONG, 0, Math.max(0, api.sizeOf(layout)));
    }
    nested.forEach(Struct::resize);
  }

  /** {@return a field, refused if the plugin is older than it} */
  @Override
  public final StructLayout.Field field(String name) {
    return api.requireKnown(layout.field(name));
  }

  @Override
  @SuppressWarnings("unchecked") // S is the class itself
  public final S set(String field, long value) {
    super.set(field, value);
    return (S) this;
  }

  /** Sets a pointer. The memory must stay alive as long as the plugin uses it. */
  public final S set(String field, MemorySegment value) {
    return set(field, value.address());
  }

  /** Sets a pointer to another struct. */
  public final S set(String field, Struct<?> value) {
    nested.add(value);
    return set(field, value.memory());
  }

  /** Sets a pointer and the field {@code …_size} or {@code num_…} beside it. */
  public final S set(String field, MemorySegment value, String sizeField, long size) {
    return set(field, size == 0 ? 0 : value.address()).set(sizeField, size);
  }

  @Override
  @SuppressWarnings("unchecked") // S is the class itself
  public final S set(String field, byte[] value, SegmentAllocator memory) {
    super.set(field, value, memory);
    return (S) this;
  }

  /** {@return the integers by name that the plugin has and that are wanted} */
  public final ImmutableMap<String, Long> numbers(Predicate<String> isWanted) {
    return layout.fields().keySet().stream()
        .filter(name -> api.knows(layout.field(name)) && isWanted.test(name))
        .collect(ImmutableMap.toImmutableMap(name -> name, this::get));
  }

  /** {@return whether the boolean {@code …_is_set} beside a field is true} */
  public final boolean isSet(String field) {
    StructLayout.Field flag = layout.fields().get(field + "_is_set");
    return flag != null && flag.get(memory()) != 0;
  }
}
