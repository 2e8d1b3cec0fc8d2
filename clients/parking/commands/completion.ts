import { Argument } from '@commander-js/extra-typings';
import { type AnyCommand, commandOf } from '../command.ts';
import { SCRIPTS, SHELLS } from '../completion/scripts.ts';
import type { Office } from '../office.ts';

export function completionCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'completion',
    { en: 'Print the completion script of a shell.', it: 'Stampa lo script di completamento di una shell.' },
    [
      'source <(parking completion bash)',
      'source <(parking completion zsh)',
      'parking completion fish | source',
    ],
  )
    .addArgument(new Argument('<shell>', office.say({ en: 'the shell', it: 'la shell' })).choices(SHELLS))
    .action((shell) => office.terminal.lines('stdout', SCRIPTS[shell]));
}
