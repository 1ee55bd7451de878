package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.Collection;

/**
 * The devices that meet at a collective, in the order of their group. A group of many devices is
 * compared by each of them, so its hash code is kept.
 */
public final class DeviceGroup {
  private final ImmutableList<Integer> members;
  private final int hash;

  private DeviceGroup(ImmutableList<Integer> members) {
    this.members = members;
    this.hash = members.hashCode();
  }

  /** Returns the group of devices with these numbers. */
  public static DeviceGroup of(Collection<Integer> members) {
    return new DeviceGroup(ImmutableList.copyOf(members));
  }

  /** Returns the numbers of the devices, in order. */
  public ImmutableList<Integer> members() {
    return members;
  }

  public int size() {
    return members.size();
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof DeviceGroup group
            && hash == group.hash
            && members.equals(group.members));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return members.toString();
  }
}
