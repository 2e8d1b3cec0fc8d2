import { print } from '../print.ts';
import type { Environment } from './environment.ts';
import type { Step } from './plan.ts';
import type { Platform } from './platform.ts';
import { messageOf, type Release } from './release.ts';
import { smokeTest } from './smoke.ts';
import { afterFailure, titleOf } from './words.ts';

/**
 * Takes the steps in their order, and prints each.
 *
 * @throws Error at the first failure, with the present state and what to do
 */
export async function runSteps(
  steps: readonly Step[],
  environment: Environment,
  platform: Platform,
  release: Release,
): Promise<void> {
  const message = messageOf(release);
  let version = '';
  const take = async (step: Step): Promise<string> => {
    switch (step.do) {
      case 'migrate':
        await platform.migrate(step.database);
        return 'applied';
      case 'upload':
        version = await platform.upload(release.commit, message);
        return version;
      case 'stand by':
        await platform.share({ [step.before]: 100, [version]: 0 }, message);
        return 'done';
      case 'try':
        return `well: ${(await smokeTest(environment, version, { alone: true })).join(', ')}`;
      case 'switch':
        await platform.share({ [version]: 100 }, message);
        return 'done';
      case 'replace':
        version = await platform.replace(release.commit, message);
        return version;
      case 'check':
        return `well: ${(await smokeTest(environment, version, { alone: false })).join(', ')}`;
      case 'triggers':
        await platform.setTriggers();
        return 'done';
      default:
        return step satisfies never;
    }
  };
  for (const [index, step] of steps.entries()) {
    print(`${index + 1}/${steps.length} ${titleOf(step)}`);
    try {
      print(`    ${await take(step)}`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`    failed: ${why}\n\n${afterFailure(step, environment.name)}`);
    }
  }
}
