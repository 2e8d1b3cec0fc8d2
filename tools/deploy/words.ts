import type { EnvironmentName } from './arguments.ts';
import type { Step } from './plan.ts';
import type { Release } from './release.ts';

/** The name of a step, for the person at the terminal. */
export function titleOf(step: Step): string {
  switch (step.do) {
    case 'migrate':
      return `migrate ${step.database}: ${step.migrations.join(', ')}`;
    case 'upload':
      return 'upload the new version';
    case 'stand by':
      return `put it at 0 % beside ${step.before} at 100 %`;
    case 'try':
      return 'smoke test of the new version, which gets no other calls';
    case 'switch':
      return 'give it all calls';
    case 'replace':
      return 'upload the new version and give it all calls';
    case 'check':
      return 'smoke test of the deployed version';
    case 'triggers':
      return 'set crons and routes';
    default:
      return step satisfies never;
  }
}

/** The state after a failed step, and what to do. */
export function afterFailure(step: Step, environment: EnvironmentName): string {
  const again = `npm run deploy -- --env ${environment}`;
  const back = `npm run rollback -- --env ${environment}`;
  switch (step.do) {
    case 'migrate':
      return `No caller was affected: the previous version still serves all calls. Migrations before this one are applied, and stay.
Fix the cause, then continue with: ${again}`;
    case 'upload':
      return `No caller was affected: the previous version still serves all calls. The databases are migrated.
Fix the cause, then continue with: ${again}`;
    case 'stand by':
      return `No caller was affected: the previous version still serves all calls. The new one is uploaded and not deployed.
Fix the cause, then continue with: ${again}`;
    case 'try':
      return `No caller was affected: the previous version still serves all calls. The new one stands at 0 %, and may stay there.
Fix it, then deploy again: ${again}`;
    case 'switch':
      return `Either version may serve now. See which: ${again} --dry-run
Go on with ${again}, or back with ${back}`;
    case 'replace':
      return `Either version may serve now, if there was one. See which: ${again} --dry-run
Fix the cause, then continue with: ${again}`;
    case 'check':
      return `The new version serves all calls.
Go back to the one before: ${back}`;
    case 'triggers':
      return `The new version serves all calls; crons and routes are those of before.
Go on: ${again}`;
    default:
      return step satisfies never;
  }
}

/** The state after a failed smoke test of a rollback, and what to do. */
export const afterRollback = (
  { commit }: Release,
  environment: EnvironmentName,
): string => `The rollback is done: ${commit} serves all calls.
If a database, KV or a secret is what fails, fix that. If it is the release, go further back: npm run rollback -- --env ${environment}`;
