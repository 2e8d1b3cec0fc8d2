import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { runNode } from './children.ts';

export const root = new URL('../..', import.meta.url).pathname;

/** As the deployment says. */
export const compatibilityDate =
  /^compatibility_date = "(.+)"$/m.exec(readFileSync(`${root}wrangler.toml`, 'utf8'))?.[1] ?? '';

let service: Promise<string> | undefined;

/** The service's module as `npm run deploy` would upload it, to the byte: made by a deployment that stays at home. */
export function serviceBundle(): Promise<string> {
  service ??= deployHere();
  return service;
}

async function deployHere(): Promise<string> {
  const wrangler = createRequire(import.meta.url).resolve('wrangler/package.json');
  // Test files run side by side: each has a folder of its own.
  const out = mkdtempSync(join(tmpdir(), 'service-bundle-'));
  await runNode(
    [join(dirname(wrangler), 'bin/wrangler.js'), 'deploy', '--minify', '--dry-run', '--outdir', out],
    { cwd: root, env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  );
  const text = readFileSync(`${out}/worker.js`, 'utf8');
  rmSync(out, { recursive: true });
  return text;
}

const bundles = new Map<string, Promise<string>>();

/** A Worker of the bench as one module, minified as the service is. */
export function bundled(entry: string): Promise<string> {
  const bundle = bundles.get(entry) ?? bundleOf(entry);
  bundles.set(entry, bundle);
  return bundle;
}

async function bundleOf(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [root + entry],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    external: ['cloudflare:*'],
    conditions: ['workerd', 'worker', 'browser'],
  });
  const [file] = outputFiles;
  if (file === undefined) {
    throw new Error(`${entry} has no bundle`);
  }
  return file.text;
}
