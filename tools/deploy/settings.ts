import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import type { EnvironmentName } from './arguments.ts';

/**
 * The settings of an environment: ids, its address, and the credential of its smoke test, by the names of the
 * variables.
 */
export type Settings = Readonly<Record<string, string>>;

const file = z.partialRecord(z.enum(['production', 'staging']), z.record(z.string(), z.string()));

/**
 * The settings of each environment: from the file, or from variables such as `DEPLOY_STAGING_DB`, which win.
 *
 * @param path of an untracked file
 * @throws Error for a file that cannot be read as JSON of that form
 */
export function readSettings(
  path: string,
  variables: Readonly<Record<string, string | undefined>>,
): Readonly<Record<EnvironmentName, Settings>> {
  const known = existsSync(path) ? parseSettings(path) : {};
  const of = (name: EnvironmentName): Settings => ({ ...known[name], ...fromVariables(name, variables) });
  return { production: of('production'), staging: of('staging') };
}

function parseSettings(path: string): z.infer<typeof file> {
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Error(`${path} cannot be read: ${why}\ndocs/deploying.md shows its form.`);
  }
}

function fromVariables(
  name: EnvironmentName,
  variables: Readonly<Record<string, string | undefined>>,
): Settings {
  const prefix = `DEPLOY_${name.toUpperCase()}_`;
  return Object.fromEntries(
    Object.entries(variables).flatMap(([variable, value]) =>
      variable.startsWith(prefix) && value ? [[variable.slice(prefix.length), value]] : [],
    ),
  );
}
