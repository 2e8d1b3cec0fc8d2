import { execFileSync } from 'node:child_process';

/** The committed description of the service: regenerate it when you change its sources. */
export const DESCRIPTION = 'src/serving/openapi/openapi.json';

/** The text of the description, from the schemas that the service validates with, as the formatter has it. */
export function makeDescription(): string {
  const made = execFileSync(process.execPath, ['tools/description/document/print.ts']);
  return execFileSync('biome', ['format', `--stdin-file-path=${DESCRIPTION}`], {
    input: made,
    encoding: 'utf8',
  });
}
