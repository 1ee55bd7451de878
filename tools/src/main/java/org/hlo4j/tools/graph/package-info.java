/** Programs as drawings. */
@NullMarked
package org.hlo4j.tools.graph;

import org.jspecify.annotations.NullMarked;
