import { VERSION } from '../version.ts';

/** Of the runtime, what may be there. */
interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: unknown } };
  readonly navigator?: { readonly userAgent?: unknown };
}

/**
 * How the client names itself. Null in a browser: Chromium drops the header, and elsewhere it is one that the service's
 * CORS does not allow, so that no call would come through.
 */
export function userAgentOf(runtime: Runtime): string | null {
  const isServer =
    typeof runtime.process?.versions?.node === 'string' ||
    runtime.navigator?.userAgent === 'Cloudflare-Workers';
  return isServer ? `parking-client/${VERSION}` : null;
}

/** Every runtime's global object may have them, or not. */
export const USER_AGENT = userAgentOf(globalThis as Runtime);
