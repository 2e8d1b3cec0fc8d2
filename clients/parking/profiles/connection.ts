import { wrongUsage } from '../stop.ts';
import { kindOfToken, type Profile, type ProfileBook } from './profile.ts';

/** A command's service and secrets. */
export interface Connection {
  readonly url: string;
  readonly accessToken: string | undefined;
  readonly adminToken: string | undefined;
  /** Of commands that name none. */
  readonly municipality: string | undefined;
}

/**
 * Chooses: `PARKING_URL` and `PARKING_TOKEN` win, then the profile that was named, then the current one.
 *
 * A profile's secret goes to that profile's service and to no other: with a `PARKING_URL` that leads elsewhere, only
 * `PARKING_TOKEN` counts. With a `PARKING_TOKEN`, no secret of the profile is used with it.
 *
 * @throws Stop without a service, or without such a profile
 */
export function chooseConnection(
  environment: NodeJS.ProcessEnv,
  book: ProfileBook,
  named: string | undefined,
): Connection {
  const url = environment.PARKING_URL || undefined;
  const token = environment.PARKING_TOKEN || undefined;
  const profile = profileOf(book, named ?? book.current);
  if (named !== undefined && profile === undefined) throw unknownProfile(named, book);

  const address = url ?? profile?.url;
  if (address === undefined) throw noService();
  const isProfiles = profile !== undefined && sameService(address, profile.url);
  const secrets = token !== undefined || !isProfiles ? tokensOf(token) : profileTokens(profile);
  return {
    url: checkedUrl(address),
    ...secrets,
    municipality: isProfiles ? profile.municipality : undefined,
  };
}

const profileOf = ({ profiles }: ProfileBook, name: string | null): Profile | undefined =>
  name !== null && Object.hasOwn(profiles, name) ? profiles[name] : undefined;

type Tokens = Pick<Connection, 'accessToken' | 'adminToken'>;

function tokensOf(token: string | undefined): Tokens {
  if (token === undefined) return { accessToken: undefined, adminToken: undefined };
  // An API key is sent as an access token: the service's refusal tells the user why.
  return kindOfToken(token) === 'admin'
    ? { accessToken: undefined, adminToken: token }
    : { accessToken: token, adminToken: undefined };
}

const profileTokens = (profile: Profile): Tokens => ({
  accessToken: profile.access_token,
  adminToken: profile.admin_token,
});

function sameService(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
}

/** @throws Stop for an invalid address */
export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
    throw wrongUsage({
      en: `No address of a service: it has to look like https://parking.example, without a password in it.`,
      it: `Non è l’indirizzo di un servizio: deve essere come https://parking.example, senza password.`,
    });
  }
  return url.href.replace(/\/+$/, '');
}

const noService = () =>
  wrongUsage(
    { en: 'No service is known.', it: 'Nessun servizio è conosciuto.' },
    {
      advice: {
        en: 'Run `parking login`, or set PARKING_URL and PARKING_TOKEN. `npm start` makes a profile `demo`.',
        it: 'Eseguire `parking login`, oppure impostare PARKING_URL e PARKING_TOKEN. `npm start` crea il profilo `demo`.',
      },
    },
  );

function unknownProfile(name: string, { profiles }: ProfileBook) {
  const known = Object.keys(profiles).sort().join(', ') || '–';
  return wrongUsage({
    en: `There is no profile ${name}. There are: ${known}`,
    it: `Non c’è un profilo ${name}. Ci sono: ${known}`,
  });
}
