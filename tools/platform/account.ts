import { randomUUID } from 'node:crypto';

/** A binding of a version, as Wrangler uploads it. */
export type Binding = { readonly type: string; readonly name: string } & Readonly<Record<string, unknown>>;

/** A module of a Worker, by its path. */
export interface Module {
  readonly path: string;
  readonly text: string;
}

/** A version of a Worker, with its bindings and secrets. */
export interface Version {
  readonly id: string;
  readonly number: number;
  readonly createdOn: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly compatibilityDate: string;
  /** The first one first. */
  readonly modules: readonly Module[];
  readonly bindings: readonly Binding[];
  readonly secrets: Readonly<Record<string, string>>;
  /** The Worker's assets, by their path. */
  readonly assets: ReadonlyMap<string, string>;
}

/** The versions that share the calls of a Worker, in percent. */
export interface Deployment {
  readonly id: string;
  readonly created_on: string;
  readonly strategy: 'percentage';
  readonly versions: readonly { readonly version_id: string; readonly percentage: number }[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** A Worker. */
export interface Script {
  readonly name: string;
  readonly tag: string;
  /** The tag of the last migration of its objects. */
  migrationTag: string | null;
  /** The newest first. */
  versions: Version[];
  /** The newest first. */
  deployments: Deployment[];
  schedules: readonly string[];
}

/** A refusal of the API, with the platform's code. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** All that an account has. */
export class Account {
  readonly scripts = new Map<string, Script>();
  /** Names by id. */
  readonly databases = new Map<string, string>();
  readonly namespaces = new Map<string, string>();
  /** Uploaded files, by their hash. */
  readonly uploads = new Map<string, string>();
  /** Manifests of assets, by the token that their upload was given. */
  readonly manifests = new Map<string, ReadonlyMap<string, string>>();

  /** @throws ApiRefusal like the platform's, if there is none */
  script(name: string): Script {
    const script = this.scripts.get(name);
    if (script === undefined) throw new ApiRefusal(404, 10007, 'This Worker does not exist on your account.');
    return script;
  }

  createDatabase(name: string): string {
    const id = randomUUID();
    this.databases.set(id, name);
    return id;
  }

  createNamespace(title: string): string {
    const id = randomUUID().replaceAll('-', '');
    this.namespaces.set(id, title);
    return id;
  }
}

/** Gives versions all the calls, or shares of them. */
export function deploy(
  script: Script,
  versions: Deployment['versions'],
  annotations: Readonly<Record<string, string>> = {},
): Deployment {
  const sum = versions.reduce((total, { percentage }) => total + percentage, 0);
  if (sum !== 100)
    throw new ApiRefusal(400, 10023, `The percentages of a deployment are ${sum} in all, not 100.`);
  for (const { version_id: id } of versions) versionOf(script, id);
  const deployment: Deployment = {
    id: randomUUID(),
    created_on: new Date().toISOString(),
    strategy: 'percentage',
    versions,
    annotations,
  };
  script.deployments.unshift(deployment);
  return deployment;
}

/** @throws ApiRefusal if there is no such version */
export function versionOf(script: Script, id: string): Version {
  const version = script.versions.find((candidate) => candidate.id === id);
  if (version === undefined) throw new ApiRefusal(404, 100146, `There is no version ${id}.`);
  return version;
}

/** The versions that calls can reach, one at 0 % too. */
export const reachable = (script: Script): readonly Version[] =>
  (script.deployments[0]?.versions ?? []).map(({ version_id: id }) => versionOf(script, id));
