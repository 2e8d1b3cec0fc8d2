import type { CredentialObject } from './access/credential-object.ts';

/** What `wrangler.toml` binds, and the secrets that are set beside it. */
export interface Env {
  readonly DB: D1Database;
  readonly SNAPSHOTS: KVNamespace;
  readonly CREDENTIALS: DurableObjectNamespace<CredentialObject>;
  /** The files that are deployed beside the Worker. */
  readonly ASSETS: Fetcher;

  /** `on` lets read replicas confirm entitlements. */
  readonly READ_REPLICATION?: string;
  /** `on` (the default) lets gates be admitted from the database while a credential's object is away. */
  readonly DATABASE_FALLBACK?: string;
  /** Keeps the credentials' objects within a jurisdiction. Unset: anywhere. */
  readonly JURISDICTION?: DurableObjectJurisdiction;
  readonly CALL_LOG_RETENTION_DAYS?: string;
  readonly SESSION_RETENTION_DAYS?: string;
  readonly SUBSCRIPTION_RETENTION_DAYS?: string;

  /** Secret of at least 32 characters. Unset or shorter: there is no administration at all. */
  readonly ADMIN_TOKEN?: string;
  /**
   * Secret. Comma-separated keys of the tokens' checksum: the first signs if it has at least 32 characters, all verify.
   * Unset: every call with a token of ours is a 500.
   */
  readonly TOKEN_KEY?: string;
}

declare global {
  namespace Cloudflare {
    interface Env extends ServiceEnv {}
  }
}

type ServiceEnv = Env;
