import { type AnyCommand, Command } from '../command.ts';
import { complete } from '../completion/complete.ts';
import type { Office } from '../office.ts';
import { readProfiles } from '../profiles/profile-file.ts';

/** The shells' scripts call this. It is not part of the help. */
export function completeCommand(office: Office, program: () => AnyCommand): AnyCommand {
  return new Command('__complete').argument('[words...]').action((words) => {
    const { words: found, files } = complete(program(), words, profileNames(office));
    for (const word of found) office.terminal.data(word);
    if (files) office.terminal.data(':files');
  });
}

/** A file that cannot be read completes nothing. */
function profileNames({ profilesPath }: Office): string[] {
  try {
    return Object.keys(readProfiles(profilesPath).profiles).sort();
  } catch {
    return [];
  }
}
