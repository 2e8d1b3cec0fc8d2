import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isStrongSecret, MIN_SECRET_CHARACTERS } from '../../src/base/crypto/secrets.ts';

const NAMES = ['ADMIN_TOKEN', 'TOKEN_KEY', 'DIGEST_KEY'] as const;
type SecretName = (typeof NAMES)[number];

export type Secrets = Readonly<Record<SecretName, string>>;

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/**
 * The service's secrets: from the environment, else from the file. A missing one is made, strong and random,
 * and added to the file.
 *
 * @param file path of `.dev.vars`; for its owner alone from now on
 * @throws Error for one that the service would ignore, since it is too short
 */
export function readSecrets(environment: NodeJS.ProcessEnv, file: string): Secrets {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kept = parseEnv(text);
  const known = NAMES.map((name) => [name, environment[name] || kept[name]] as const);
  const secrets = known.map(([name, value]) => [name, value || randomBytes(SECRET_BYTES).toString('hex')]);
  for (const [name, value] of known) if (value) assertStrong(name, value);

  const made = secrets.filter((_, index) => !known[index]?.[1]).map(([name, value]) => `${name}=${value}\n`);
  if (made.length > 0) {
    const separator = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(file, separator + made.join(''), { mode: OWNER_ONLY });
  }
  if (existsSync(file)) chmodSync(file, OWNER_ONLY);
  return Object.fromEntries(secrets);
}

/** Keys are lists: the first one signs and has to be strong, the others only verify. */
function assertStrong(name: SecretName, value: string): void {
  const first = name === 'ADMIN_TOKEN' ? value : value.split(',').find((key) => key.trim() !== '');
  if (!isStrongSecret((first ?? '').trim())) {
    throw new Error(
      `${name} has fewer than ${MIN_SECRET_CHARACTERS} characters. Make a good one: openssl rand -hex 32`,
    );
  }
}
