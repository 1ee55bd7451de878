/** The options that say on what a program runs: evaluators, plugins and other systems. */
@NullMarked
package org.hlo4j.tools.system;

import org.jspecify.annotations.NullMarked;
