/** What every command shares: output, progress, messages and numbers on the command line. */
@NullMarked
package org.hlo4j.tools.console;

import org.jspecify.annotations.NullMarked;
