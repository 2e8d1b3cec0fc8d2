import { text as readAll } from 'node:stream/consumers';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { type Stop, wrongUsage } from '../stop.ts';
import { askFor, askSecret } from '../terminal/prompts.ts';
import { checkedUrl } from './connection.ts';
import { kindOfToken, PROFILE_NAME, type Profile } from './profile.ts';
import { readProfiles, withProfile, writeProfiles } from './profile-file.ts';
import { rightsAsJson, rightsInWords } from './rights.ts';
import { tryToken } from './try-token.ts';

export interface LoginOptions {
  readonly url?: string | undefined;
  readonly municipality?: string | undefined;
  readonly stdin?: true | undefined;
}

const DEFAULT_NAME = 'default';

/** Stores an address and a secret, once the service has recognised it. */
export async function login(office: Office, options: LoginOptions): Promise<void> {
  const book = readProfiles(office.profilesPath);
  const name = office.profileName ?? book.current ?? DEFAULT_NAME;
  if (!PROFILE_NAME.test(name)) throw wrongName(name);
  const before = Object.hasOwn(book.profiles, name) ? book.profiles[name] : undefined;

  const { url, token } = await askForMissing(office, options, before);
  const kind = kindOfToken(token);
  if (kind === 'api_key') throw apiKey();
  // Another service does not know this one's secrets.
  const kept = before !== undefined && before.url === url ? before : undefined;
  const municipality = options.municipality ?? kept?.municipality;
  const profile: Profile = {
    ...kept,
    url,
    ...(kind === 'access' ? { access_token: token } : { admin_token: token }),
    ...(municipality !== undefined && { municipality }),
  };
  const tried = await tryToken(office, url, token);
  if ('refused' in tried) throw stopOf(tried.refused);

  writeProfiles(office.profilesPath, { ...withProfile(book, name, profile), current: name });
  const stored = {
    en: kind === 'access' ? 'the access token' : 'the administrator’s token',
    it: kind === 'access' ? 'il token di accesso' : 'il token di amministratore',
  };
  if (office.json) {
    office.terminal.json({
      ...{ profile: name, url, stored: kind, path: office.profilesPath },
      rights: rightsAsJson(tried.rights),
    });
    return;
  }
  office.note({
    en: `Profile ${name}: ${url}, with ${stored.en} (${office.profilesPath}).`,
    it: `Profilo ${name}: ${url}, con ${stored.it} (${office.profilesPath}).`,
  });
  if (tried.rights !== null) office.note(rightsInWords(tried.rights));
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
  if (known === undefined && !canAsk) throw sayMore('--url');
  const url = checkedUrl(
    known ??
      (await askFor(office, [{ en: 'Address of the service', it: 'Indirizzo del servizio' }], before?.url)),
  );
  if (!canAsk && stdin !== true) throw sayMore('--stdin');
  const token = stdin
    ? (await readAll(terminal.stdin)).trim()
    : await askSecret(office, {
        en: 'Access token or administrator’s token (it is not shown)',
        it: 'Token di accesso o di amministratore (non viene mostrato)',
      });
  if (!/^[\x21-\x7e]+$/.test(token)) throw noSecret();
  return { url, token };
}

const sayMore = (option: string): Stop =>
  wrongUsage({
    en: `There is no terminal to ask on: pass ${option} too.`,
    it: `Nessuno può rispondere: indicare anche ${option}.`,
  });

const noSecret = (): Stop =>
  wrongUsage({
    en: 'That is not a secret: it is empty, or has a blank in it.',
    it: 'Non è un segreto: è vuoto o contiene spazi.',
  });

const wrongName = (name: string): Stop =>
  wrongUsage({
    en: `${name} is not a name of a profile: letters, digits, dots, dashes, at most 40.`,
    it: `${name} non è un nome di profilo: lettere, cifre, punti, trattini, al massimo 40.`,
  });

const apiKey = (): Stop =>
  wrongUsage(
    {
      en: 'That is an API key, which opens plate checks and reports alone.',
      it: 'È una chiave API, che vale solo per verifiche e report.',
    },
    { advice: { en: 'Use the access token (pev_at_…).', it: 'Usare il token di accesso (pev_at_…).' } },
  );
