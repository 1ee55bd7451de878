package org.hlo4j.builder.broadcast;

import com.google.common.base.Ascii;

/** The modes of OpenVINO's Broadcast. Its undocumented mode pdpd is not among them. */
public enum BroadcastMode {
  /** Aligned from the right, where only data is broadcast and not target_shape; the default. */
  NUMPY,
  /** By axes_mapping. */
  EXPLICIT,
  /**
   * Aligned from the right, where both are broadcast: the result may differ from target_shape. Only
   * in Broadcast-3.
   */
  BIDIRECTIONAL;

  /** Returns OpenVINO's name. */
  @Override
  public String toString() {
    return Ascii.toLowerCase(name());
  }
}
