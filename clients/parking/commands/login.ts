import { text as readAll } from 'node:stream/consumers';
import { askFor, askSecret } from '../ask.ts';
import { type AnyCommand, commandOf, municipalityOption } from '../command.ts';
import { stopOf } from '../failure.ts';
import { clientOf, type Office } from '../office.ts';
import { type Profile, plainAddress, readProfiles, tokensOf, writeProfiles } from '../profiles.ts';
import { wrongUsage } from '../stop.ts';

export const loginCommand = (office: Office): AnyCommand =>
  commandOf('login', 'Keep a service’s address and a secret in a profile that only you can read.', [
    'parking login --url https://parking.example',
    'parking login --profile roma --municipality H501',
    'pass show parking/admin | parking login --profile roma --url https://parking.example --stdin',
  ])
    .option('--url <address>', 'address of the service')
    .addOption(municipalityOption())
    .option('--stdin', 'read the secret from standard input')
    .addHelpText(
      'after',
      `\nEither token is taken: an access token (pev_at_…), an office’s too, or the
administrator’s. A profile holds one of each, and what the token may do is said.
A secret is never an argument: arguments show in the list of processes.`,
    )
    .action((options) => login(office, options));

interface LoginOptions {
  readonly url?: string | undefined;
  readonly municipality?: string | undefined;
  readonly stdin?: true | undefined;
}

/** Stores an address and a secret, once the service has recognised it. */
async function login(office: Office, options: LoginOptions): Promise<void> {
  const { profilesPath: path } = office;
  const book = readProfiles(path);
  const name = office.profileName ?? book.current ?? 'default';
  const before = Object.hasOwn(book.profiles, name) ? book.profiles[name] : undefined;
  const { url, token } = await askForMissing(office, options, before);
  const rights = await rightsOf(office, url, token);
  // Another service does not know this one's secrets.
  const kept = before?.url === url ? before : undefined;
  const municipality = options.municipality ?? kept?.municipality;
  const profile: Profile = { ...kept, url, ...tokensOf(token), municipality };
  writeProfiles(path, { current: name, profiles: { ...book.profiles, [name]: profile } });
  office.show({ profile: name, url, path, ...rights });
}

/** Asks for missing options; without a terminal they are required. */
async function askForMissing(
  office: Office,
  { url: given, stdin }: LoginOptions,
  before: Profile | undefined,
): Promise<{ url: string; token: string }> {
  const { terminal } = office;
  const canAsk = terminal.canAsk && stdin !== true;
  const known = given ?? (canAsk ? undefined : before?.url);
  const missing = known === undefined ? '--url' : stdin ? null : '--stdin';
  if (!canAsk && missing !== null) throw wrongUsage(`There is no terminal to ask on: pass ${missing} too.`);
  const url = plainAddress(known ?? (await askFor(office, 'Address of the service', before?.url)));
  const token = stdin
    ? (await readAll(terminal.stdin)).trim()
    : await askSecret(office, 'Access token or administrator’s token (it is not shown)');
  if (token.startsWith('pev_ak_')) {
    throw wrongUsage(
      'That is an API key, which opens plate checks and reports alone.',
      'Use the access token (pev_at_…).',
    );
  }
  return { url, token };
}

/**
 * Asks a service whether it knows a token, and for its rights.
 *
 * @throws Stop if it does not
 */
async function rightsOf(office: Office, url: string, token: string): Promise<object> {
  const tokens = tokensOf(token);
  const client = clientOf({ url, ...tokens });
  if (tokens.admin_token !== undefined) {
    await office.answer(client.listCredentials({ limit: 1 }, office.call));
    return { rights: 'the administrator’s: for daily work, log in with an office’s token' };
  }
  const own = await client.getOwnCredential({}, office.call);
  if (own.ok) return { rights: own.answer.credential };
  // A spent budget means that the token was recognised.
  if (own.failure !== 'limited') throw stopOf(own);
  return { rights: null };
}

export const logoutCommand = (office: Office): AnyCommand =>
  commandOf(
    'logout',
    'Remove a profile with its secrets. They stay valid: revoke a credential that leaked.',
    ['parking logout --profile roma'],
  ).action(() => {
    const { current, profiles } = readProfiles(office.profilesPath);
    const name = office.profileName ?? current;
    if (name === null || !Object.hasOwn(profiles, name)) throw wrongUsage('There is no such profile.');
    const { [name]: _, ...others } = profiles;
    writeProfiles(office.profilesPath, { current: current === name ? null : current, profiles: others });
    office.show({ removed: name });
  });

export const profilesCommand = (office: Office): AnyCommand =>
  commandOf('profiles', 'List the profiles, without their secrets; with a name, use that one from now on.', [
    'parking profiles',
    'parking profiles demo',
  ])
    .argument('[name]', 'the profile to use from now on')
    .action((name) => {
      const book = readProfiles(office.profilesPath);
      if (name !== undefined) {
        if (!Object.hasOwn(book.profiles, name)) throw wrongUsage(`There is no profile ${name}.`);
        writeProfiles(office.profilesPath, { ...book, current: name });
      }
      const current = name ?? book.current;
      const rows = Object.entries(book.profiles).map(
        ([profile, { access_token, admin_token, ...shown }]) => ({
          ...{ profile, is_current: profile === current, ...shown },
          secrets: [...(access_token ? ['access'] : []), ...(admin_token ? ['admin'] : [])],
        }),
      );
      office.showList(rows);
    });
