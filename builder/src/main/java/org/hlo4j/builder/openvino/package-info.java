/** Reads small nets and layers of OpenVINO's IR into a builder. */
@NullMarked
package org.hlo4j.builder.openvino;

import org.jspecify.annotations.NullMarked;
