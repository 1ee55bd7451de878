/** Readers and writers of model weights in the format of the safetensors library. */
@NullMarked
package org.hlo4j.hlo.safetensors;

import org.jspecify.annotations.NullMarked;
