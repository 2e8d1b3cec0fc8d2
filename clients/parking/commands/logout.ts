import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { readProfiles, withoutProfile, writeProfiles } from '../profiles/profile-file.ts';
import { wrongUsage } from '../stop.ts';

export function logoutCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'logout',
    {
      en: 'Remove a profile with its secrets. They stay valid: revoke a credential that leaked.',
      it: 'Elimina un profilo con i suoi segreti. Restano validi: revocare una credenziale trapelata.',
    },
    ['parking logout --profile roma'],
  ).action(() => {
    const book = readProfiles(office.profilesPath);
    const name = office.profileName ?? book.current;
    if (name === null || !Object.hasOwn(book.profiles, name)) {
      throw wrongUsage({ en: 'There is no such profile.', it: 'Questo profilo non esiste.' });
    }
    writeProfiles(office.profilesPath, withoutProfile(book, name));
    if (office.json) office.terminal.json({ removed: name });
    else office.note({ en: `Profile ${name} is removed.`, it: `Il profilo ${name} è eliminato.` });
  });
}
