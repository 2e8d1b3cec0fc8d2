import { readCommandLine } from '../command-line.ts';

/** The environments of `wrangler.toml`. */
export const ENVIRONMENTS = ['production', 'staging'] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];

export interface Arguments {
  readonly environment: EnvironmentName;
  /** Only check, and change nothing. */
  readonly dryRun: boolean;
}

const usage = (command: string) => `npm run ${command} -- [--env NAME] [--dry-run]
  --env NAME   ${ENVIRONMENTS.join(' or ')} (${ENVIRONMENTS[0]})
  --dry-run    says what would be done, and changes nothing`;

/**
 * Reads the arguments of `npm run deploy --` or `npm run rollback --`.
 *
 * @throws Error with the usage, for an unknown option: a mistyped one must not deploy production
 */
export function readArguments(command: 'deploy' | 'rollback', args: readonly string[]): Arguments {
  const { values } = readCommandLine(
    usage(command),
    {
      options: {
        env: { type: 'string', default: ENVIRONMENTS[0] },
        'dry-run': { type: 'boolean', default: false },
      },
    },
    args,
  );
  const { env, 'dry-run': dryRun } = values;
  const environment = ENVIRONMENTS.find((name) => name === env);
  if (environment === undefined) throw new Error(`There is no environment "${env}".\n\n${usage(command)}`);
  return { environment, dryRun };
}
