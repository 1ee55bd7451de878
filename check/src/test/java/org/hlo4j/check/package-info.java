@NullMarked
package org.hlo4j.check;

import org.jspecify.annotations.NullMarked;
