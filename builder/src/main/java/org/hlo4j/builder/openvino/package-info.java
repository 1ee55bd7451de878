/** A reader of small nets and layers of OpenVINO's IR, which adds them to a builder. */
@NullMarked
package org.hlo4j.builder.openvino;

import org.jspecify.annotations.NullMarked;
