import type { CredentialObject } from './serving/access/credential-object.ts';

/**
 * The bindings of `wrangler.toml`, and the secrets. Written by hand: the types that Wrangler generates assume that every
 * variable and secret is set, and the code must handle those that are not.
 */
export interface Env {
  readonly DB: D1Database;
  readonly SNAPSHOTS: KVNamespace;
  readonly CREDENTIALS: DurableObjectNamespace<CredentialObject>;
  /** Which version of the Worker this is. */
  readonly VERSION?: WorkerVersionMetadata;
  /** The files that are deployed with the Worker. */
  readonly ASSETS: Fetcher;

  /** Keeps the credentials' objects in a jurisdiction. Unset: anywhere. */
  readonly JURISDICTION?: DurableObjectJurisdiction;
  readonly CALL_LOG_RETENTION_DAYS?: string;
  readonly SESSION_RETENTION_DAYS?: string;
  readonly SUBSCRIPTION_RETENTION_DAYS?: string;

  /** Secret of at least 32 characters. Unset or shorter: nothing passes for it. */
  readonly ADMIN_TOKEN?: string;
  /**
   * Secret. Comma-separated keys of the tokens' checksum: the first signs if it has at least 32 characters, all verify.
   * Unset: every call with one of our tokens is a 500.
   */
  readonly TOKEN_KEY?: string;
  /**
   * Secret. Comma-separated keys of the digests that stand for plates in the call log: the first of at least 32 characters
   * makes them, all such are looked up. Without one, checks go on without digests; evidence, export and erasure are 500.
   */
  readonly DIGEST_KEY?: string;
  /** Secret. Where alerts are sent: `https:`, or `http:` to this machine. Unset: nowhere. */
  readonly ALERT_URL?: string;
  /** Secret. What signs them: `whsec_` and base64. */
  readonly ALERT_SECRET?: string;
}

declare global {
  namespace Cloudflare {
    interface Env extends ServiceEnv {}
  }
}

type ServiceEnv = Env;
