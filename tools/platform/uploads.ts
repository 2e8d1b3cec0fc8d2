import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Account, ApiRefusal, type Binding, type Module, type Script, type Version } from './account.ts';

const binding = z.looseObject({ type: z.string(), name: z.string() });

/** The metadata of Wrangler's upload. */
const metadata = z.looseObject({
  main_module: z.string(),
  bindings: z.array(binding).default([]),
  compatibility_date: z.string().default('2026-10-20'),
  annotations: z.record(z.string(), z.string()).optional(),
  keep_bindings: z.array(z.string()).optional(),
  migrations: z.looseObject({ new_tag: z.string().optional(), tag: z.string().optional() }).optional(),
  assets: z.looseObject({ jwt: z.string().optional() }).optional(),
});

/** A parsed upload. */
export interface Upload {
  readonly version: Version;
  /** The tag that the objects are migrated to; null without a migration. */
  readonly migrationTag: string | null;
}

/**
 * Makes a version from Wrangler's upload. It has the secrets of the newest version before it.
 *
 * @throws ApiRefusal if the platform would refuse it
 */
export async function readUpload(
  account: Account,
  script: Script | undefined,
  form: FormData,
): Promise<Upload> {
  const sent = form.get('metadata');
  const text = typeof sent === 'string' ? sent : await sent?.text();
  const read = metadata.parse(JSON.parse(text ?? '{}'));
  const modules = await modulesOf(form);
  const main = modules.find(({ path }) => path === read.main_module);
  if (main === undefined) {
    throw new ApiRefusal(400, 10021, `The module ${read.main_module} was not uploaded.`);
  }
  const secrets = { ...script?.versions[0]?.secrets };
  const bindings: Binding[] = [];
  for (const one of read.bindings) {
    if (one.type === 'inherit') requireSecret(secrets, one.name);
    else if (one.type === 'secret_text') secrets[one.name] = String(one.text);
    else bindings.push(requireReal(account, one));
  }
  const version: Version = {
    id: randomUUID(),
    number: (script?.versions.length ?? 0) + 1,
    createdOn: new Date().toISOString(),
    annotations: read.annotations ?? {},
    compatibilityDate: read.compatibility_date,
    modules: [main, ...modules.filter((module) => module !== main)],
    bindings,
    secrets,
    assets: assetsOf(account, read.assets?.jwt),
  };
  return { version, migrationTag: read.migrations?.new_tag ?? read.migrations?.tag ?? null };
}

/** The modules of an upload: a file each. Source maps are files of another type. */
async function modulesOf(form: FormData): Promise<Module[]> {
  const modules: Module[] = [];
  for (const [path, file] of form) {
    if (typeof file !== 'string' && file.type === 'application/javascript+module') {
      modules.push({ path, text: await file.text() });
    }
  }
  return modules;
}

function requireSecret(secrets: Readonly<Record<string, string>>, name: string): void {
  if (secrets[name] === undefined) {
    throw new ApiRefusal(
      400,
      10057,
      `inherit binding '${name}' is invalid: there is no such binding before.`,
    );
  }
}

/** A database or namespace that the account does not have cannot be bound. */
function requireReal(account: Account, one: Binding): Binding {
  const id = String(one.id ?? one.database_id ?? one.namespace_id ?? '');
  const isThere =
    one.type === 'd1'
      ? account.databases.has(id)
      : one.type === 'kv_namespace'
        ? account.namespaces.has(id)
        : true;
  if (isThere) return one;
  throw new ApiRefusal(
    400,
    10021,
    `binding ${one.name} of type ${one.type} must have a valid \`id\` specified`,
  );
}

/** Files of an upload's session, by their path. */
function assetsOf({ manifests, uploads }: Account, token: string | undefined): ReadonlyMap<string, string> {
  const manifest = token === undefined ? undefined : manifests.get(token);
  return new Map([...(manifest ?? [])].map(([path, hash]) => [path, uploads.get(hash) ?? '']));
}

/** The same version with another secret, or without one. */
export function withSecret({ number, ...version }: Version, name: string, value: string | null): Version {
  const { [name]: _, ...others } = version.secrets;
  const secrets = value === null ? others : { ...others, [name]: value };
  const createdOn = new Date().toISOString();
  return { ...version, id: randomUUID(), number: number + 1, createdOn, secrets };
}

/** A hash of a version's modules. */
export const etagOf = (modules: readonly Module[]): string =>
  createHash('sha256').update(JSON.stringify(modules)).digest('hex');
