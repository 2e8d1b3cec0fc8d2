// Makes a good secret and sets it: npm run secret NAME, for the deployed Worker; with -- --local, in .dev.vars.
import { parseArgs } from 'node:util';
import { renewSecret, SECRET_NAMES, type SecretName, withNewSecret } from './secrets.ts';
import { DEV_VARS, putRemoteSecret, remoteSecretNames } from './wrangler.ts';

const USAGE = `npm run secret NAME [-- --local]
  NAME      ${SECRET_NAMES.join(' or ')}
  --local   for npm start: into .dev.vars

With the keys of today in the environment variable TOKEN_KEY, a new key goes in front of them.`;

const KEYS_ARE_SET = `TOKEN_KEY is set already. A new key alone would refuse every token that is out: put the keys of today
into the environment variable TOKEN_KEY, and the new one goes in front. Where they are lost, delete the secret first:
npx wrangler secret delete TOKEN_KEY`;

try {
  const { name, local } = readArguments();
  const value = local ? renewSecret(name, DEV_VARS) : await renewRemoteSecret(name);
  console.error(`${name} is set. ${local ? `It is in ${DEV_VARS}.` : 'It cannot be read back: keep it.'}`);
  console.log(value);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

function readArguments(): { name: SecretName; local: boolean } {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { local: { type: 'boolean', default: false } },
  });
  const name = SECRET_NAMES.find((known) => known === positionals[0]);
  if (name === undefined || positionals.length !== 1) throw new Error(USAGE);
  return { name, local: values.local };
}

async function renewRemoteSecret(name: SecretName): Promise<string> {
  const current = name === 'TOKEN_KEY' ? process.env.TOKEN_KEY : undefined;
  if (name === 'TOKEN_KEY' && !current && (await remoteSecretNames()).includes(name)) {
    throw new Error(KEYS_ARE_SET);
  }
  const value = withNewSecret(name, current);
  await putRemoteSecret(name, value);
  return value;
}
