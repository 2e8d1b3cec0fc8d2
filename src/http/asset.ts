import type { AppContext } from './context.ts';

/** How long a client may keep an asset before it asks whether there is a newer one. */
const KEPT_SECONDS = 300;

/** Only the path of the address counts. */
const ASSETS = 'https://assets.local';

/**
 * Answers with a file that was deployed with the Worker, or with 304 where the client has that version already.
 *
 * @throws Error when the file was not deployed
 */
export async function answerAsset(c: AppContext, path: string, contentType: string): Promise<Response> {
  const asset = await c.var.deadline.race(c.env.ASSETS.fetch(`${ASSETS}${path}`));
  const etag = asset.headers.get('ETag');
  if (!asset.ok || asset.body === null || etag === null) {
    throw new Error(`the asset ${path} was answered with ${asset.status}`);
  }
  const headers = { ...c.get('headers'), ETag: etag, 'Cache-Control': `public, max-age=${KEPT_SECONDS}` };
  if (hasVersion(c.req.header('If-None-Match'), etag)) {
    await asset.body.cancel();
    return c.body(null, 304, headers);
  }
  return c.body(asset.body, 200, { ...headers, 'Content-Type': contentType });
}

/** Whether a list of entity tags names this one. Compressing an answer on its way makes its tag a weak one. */
function hasVersion(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const named = ifNoneMatch?.split(',').map(opaque) ?? [];
  return named.includes('*') || named.includes(opaque(etag));
}
