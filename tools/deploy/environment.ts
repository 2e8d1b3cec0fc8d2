import { ENVIRONMENTS, type EnvironmentName } from './arguments.ts';
import type { Settings } from './settings.ts';

/** The parts of `wrangler.toml` that deploying reads. */
export interface WrittenConfig {
  readonly name?: string | undefined;
  readonly d1_databases?: readonly Binding[];
  readonly kv_namespaces?: readonly Binding[];
  readonly migrations?: readonly { readonly tag: string }[];
  readonly env?: Readonly<Record<string, object>>;
}

interface Binding {
  readonly binding: string;
}

/** An environment, with everything needed to deploy it. */
export interface Environment {
  readonly name: EnvironmentName;
  /** The Worker's name. */
  readonly worker: string;
  /** Its address, without a slash at the end. */
  readonly address: string;
  /** The names of the databases' bindings, the home first. */
  readonly databases: readonly string[];
  /** The tag of the last migration of the objects. */
  readonly objects: string;
  /** The configuration for Wrangler. */
  readonly config: object;
  /** A plate for the smoke test, with a credential; null without one. */
  readonly check: { readonly token: string; readonly plate: string } | null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NAMESPACE_ID = /^[0-9a-f]{32}$/;
const ZEROS = /^[0-]+$/;

/** Without these the service answers 500, or keeps no digest of a plate. */
export const REQUIRED_SECRETS = ['TOKEN_KEY', 'DIGEST_KEY'] as const;

/**
 * Makes an environment from `wrangler.toml` and the settings. It has everything of the top of
 * `wrangler.toml`, unless `[env.NAME]` overrides it; ids come from the settings alone.
 *
 * @returns the faults instead, if there are any
 */
export function environmentOf(
  written: WrittenConfig,
  name: EnvironmentName,
  settings: Readonly<Record<EnvironmentName, Settings>>,
): Environment | { readonly wrong: readonly string[] } {
  const { env = {}, ...top } = written;
  const merged: WrittenConfig = { ...top, ...env[name] };
  const given = settings[name];
  const wrong: string[] = [];

  const idOf = (binding: string, form: RegExp): string => {
    const id = given[binding] ?? '';
    const problem = problemOf(binding, id, form, name, settings);
    if (problem !== null) wrong.push(problem);
    return id;
  };
  const databases = (merged.d1_databases ?? []).map((database) => {
    const id = idOf(database.binding, UUID);
    return {
      ...database,
      database_name: `${merged.name}-${database.binding.toLowerCase()}`,
      database_id: id,
    };
  });
  const namespaces = (merged.kv_namespaces ?? []).map((namespace) => ({
    ...namespace,
    id: idOf(namespace.binding, NAMESPACE_ID),
  }));

  const address = (given.ADDRESS ?? '').replace(/\/+$/, '');
  if (!isAddress(address))
    wrong.push(`ADDRESS of ${name} is not an address such as https://parking.example.org`);
  wrong.push(...sharedAddresses(name, settings));
  const { CHECK_TOKEN: token, CHECK_PLATE: plate } = given;
  if ((token === undefined) !== (plate === undefined)) {
    wrong.push(`CHECK_TOKEN and CHECK_PLATE of ${name} go together`);
  }
  const worker = workerOf(written, name);
  const others = ENVIRONMENTS.filter((other) => other !== name);
  if (others.some((other) => workerOf(written, other) === worker)) {
    wrong.push(
      `another environment has the Worker's name "${worker}" too: give each one of its own in wrangler.toml`,
    );
  }
  if (wrong.length > 0) return { wrong };
  return {
    name,
    worker,
    address,
    databases: databases.map(({ binding }) => binding),
    objects: merged.migrations?.at(-1)?.tag ?? '',
    config: {
      ...merged,
      ...(given.ACCOUNT !== undefined && { account_id: given.ACCOUNT }),
      ...(given.DOMAIN !== undefined && ownDomain(given.DOMAIN)),
      d1_databases: databases,
      kv_namespaces: namespaces,
      secrets: { required: REQUIRED_SECRETS },
    },
    check: token === undefined || plate === undefined ? null : { token, plate },
  };
}

/** The name of an environment's Worker. */
export const workerOf = (written: WrittenConfig, name: EnvironmentName): string => {
  const { name: worker = '' }: WrittenConfig = { ...written, ...written.env?.[name] };
  return worker;
};

function problemOf(
  binding: string,
  id: string,
  form: RegExp,
  name: EnvironmentName,
  settings: Readonly<Record<EnvironmentName, Settings>>,
): string | null {
  if (id === '')
    return `${binding} of ${name} has no id: set it in .deploy.json, or as DEPLOY_${name.toUpperCase()}_${binding}`;
  if (!form.test(id) || ZEROS.test(id)) return `${binding} of ${name} has an id that cannot be one: ${id}`;
  const sharing = ENVIRONMENTS.find((other) => other !== name && Object.values(settings[other]).includes(id));
  return sharing === undefined ? null : `${binding} of ${name} has an id that belongs to ${sharing}: ${id}`;
}

/** A domain leads to one Worker: deploying an environment with another's would take its calls. */
function sharedAddresses(
  name: EnvironmentName,
  settings: Readonly<Record<EnvironmentName, Settings>>,
): string[] {
  const hostsOf = ({ ADDRESS: address = '', DOMAIN: domain = '' }: Settings) =>
    [URL.parse(address)?.host ?? '', domain.toLowerCase()].filter((host) => host !== '');
  const own = new Set(hostsOf(settings[name]));
  return ENVIRONMENTS.filter((other) => other !== name).flatMap((other) =>
    hostsOf(settings[other])
      .filter((host) => own.has(host))
      .slice(0, 1)
      .map((host) => `${name} has an address that belongs to ${other}: ${host}`),
  );
}

/** Plain HTTP to this machine is allowed, for a rehearsal. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.origin !== text) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && url.hostname === 'localhost');
}

/** A zone's rules apply only where the Worker answers on that zone alone. */
const ownDomain = (pattern: string) => ({
  routes: [{ pattern, custom_domain: true }],
  workers_dev: false,
  preview_urls: false,
});
