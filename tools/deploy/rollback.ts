// Goes back to the version before: npm run rollback -- [--env NAME] [--dry-run]
import { print, printFailure } from '../print.ts';
import { readArguments } from './arguments.ts';
import { Platform } from './platform.ts';
import { environmentNamed, lowestWriter } from './prepare.ts';
import { releaseOf } from './release.ts';
import { outgrown, rollbackOf } from './rollback-plan.ts';
import { smokeTest } from './smoke.ts';
import { afterRollback } from './words.ts';

try {
  const { environment: name, dryRun } = readArguments('rollback', process.argv.slice(2));
  const environment = await environmentNamed(name);
  const platform = new Platform(environment);
  const found = rollbackOf((await platform.deployments()) ?? []);
  if ('refused' in found) throw new Error(`Nothing was changed. ${found.refused}`);

  const release = releaseOf(await platform.messageOf(found.to));
  if (release === null) {
    throw new Error(`Nothing was changed. Version ${found.to} was not made by npm run deploy.`);
  }
  for (const database of environment.databases) {
    const lowest = await lowestWriter(platform, database);
    if (lowest > release.schema) {
      throw new Error(
        `Nothing was changed. ${outgrown(database, lowest, release)}\nFix the fault in a new release, and deploy that.`,
      );
    }
  }
  print(`${name} goes back to ${release.commit}, version ${found.to}.`);
  print('It runs with the secrets it was deployed with: those changed since have their old values again.');
  if (dryRun) {
    print('Nothing was changed: this was a dry run.');
  } else {
    await platform.share({ [found.to]: 100 }, `rollback to ${release.commit}`);
    const asked = await smokeTest(environment, found.to, { alone: false }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`Smoke test failed: ${why}\n\n${afterRollback(release, name)}`);
    });
    print(`${release.commit} serves ${name}. Smoke test: ${asked.join(', ')}`);
  }
} catch (error) {
  printFailure(error);
  process.exit(1);
}
