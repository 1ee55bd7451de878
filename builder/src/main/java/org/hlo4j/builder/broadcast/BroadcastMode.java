package org.hlo4j.builder.broadcast;

import com.google.common.base.Ascii;

/** The modes of OpenVINO's Broadcast. Its undocumented mode pdpd is not among them. */
public enum BroadcastMode {
  /** Aligned from the right, data to target_shape and never the other way; the default. */
  NUMPY,
  /** As axes_mapping says. */
  EXPLICIT,
  /** Aligned from the right, either way: the result may differ from target_shape. Broadcast-3. */
  BIDIRECTIONAL;

  /** As OpenVINO writes it. */
  @Override
  public String toString() {
    return Ascii.toLowerCase(name());
  }
}
