import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PROJECT_ROOT } from '../local/wrangler.ts';

/** A version's sources, stored as its message. */
export interface Release {
  /** The commit's short hash, with `+changes` if files differ from it. */
  readonly commit: string;
  /** The number of the newest migration that it knows. */
  readonly schema: number;
  /** The tag of the last migration of its objects. */
  readonly objects: string;
}

/** The files of the migrations, in their order. */
export const migrationFiles = (): readonly string[] =>
  globSync('*.sql', { cwd: join(PROJECT_ROOT, 'migrations') })
    .map((file) => basename(file))
    .sort();

/** The release of this checkout. */
export function releaseHere(objects: string): Release {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: PROJECT_ROOT, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+changes';
  return {
    commit: `${git('rev-parse', '--short=12', 'HEAD')}${changed}`,
    schema: Number.parseInt(migrationFiles().at(-1) ?? '0', 10),
    objects,
  };
}

/** A release as a version's message. */
export const messageOf = ({ commit, schema, objects }: Release): string =>
  `commit ${commit}, schema ${schema}, objects ${objects}`;

/** The release of a version, by its message; null for one that this project's command did not make. */
export function releaseOf(message: string | undefined): Release | null {
  const [, commit, schema, objects] = /^commit (\S+), schema (\d+), objects (\S*)$/.exec(message ?? '') ?? [];
  if (commit === undefined || objects === undefined) return null;
  return { commit, schema: Number(schema), objects };
}
