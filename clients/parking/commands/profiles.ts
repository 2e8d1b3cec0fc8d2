import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { readProfiles, writeProfiles } from '../profiles/profile-file.ts';
import { wrongUsage } from '../stop.ts';
import { tableLines } from '../terminal/table.ts';

export function profilesCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'profiles',
    {
      en: 'List the profiles, without their secrets; with a name, use that one from now on.',
      it: 'Elenca i profili, senza i segreti; con un nome, usa quello da ora in poi.',
    },
    ['parking profiles', 'parking profiles demo'],
  )
    .argument(
      '[name]',
      office.say({ en: 'the profile to use from now on', it: 'il profilo da usare da ora in poi' }),
    )
    .action((name) => {
      if (name === undefined) list(office);
      else use(office, name);
    });
}

function list(office: Office): void {
  const { terminal, json, profilesPath } = office;
  const say = office.say.bind(office);
  const { current, profiles } = readProfiles(profilesPath);
  const rows = Object.entries(profiles).map(([name, profile]) => ({
    name,
    current: name === current,
    url: profile.url,
    municipality: profile.municipality ?? null,
    secrets: [...(profile.access_token ? ['access'] : []), ...(profile.admin_token ? ['admin'] : [])],
  }));
  if (json) {
    terminal.json({ path: profilesPath, profiles: rows });
    return;
  }
  const titles = [
    { title: '' },
    { title: say({ en: 'profile', it: 'profilo' }) },
    { title: say({ en: 'service', it: 'servizio' }) },
    { title: say({ en: 'municipality', it: 'comune' }) },
    { title: say({ en: 'secrets', it: 'segreti' }) },
  ];
  const cells = rows.map(({ name, current: isCurrent, url, municipality, secrets }) => [
    isCurrent ? '*' : '',
    name,
    url,
    municipality ?? '–',
    secrets.join(', ') || '–',
  ]);
  for (const line of tableLines(titles, cells, terminal.paint)) terminal.data(line);
}

function use(office: Office, name: string): void {
  const book = readProfiles(office.profilesPath);
  if (!Object.hasOwn(book.profiles, name)) {
    throw wrongUsage({ en: `There is no profile ${name}.`, it: `Non c’è un profilo ${name}.` });
  }
  writeProfiles(office.profilesPath, { ...book, current: name });
  if (office.json) office.terminal.json({ current: name });
  else office.note({ en: `Profile ${name} is used from now on.`, it: `Da ora si usa il profilo ${name}.` });
}
