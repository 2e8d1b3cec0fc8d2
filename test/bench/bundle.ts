import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { runNode } from './children.ts';

export const root = new URL('../..', import.meta.url).pathname;

/** As the deployment says. */
export const compatibilityDate =
  /^compatibility_date = "(.+)"$/m.exec(readFileSync(`${root}wrangler.toml`, 'utf8'))?.[1] ?? '';

let service: Promise<string> | undefined;

/**
 * The service's module as `npm run deploy` would upload it, to the byte: made by a deployment that stays at home, once for
 * all processes until the service changes.
 */
export function serviceBundle(): Promise<string> {
  service ??= keptOrMade();
  return service;
}

const KEPT = `${root}node_modules/.cache/service`;

async function keptOrMade(): Promise<string> {
  const hash = createHash('sha256');
  const made = globSync(['src/**/*.*', 'wrangler.toml', 'package-lock.json'], { cwd: root });
  for (const file of made.sort()) hash.update(file).update(readFileSync(root + file));
  const kept = `${KEPT}/${hash.digest('hex')}.js`;
  if (!existsSync(kept)) {
    const out = await deployHere();
    rmSync(KEPT, { recursive: true, force: true });
    mkdirSync(KEPT, { recursive: true });
    // In one step: another process may be looking for it.
    renameSync(`${out}/worker.js`, kept);
    rmSync(out, { recursive: true });
  }
  return readFileSync(kept, 'utf8');
}

/** @returns the folder with the module */
async function deployHere(): Promise<string> {
  const wrangler = createRequire(import.meta.url).resolve('wrangler/package.json');
  // Test files run side by side: each has a folder of its own.
  mkdirSync(`${root}node_modules/.cache`, { recursive: true });
  const out = mkdtempSync(`${root}node_modules/.cache/service-bundle-`);
  await runNode(
    [join(dirname(wrangler), 'bin/wrangler.js'), 'deploy', '--minify', '--dry-run', '--outdir', out],
    { cwd: root, env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  );
  return out;
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
