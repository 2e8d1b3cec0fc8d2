import { randomUUID } from 'node:crypto';
import { type Account, ApiRefusal, deploy, type Script, type Version, versionOf } from './account.ts';
import type { Route } from './api.ts';
import type { Runtime } from './runtime.ts';
import { etagOf, readUpload, withSecret } from './uploads.ts';

const ALL = (version: Version) => [{ version_id: version.id, percentage: 100 }];

/** The calls about Workers: uploads, versions, deployments, secrets, schedules. */
export function scriptRoutes(account: Account, runtime: Runtime): readonly Route[] {
  const scriptOf = ([name = '']: readonly string[]) => account.script(name);
  const serviceOf = (script: Script) => ({
    id: script.name,
    default_environment: {
      environment: 'production',
      script: {
        id: script.name,
        tag: script.tag,
        tags: [],
        migration_tag: script.migrationTag ?? undefined,
        last_deployed_from: 'wrangler',
      },
    },
  });
  /** A secret makes a new version, and deploys it, unless the newest version is not deployed. */
  const changeSecret = async (script: Script, name: string, value: string | null): Promise<void> => {
    const [newest] = script.versions;
    const serving = script.deployments[0]?.versions.find(({ percentage }) => percentage === 100);
    if (newest === undefined || serving?.version_id !== newest.id) {
      throw new ApiRefusal(400, 10215, 'The latest version of the Worker is not deployed.');
    }
    const version = withSecret(newest, name, value);
    script.versions.unshift(version);
    deploy(script, ALL(version), { 'workers/triggered_by': 'secret' });
    await runtime.change();
  };

  return [
    ['GET', /^workers\/services\/([^/]+)$/, ({ parts }) => serviceOf(scriptOf(parts))],
    [
      'GET',
      /^workers\/workers\/([^/]+)$/,
      ({ parts }) => ({ name: scriptOf(parts).name, subdomain: { enabled: true, previews_enabled: false } }),
    ],
    [
      'PUT',
      /^workers\/scripts\/([^/]+)$/,
      async ({ parts: [name = ''], form }) => {
        const script = account.scripts.get(name) ?? newScript(name);
        const { version, migrationTag } = await readUpload(account, account.scripts.get(name), await form());
        account.scripts.set(name, script);
        script.migrationTag = migrationTag ?? script.migrationTag;
        script.versions.unshift(version);
        deploy(script, ALL(version));
        await runtime.change();
        return {
          id: name,
          etag: etagOf(version.modules),
          deployment_id: version.id.replaceAll('-', ''),
          startup_time_ms: 1,
        };
      },
    ],
    [
      'POST',
      /^workers\/scripts\/([^/]+)\/versions$/,
      async ({ parts, form }) => {
        const script = scriptOf(parts);
        const { version, migrationTag } = await readUpload(account, script, await form());
        if (migrationTag !== null)
          throw new ApiRefusal(400, 10211, 'A version cannot carry a migration of objects.');
        script.versions.unshift(version);
        return describe(version);
      },
    ],
    [
      'GET',
      /^workers\/scripts\/([^/]+)\/versions$/,
      ({ parts }) => ({ items: scriptOf(parts).versions.map(describe) }),
    ],
    [
      'GET',
      /^workers\/scripts\/([^/]+)\/versions\/([^/]+)$/,
      ({ parts }) => describe(versionOf(scriptOf(parts), parts[1] ?? '')),
    ],
    [
      'GET',
      /^workers\/scripts\/([^/]+)\/deployments$/,
      ({ parts }) => ({ deployments: scriptOf(parts).deployments.slice(0, 10) }),
    ],
    [
      'POST',
      /^workers\/scripts\/([^/]+)\/deployments$/,
      async ({ parts, json }) => {
        const { versions, annotations } = await json<{
          versions: never[];
          annotations?: Record<string, string>;
        }>();
        const deployment = deploy(scriptOf(parts), versions, annotations);
        await runtime.change();
        return deployment;
      },
    ],
    [
      'GET',
      /^workers\/scripts\/([^/]+)\/secrets$/,
      ({ parts }) =>
        Object.keys(scriptOf(parts).versions[0]?.secrets ?? {}).map((name) => ({
          name,
          type: 'secret_text',
        })),
    ],
    [
      'PUT',
      /^workers\/scripts\/([^/]+)\/secrets$/,
      async ({ parts, json }) => {
        const { name, text } = await json<{ name: string; text: string }>();
        await changeSecret(scriptOf(parts), name, text);
        return { name, type: 'secret_text' };
      },
    ],
    [
      'DELETE',
      /^workers\/scripts\/([^/]+)\/secrets\/([^/]+)$/,
      async ({ parts }) => {
        await changeSecret(scriptOf(parts), parts[1] ?? '', null);
        return null;
      },
    ],
    [
      'PUT',
      /^workers\/scripts\/([^/]+)\/schedules$/,
      async ({ parts, json }) => {
        const schedules = await json<{ cron: string }[]>();
        scriptOf(parts).schedules = schedules.map(({ cron }) => cron);
        return { schedules };
      },
    ],
    [
      'GET',
      /^workers\/scripts\/([^/]+)\/schedules$/,
      ({ parts }) => ({ schedules: scriptOf(parts).schedules.map((cron) => ({ cron })) }),
    ],
    [
      'GET',
      /^workers\/scripts\/([^/]+)\/settings$/,
      ({ parts }) => ({ bindings: scriptOf(parts).versions[0]?.bindings ?? [] }),
    ],
    ['PATCH', /^workers\/scripts\/([^/]+)\/script-settings$/, async ({ json }) => json()],
    ['GET', /^workers\/scripts\/([^/]+)\/subdomain$/, () => ({ enabled: true, previews_enabled: false })],
    ['POST', /^workers\/scripts\/([^/]+)\/subdomain$/, async ({ json }) => json()],
    ['GET', /^workers\/subdomain$/, () => ({ subdomain: 'rehearsal' })],
    [
      'POST',
      /^workers\/scripts\/([^/]+)\/assets-upload-session$/,
      async ({ json }) => {
        const { manifest } = await json<{ manifest: Record<string, { hash: string }> }>();
        const token = sessionToken();
        const hashes = new Map(Object.entries(manifest).map(([path, { hash }]) => [path, hash]));
        account.manifests.set(token, hashes);
        const missing = [...new Set(hashes.values())].filter((hash) => !account.uploads.has(hash));
        return { jwt: token, buckets: missing.length > 0 ? [missing] : [] };
      },
    ],
    [
      'POST',
      /^workers\/assets\/upload$/,
      async ({ form, token }) => {
        for (const [hash, file] of await form()) {
          account.uploads.set(hash, typeof file === 'string' ? file : await file.text());
        }
        return { jwt: token };
      },
    ],
  ];
}

/** Wrangler looks into it. */
const sessionToken = (): string =>
  [{ alg: 'none' }, { exp: Math.floor(Date.now() / 1_000) + 3_600, id: randomUUID() }, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

const newScript = (name: string): Script => ({
  name,
  tag: randomUUID().replaceAll('-', ''),
  migrationTag: null,
  versions: [],
  deployments: [],
  schedules: [],
});

const describe = (version: Version) => ({
  id: version.id,
  number: version.number,
  metadata: {
    created_on: version.createdOn,
    source: 'wrangler',
    author_email: 'rehearsal@example.org',
    has_preview: false,
  },
  annotations: version.annotations,
  resources: {
    script: { etag: etagOf(version.modules), handlers: ['fetch'] },
    script_runtime: {},
    bindings: version.bindings,
  },
  startup_time_ms: 1,
});
