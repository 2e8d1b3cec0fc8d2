import type { EnvironmentName } from './arguments.ts';
import type { Deployed } from './platform.ts';
import type { Release } from './release.ts';
import { outgrown } from './rollback-plan.ts';

/** The findings of the preflight. */
export interface Found {
  readonly environment: EnvironmentName;
  readonly release: Release;
  readonly deployed: Deployed;
  /** The names of the secrets that are set. */
  readonly secrets: readonly string[];
  readonly databases: readonly FoundDatabase[];
}

export interface FoundDatabase {
  readonly name: string;
  /** The pending migrations; null if the database did not answer. */
  readonly pending: readonly string[] | null;
  /** The number of the newest migration that code must know to write there; 0 if any code may. */
  readonly lowestWriter: number;
}

export type Step =
  | { readonly do: 'migrate'; readonly database: string; readonly migrations: readonly string[] }
  /** Uploads the new version, which gets no calls. */
  | { readonly do: 'upload' }
  /** Makes it part of the deployment, at 0 %. */
  | { readonly do: 'stand by'; readonly before: string }
  /** The smoke test, against the new version alone. */
  | { readonly do: 'try' }
  | { readonly do: 'switch' }
  /** Uploads the new version and gives it all calls at once. */
  | { readonly do: 'replace' }
  /** The smoke test, as an ordinary caller. */
  | { readonly do: 'check' }
  /** Crons, routes and domains, which no version carries. */
  | { readonly do: 'triggers' };

export type Plan =
  | { readonly refused: readonly string[] }
  | { readonly steps: readonly Step[]; readonly notes: readonly string[] };

/** The steps to deploy, or why it cannot be done. */
export function planOf(found: Found, required: readonly string[]): Plan {
  const { environment, deployed, secrets, databases, release } = found;
  const refused = [
    ...required
      .filter((name) => !secrets.includes(name))
      .map((name) => `The secret ${name} is not set: npm run secret ${name} -- --env ${environment}`),
    ...databases
      .filter(({ pending }) => pending === null)
      .map(({ name }) => `The database ${name} did not answer, or its id is of none`),
    ...databases
      .filter(({ lowestWriter }) => lowestWriter > release.schema)
      .map(({ name, lowestWriter }) => `${outgrown(name, lowestWriter, release)} Deploy a later commit.`),
    ...(deployed.is === 'shared'
      ? ['Several versions share the calls. Give one of them 100 % first: npx wrangler versions deploy']
      : []),
  ];
  if (refused.length > 0) return { refused };

  const migrations = databases.flatMap(({ name, pending }): Step[] =>
    pending === null || pending.length === 0 ? [] : [{ do: 'migrate', database: name, migrations: pending }],
  );
  const why = whyAtOnce(deployed, release);
  const notes = [
    ...(why === null ? [] : [`${why}, so the new version gets all calls at once, untried.`]),
    ...(secrets.includes('ADMIN_TOKEN') ? [] : ['ADMIN_TOKEN is not set: there will be no administration.']),
  ];
  if (deployed.is !== 'running' || why !== null) {
    return { steps: [...migrations, { do: 'replace' }, { do: 'check' }], notes };
  }
  return {
    steps: [
      ...migrations,
      { do: 'upload' },
      { do: 'stand by', before: deployed.version },
      { do: 'try' },
      { do: 'switch' },
      { do: 'check' },
      { do: 'triggers' },
    ],
    notes,
  };
}

/** Why no version can be deployed next to the running one; null if one can. */
function whyAtOnce(deployed: Deployed, { objects }: Release): string | null {
  if (deployed.is !== 'running') return 'This is the first deployment';
  if (deployed.release === null) return 'What runs was not deployed by this command';
  if (deployed.release.objects !== objects) {
    return `The objects are migrated from ${deployed.release.objects} to ${objects}, which an upload beside cannot carry`;
  }
  return null;
}
