package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.NamedValues;

/** A device of a client, which lives as long as that. */
public final class PjrtDevice {
  private final PjrtClient client;
  private final MemorySegment address;
  private final MemorySegment description;
  private final int id;
  private final String name;

  PjrtDevice(PjrtClient client, MemorySegment address) {
    this.client = client;
    this.address = address;
    description =
        client.ask(
            "PJRT_Device_GetDescription", address, call -> call.pointer("device_description"));
    id = client.ask("PJRT_DeviceDescription_Id", description, call -> (int) call.get("id"));
    name = client.text("PJRT_DeviceDescription_ToString", description, "to_string");
  }

  /**
   * Returns the number of the device, which is its own among all processes of a client.
   *
   * @return the number that device assignments use
   */
  public int id() {
    return id;
  }

  /**
   * Returns the number of the device on this machine.
   *
   * @return the number, as the one of a GPU
   */
  public int localHardwareId() {
    return client.ask(
        "PJRT_Device_LocalHardwareId", address, call -> (int) call.get("local_hardware_id"));
  }

  /**
   * Returns what kind of device it is.
   *
   * @return as {@code cpu}, or the name of a GPU
   */
  public String kind() {
    return client.text("PJRT_DeviceDescription_Kind", description, "device_kind");
  }

  /**
   * Returns what the plugin says of the device.
   *
   * @return values of type String, Long, {@code long[]}, Float or Boolean by name
   */
  public ImmutableMap<String, Object> attributes() {
    return client.ask(
        "PJRT_DeviceDescription_Attributes",
        description,
        call -> NamedValues.read(call, "attributes"));
  }

  /**
   * Returns the memories that the device reaches.
   *
   * @return the memories
   */
  public ImmutableList<PjrtMemory> memories() {
    String addressable = "PJRT_Device_AddressableMemories";
    return client.list(addressable, address, "memories", each -> new PjrtMemory(client, each));
  }

  /**
   * Returns how full the memory of the device is.
   *
   * @return bytes in use and others by the names of the interface, as {@code bytes_in_use}; empty
   *     if the plugin does not count them, as that of CPUs
   */
  public Optional<ImmutableMap<String, Long>> memoryStatistics() {
    try {
      return Optional.of(client.ask("PJRT_Device_MemoryStats", address, PjrtDevice::statistics));
    } catch (PjrtException refused) {
      if (refused.code() == PjrtException.Code.UNIMPLEMENTED) {
        return Optional.empty();
      }
      throw refused;
    }
  }

  private static ImmutableMap<String, Long> statistics(Call call) {
    return call.numbers(name -> name.equals("bytes_in_use") || call.isSet(name));
  }

  /**
   * Returns the client.
   *
   * @return the client
   */
  public PjrtClient client() {
    return client;
  }

  MemorySegment address() {
    return address;
  }

  /** Returns the name that the plugin gives it. */
  @Override
  public String toString() {
    return name;
  }
}
