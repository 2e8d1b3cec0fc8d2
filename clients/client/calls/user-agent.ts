import { VERSION } from '../version.ts';

/** Globals that the runtime may have. */
interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: unknown } };
  readonly navigator?: { readonly userAgent?: unknown };
}

/**
 * The client's `User-Agent`. Null in a browser: Chromium drops the header, and other browsers would ask for
 * it in a preflight, which the service's CORS refuses.
 */
export function userAgentOf(runtime: Runtime): string | null {
  const isServer =
    typeof runtime.process?.versions?.node === 'string' ||
    runtime.navigator?.userAgent === 'Cloudflare-Workers';
  return isServer ? `parking-client/${VERSION}` : null;
}

/** Every runtime's global object may have them, or not. */
export const USER_AGENT = userAgentOf(globalThis as Runtime);
