import type { AreaType } from '../db/schema/configuration.ts';

/** What the journal records of a municipality's configuration, as far as evidence uses it. */
export interface RecordedConfiguration {
  readonly code: string;
  readonly name: string;
  readonly timezone: string;
  readonly active: boolean;
  readonly tenant_active: boolean;
  readonly services: { readonly plate_check: boolean; readonly subscriptions: boolean };
  readonly areas: readonly RecordedArea[];
  readonly sources: readonly RecordedSource[];
}

export interface RecordedArea {
  readonly code: string;
  readonly name: string;
  readonly area_type: AreaType;
  readonly active: boolean;
  /** A facility's. */
  readonly facility?: {
    readonly service_enabled: boolean;
    readonly plate_control_enabled: boolean;
    readonly subscription_access: boolean;
    readonly entry_grace_minutes: number;
    readonly exit_grace_minutes: number;
  };
}

interface RecordedSource {
  readonly code: string;
  readonly name: string;
  readonly is_system: boolean;
  readonly stale_after_minutes: number;
  readonly open_session_max_hours: number;
}
