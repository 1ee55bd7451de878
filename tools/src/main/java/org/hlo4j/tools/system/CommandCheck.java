package org.hlo4j.tools.system;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.Sets;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.check.command.CommandTemplate;
import org.hlo4j.check.command.ProgramForms;

/** A command that is run on a program and says something about it by its exit status. */
public final class CommandCheck {
  private static final ProgramForms FORMS = SystemArguments.FORMS;

  private final CommandTemplate command;

  public CommandCheck(CommandTemplate command) {
    command.requirePlaceholders(Sets.union(FORMS.names(), Set.of(ProgramForms.INPUTS)));
    require(
        command.placeholders().stream().anyMatch(FORMS.names()::contains),
        "",
        "--check got a command without {}, want the place of the program in it");
    this.command = command;
  }

  /** Runs the command on a program. */
  public CommandTemplate.Ended run(Program program) {
    return FORMS.withFiles(
        program, command.placeholders(), (folder, values) -> command.run(values));
  }
}
