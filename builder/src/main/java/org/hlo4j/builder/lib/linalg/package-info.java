/** Linear algebra: einsum, products, factorizations, eigenvalues. */
@NullMarked
package org.hlo4j.builder.lib.linalg;

import org.jspecify.annotations.NullMarked;
