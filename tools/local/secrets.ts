import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isStrongSecret, MIN_SECRET_CHARACTERS } from '../../src/base/crypto/secret-strength.ts';

type SecretName = 'ADMIN_TOKEN' | 'TOKEN_KEY' | 'DIGEST_KEY';

/** Lists of keys: the first one is used, and the others still count. */
const isKeyList = (name: SecretName): boolean => name === 'TOKEN_KEY' || name === 'DIGEST_KEY';

export type Secrets = Readonly<Record<SecretName, string>>;

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/** A strong random secret: 64 hexadecimal digits. */
const newSecret = (): string => randomBytes(SECRET_BYTES).toString('hex');

/**
 * The service's secrets: from the environment, else from the file. A missing one is made, strong and random,
 * and added to the file.
 *
 * @param file path of `.dev.vars`; created with mode 600
 * @throws Error for one that the service would ignore, since it is too short
 */
export function readSecrets(environment: NodeJS.ProcessEnv, file: string): Secrets {
  const text = readClosed(file);
  const kept = parseEnv(text);
  const made: string[] = [];

  const secretOf = (name: keyof Secrets): string => {
    const known = environment[name] || kept[name];
    if (known) return strong(name, known);
    const secret = newSecret();
    made.push(`${name}=${secret}\n`);
    return secret;
  };
  const secrets = {
    ADMIN_TOKEN: secretOf('ADMIN_TOKEN'),
    TOKEN_KEY: secretOf('TOKEN_KEY'),
    DIGEST_KEY: secretOf('DIGEST_KEY'),
  };

  if (made.length > 0) {
    const separator = text === '' || text.endsWith('\n') ? '' : '\n';
    appendFileSync(file, separator + made.join(''), { mode: OWNER_ONLY });
  }
  return secrets;
}

/** Reads the file, if there is one, and takes it from all other users. */
function readClosed(file: string): string {
  if (!existsSync(file)) return '';
  chmodSync(file, OWNER_ONLY);
  return readFileSync(file, 'utf8');
}

/** Of a list of keys the first has to be strong: the others only verify. */
function strong(name: SecretName, value: string): string {
  const [first = ''] = isKeyList(name) ? value.split(',').filter((key) => key.trim() !== '') : [value];
  if (!isStrongSecret(first.trim())) {
    throw new Error(
      `${name} has fewer than ${MIN_SECRET_CHARACTERS} characters. Make a good one: openssl rand -hex 32`,
    );
  }
  return value;
}
