import type { Answer, Input } from '../../client/index.ts';
import { confirm } from '../ask.ts';
import {
  type AnyCommand,
  commandOf,
  given,
  InvalidArgumentError,
  listed,
  Option,
  seconds,
  TENANT,
  wholeNumber,
  yesOption,
} from '../command.ts';
import { handOver } from '../hand-over.ts';
import type { Office } from '../office.ts';
import { EXIT, interruptedStop, Stop, wrongUsage } from '../stop.ts';

type Credential = Answer<'listCredentials'>['credentials'][number];
type Location = NonNullable<Input<'issueCredential'>['location']>;
type Scope = Input<'issueCredential'>['scopes'][number];

const ID = 'id of the credential';
/** A working day to hand the new pair out: ending the old one at once would lock the fleet out. */
const USUAL_OVERLAP_SECONDS = 86_400;
const PAGE = 200;
const COLUMNS = ['credential_id', 'status', 'tenant', 'name', 'scopes', 'municipalities', 'expires_at'];

export const credentialCommands = (office: Office): readonly AnyCommand[] => [
  issueCommand(office),

  commandOf('list', 'List the credentials, oldest first. No secret is shown.', [
    'parking credential list --tenant acme',
    'parking credential list --json | jq -r ".[].credential_id"',
  ])
    .option('--tenant <code>', 'of this tenant')
    .option('-m, --municipality <code>', 'for this municipality')
    .action(async ({ tenant, municipality }) => {
      const filter = given({ tenant, municipality_code: municipality });
      office.showList(await allCredentials(office, filter), COLUMNS);
    }),

  commandOf('show', 'Show a credential, without its secrets.', [
    'parking credential show 0123456789abcdef01234567',
  ])
    .argument('<id>', ID)
    .action(async (id) => {
      const found = (await allCredentials(office, {})).find(({ credential_id }) => credential_id === id);
      if (found === undefined) {
        throw new Stop(EXIT.refused, `There is no credential ${id}.`, { code: 'NOT_FOUND' });
      }
      office.show(found);
    }),

  withFields(
    commandOf(
      'change',
      'Change a credential: only the properties that you name. A list replaces the old one.',
      [
        'parking credential change 0123456789abcdef01234567 --rate-limit 600/60s',
        'parking credential change 0123456789abcdef01234567 --expires-at 2027-01-01T00:00:00+01:00 --ip 192.0.2.0/24',
      ],
    ),
  )
    .argument('<id>', ID)
    .action(async (credential_id, options) => {
      const fields = fieldsOf(options);
      if (Object.keys(fields).length === 0) throw wrongUsage('Say what to change: see --help.');
      office.show(await office.answer(office.client.changeCredential({ credential_id, ...fields })));
    }),

  rotateCommand(office),

  commandOf('revoke', 'Revoke a credential for good, after asking. Its callers are refused from now on.', [
    'parking credential revoke 0123456789abcdef01234567',
  ])
    .argument('<id>', ID)
    .addOption(yesOption())
    .action(async (id, { yes }) => {
      await confirm(office, yes, `Revoke ${id}? All its callers are refused from now on, for good.`, id);
      office.show(await office.answer(office.client.revokeCredential({ credential_id: id })));
    }),

  commandOf(
    'refresh',
    'Write the rows of these credentials again, or of all that are listed: after the database was restored.',
    ['parking credential refresh', 'parking credential refresh 0123456789abcdef01234567'],
  )
    .argument('[id...]', 'ids of credentials')
    .action(async (ids) => {
      const asked = ids.length > 0 ? ids : await changeableIds(office);
      for (const credential_id of asked) {
        if (office.signal.aborted) throw interruptedStop();
        // A change of nothing has the credential's object write its row.
        await office.answer(office.client.changeCredential({ credential_id }));
      }
      office.show({ written: asked.length });
    }),
];

const issueCommand = (office: Office): AnyCommand =>
  withFields(
    commandOf(
      'issue',
      'Issue a credential. It needs --name, --scope and --municipality. Its secrets are shown once: in a terminal, or in a file for you alone.',
      [
        'parking credential issue --tenant acme --name "Barrier P1" --scope plate_check,entitlement_list --municipality H501 --area P1',
        'parking credential issue --tenant acme --name App --scope import --municipality H501 --source app1 --out app1.json',
      ],
    ),
  )
    .option('--tenant <code>', TENANT)
    .option('--location <hint>', 'where it is used most: weur, eeur, …')
    .addOption(outOption())
    .action(async ({ tenant, location, out, ...options }) => {
      const { name, scopes, municipalities, ...optional } = fieldsOf(options);
      if (name === undefined || scopes === undefined || municipalities === undefined) {
        throw wrongUsage('Say --name, --scope and --municipality, too.');
      }
      // The service judges the hint.
      const place = location as Location | undefined;
      const input = {
        ...{ name, scopes, municipalities },
        ...optional,
        ...given({ tenant, location: place }),
      };
      await handOver(office, out, () => office.client.issueCredential(input));
    });

