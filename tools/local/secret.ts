// Makes a good secret and sets it: npm run secret NAME, for a deployed Worker; with -- --local, in .dev.vars.
import { readCommandLine } from '../command-line.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../deploy/arguments.ts';
import { workerNameOf } from '../deploy/prepare.ts';
import { print, printError, printFailure } from '../print.ts';
import { isKeyList, renewSecret, SECRET_NAMES, type SecretName, withNewSecret } from './secrets.ts';
import { DEV_VARS, putRemoteSecret, remoteSecretNames } from './wrangler.ts';

const USAGE = `npm run secret NAME [-- --local | --env ENVIRONMENT]
  NAME      ${SECRET_NAMES.join(', ')}
  --local   for npm start: into .dev.vars
  --env     ${ENVIRONMENTS.join(' or ')} (${ENVIRONMENTS[0]})

With the keys of today in the environment variable of that name, a new TOKEN_KEY or DIGEST_KEY goes in front of them.`;

const keysAreSet = (
  name: SecretName,
) => `${name} is set already. A new key alone would know nothing of what was made with
the keys of today: put them into the environment variable ${name}, and the new one goes in front. Where they are lost,
delete the secret first: npx wrangler secret delete ${name} --name WORKER`;

try {
  const { name, local, environment } = readArguments();
  const value = local ? renewSecret(name, DEV_VARS) : await renewRemoteSecret(name, environment);
  printError(`${name} is set. ${local ? `It is in ${DEV_VARS}.` : 'It cannot be read back: keep it.'}`);
  print(value);
} catch (error) {
  printFailure(error);
  process.exit(1);
}

function readArguments(): { name: SecretName; local: boolean; environment: EnvironmentName } {
  const { positionals, values } = readCommandLine(USAGE, {
    allowPositionals: true,
    options: {
      local: { type: 'boolean', default: false },
      env: { type: 'string', default: ENVIRONMENTS[0] },
    },
  });
  const name = SECRET_NAMES.find((known) => known === positionals[0]);
  const environment = ENVIRONMENTS.find((known) => known === values.env);
  if (name === undefined || environment === undefined || positionals.length !== 1) throw new Error(USAGE);
  return { name, local: values.local, environment };
}

async function renewRemoteSecret(name: SecretName, environment: EnvironmentName): Promise<string> {
  const worker = await workerNameOf(environment);
  const current = isKeyList(name) ? process.env[name] : undefined;
  if (isKeyList(name) && !current && (await remoteSecretNames(worker)).includes(name)) {
    throw new Error(keysAreSet(name));
  }
  const value = withNewSecret(name, current);
  await putRemoteSecret(worker, name, value);
  return value;
}
