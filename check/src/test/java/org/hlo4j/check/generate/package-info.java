@NullMarked
package org.hlo4j.check.generate;

import org.jspecify.annotations.NullMarked;