const rotateCommand = (office: Office): AnyCommand =>
  commandOf(
    'rotate',
    'Make a new pair of secrets, after asking. The old pair passes for 24 hours more, unless --now is given.',
    [
      'parking credential rotate 0123456789abcdef01234567 --overlap 7d --out new.json',
      'parking credential rotate 0123456789abcdef01234567 --now --out new.json',
    ],
  )
    .argument('<id>', ID)
    .addOption(
      new Option('--overlap <duration>', 'how long the old pair passes too: 12h, at most 7d (default: 24h)')
        .argParser(seconds)
        .conflicts('now'),
    )
    .option('--now', 'end the old pair at once: its callers are refused')
    .addOption(yesOption())
    .addOption(outOption())
    .action(async (id, { overlap = USUAL_OVERLAP_SECONDS, now = false, yes, out }) => {
      const consequence = now
        ? 'Callers with the old secrets are refused from now on.'
        : 'Its callers need the new secrets before the old ones end.';
      await confirm(office, yes, `Rotate ${id}? ${consequence}`, id);
      const input = { credential_id: id, overlap_seconds: now ? 0 : overlap };
      await handOver(office, out, () => office.client.rotateCredential(input));
    });

const outOption = () => new Option('-o, --out <file>', 'write the secrets there (mode 600), and show none');

/** All credentials that match. */
async function allCredentials(
  office: Office,
  filter: { readonly tenant?: string; readonly municipality_code?: string },
): Promise<readonly Credential[]> {
  const credentials: Credential[] = [];
  const found = office.pages(
    (cursor) => office.client.listCredentials({ ...filter, limit: PAGE, ...cursor }, office.call),
    ({ next_after }) => next_after,
  );
  for await (const page of found) credentials.push(...page.credentials);
  return credentials;
}

/** The ids of all credentials that the caller may change: an office changes none of an office. */
async function changeableIds(office: Office): Promise<readonly string[]> {
  const all = await allCredentials(office, {});
  const own =
    office.connection.admin_token === undefined ? all.filter(({ scopes }) => !isOffices(scopes)) : all;
  const left = all.length - own.length;
  if (left > 0) office.note(`${left} credentials of offices are left to the administrator.`);
  return own.map(({ credential_id }) => credential_id);
}

const isOffices = (scopes: readonly string[]): boolean =>
  scopes.includes('office') || scopes.includes('office_read');

type FieldOptions = ReturnType<ReturnType<typeof withFields>['opts']>;

/** The options of a credential, both when it is issued and later. */
const withFields = (command: ReturnType<typeof commandOf>) =>
  command
    .option('--name <name>', 'what people call it')
    .option('--scope <scopes>', 'what it may do: plate_check, report, import, office, …', listed)
    .option('-m, --municipality <codes>', 'codes of its municipalities', listed)
    .option('--ip <address>', 'addresses and CIDR blocks that may use it', listed)
    .option('--any-ip', 'any address may use it')
    .option('--expires-at <instant>', 'when it ends, with an offset; never: no end')
    .option('--rate-limit <calls/time>', 'such as 120/60s', rateLimit)
    .option('--historical-days <days>', 'how far back it may ask; unlimited: no bound', historicalDays)
    .option('--source <code>', 'the one source whose sessions it imports; none: not bound')
    .option('--area <codes>', 'the only areas of its one municipality that it may ask about', listed)
    .option('--all-areas', 'it may ask about all areas');

/** The options in the words of the service. An option that was not given is absent. */
const fieldsOf = (options: FieldOptions) =>
  given({
    name: options.name,
    // The service judges the names: it may know a scope that this command does not.
    scopes: options.scope as Scope[] | undefined,
    municipalities: options.municipality,
    ip_allowlist: options.anyIp ? null : options.ip,
    expires_at: options.expiresAt === 'never' ? null : options.expiresAt,
    rate_limit: options.rateLimit,
    historical_days_allowed: options.historicalDays === 'unlimited' ? null : options.historicalDays,
    source_code: options.source === 'none' ? null : options.source,
    areas: options.allAreas ? null : options.area,
  });

function rateLimit(value: string): { limit: number; window_seconds: number } {
  const [, calls, time] = /^(\d{1,5})\/(\w+)$/.exec(value) ?? [];
  if (calls === undefined || time === undefined) throw new InvalidArgumentError('Write 120/60s.');
  return { limit: Number(calls), window_seconds: seconds(time) };
}

const historicalDays = (value: string): number | 'unlimited' =>
  value === 'unlimited' ? value : wholeNumber(value);
