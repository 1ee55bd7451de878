/** Weights of models as the safetensors library stores them. */
@NullMarked
package org.hlo4j.hlo.safetensors;

import org.jspecify.annotations.NullMarked;
