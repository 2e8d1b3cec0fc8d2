import { hasVersion } from './etag.ts';

/** How long a client may cache an asset before it has to ask for a newer one. */
const KEPT_SECONDS = 300;

/** Any host will do: only the path matters. */
const ASSETS = 'https://assets.local';

/**
 * A file that was deployed with the Worker, or 304 if the client has this version already.
 *
 * @param headers of the answer
 * @throws Error when the file was not deployed
 */
export async function assetResponse(
  assets: Fetcher,
  { path, contentType }: { readonly path: string; readonly contentType: string },
  request: Request,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const asset = await assets.fetch(`${ASSETS}${path}`);
  const etag = asset.headers.get('ETag');
  if (!asset.ok || asset.body === null || etag === null) {
    throw new Error(`the asset ${path} was answered with ${asset.status}`);
  }
  const cached = { ...headers, ETag: etag, 'Cache-Control': `public, max-age=${KEPT_SECONDS}` };
  if (hasVersion(request.headers.get('If-None-Match'), etag)) {
    await asset.body.cancel();
    return new Response(null, { status: 304, headers: cached });
  }
  return new Response(asset.body, { headers: { ...cached, 'Content-Type': contentType } });
}
