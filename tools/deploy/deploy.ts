// Deploys an environment: npm run deploy -- [--env NAME] [--dry-run]
import { print, printFailure } from '../print.ts';
import { readArguments } from './arguments.ts';
import { REQUIRED_SECRETS } from './environment.ts';
import { planOf } from './plan.ts';
import { Platform } from './platform.ts';
import { environmentNamed, findDatabase } from './prepare.ts';
import { releaseHere } from './release.ts';
import { runSteps } from './run-steps.ts';
import { titleOf } from './words.ts';

try {
  const { environment: name, dryRun } = readArguments('deploy', process.argv.slice(2));
  const environment = await environmentNamed(name);
  const platform = new Platform(environment);
  const release = releaseHere(environment.objects);
  print(`${release.commit} to ${name}: the Worker ${environment.worker} at ${environment.address}`);

  const [deployed, secrets, databases] = await Promise.all([
    platform.deployed(),
    platform.secretNames(),
    Promise.all(environment.databases.map((database) => findDatabase(platform, database))),
  ]);

  const plan = planOf({ environment: name, release, deployed, secrets, databases }, REQUIRED_SECRETS);
  if ('refused' in plan) {
    throw new Error(`Nothing was changed. First:\n- ${plan.refused.join('\n- ')}`);
  }
  for (const note of plan.notes) print(note);
  if (dryRun) {
    for (const step of plan.steps) print(`- ${titleOf(step)}`);
    print('Nothing was changed: this was a dry run.');
  } else {
    await runSteps(plan.steps, environment, platform, release);
    print(`${release.commit} serves ${name}.`);
  }
} catch (error) {
  printFailure(error);
  process.exit(1);
}
