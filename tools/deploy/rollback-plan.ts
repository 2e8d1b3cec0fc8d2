import type { Deployment } from './platform.ts';
import type { Release } from './release.ts';

const alone = ({ versions }: Deployment): string | undefined =>
  versions.find(({ percentage }) => percentage === 100)?.version_id;

/**
 * The version that had all calls before the one that has them now: also after a rollback, so that a second
 * one does not return to the bad version.
 *
 * @param deployments the newest first
 * @returns why there is none, instead
 */
export function rollbackOf(
  deployments: readonly Deployment[],
): { readonly to: string } | { readonly refused: string } {
  const [newest] = deployments;
  if (newest === undefined) return { refused: 'There is no such Worker.' };
  const served = deployments.map(alone);
  const now = served[0];
  const since = now === undefined ? 0 : served.lastIndexOf(now);
  const to = served.slice(since + 1).find((version) => version !== undefined);
  return to === undefined ? { refused: 'No deployment before this one is known.' } : { to };
}

/** Why a release must not serve: it would refuse imports, configuration and erasure. */
export const outgrown = (database: string, lowest: number, { commit, schema }: Release): string =>
  `The schema of ${database} has outgrown ${commit}: code that writes there must know migration ${lowest}, and it knows ${schema}.`;
