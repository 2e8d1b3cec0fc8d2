import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const NAMES = ['ADMIN_TOKEN', 'TOKEN_KEY'] as const;

export type Secrets = Readonly<Record<(typeof NAMES)[number], string>>;

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/**
 * The service's secrets: from the environment, else from the file. One that neither holds is made, strong and random,
 * and added to the file.
 *
 * @param file path of `.dev.vars`; created for its owner alone if need be
 */
export function readSecrets(environment: NodeJS.ProcessEnv, file: string): Secrets {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kept = parseEnv(text);
  const made: string[] = [];

  const secretOf = (name: keyof Secrets): string => {
    const known = environment[name] || kept[name];
    if (known) return known;
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    made.push(`${name}=${secret}\n`);
    return secret;
  };
  const secrets = { ADMIN_TOKEN: secretOf('ADMIN_TOKEN'), TOKEN_KEY: secretOf('TOKEN_KEY') };

  if (made.length > 0) {
    const separator = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(file, separator + made.join(''), { mode: OWNER_ONLY });
  }
  return secrets;
}
