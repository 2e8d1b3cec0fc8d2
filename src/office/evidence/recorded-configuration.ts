import type { Area, CheckedMunicipality } from '../../core/entitlement/facts.ts';
import type { AreaType } from '../../storage/db/schema/configuration.ts';

/** The parts of a configuration version that evidence uses. */
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

interface RecordedArea {
  readonly code: string;
  readonly name: string;
  readonly area_type: AreaType;
  readonly active: boolean;
  /** For a facility. */
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

/**
 * Replaces today's configuration in facts by the one known then: the municipality, the requested area, the areas' names, and how
 * long a source's open-ended sessions count.
 *
 * @throws Error if a session has an area or a source that was not configured then
 */
export function withConfiguration(
  facts: CheckedMunicipality,
  { code, name, timezone, active, tenant_active, services, areas, sources }: RecordedConfiguration,
  areaCode: string | null,
): CheckedMunicipality {
  const areaNames = new Map(areas.map((area) => [area.code, area.name]));
  const longestRuns = new Map(sources.map((source) => [source.code, source.open_session_max_hours]));
  const known = <Value>(value: Value | undefined, what: string): Value => {
    if (value === undefined) {
      throw new Error(`a session of ${code} has ${what}, which was not configured then`);
    }
    return value;
  };
  return {
    ...facts,
    code,
    name,
    timeZone: timezone,
    active,
    tenantActive: tenant_active,
    plateCheckEnabled: services.plate_check,
    subscriptionsEnabled: services.subscriptions,
    area: areaOf(areas.find((area) => area.code === areaCode)),
    sessions: facts.sessions.map((session) => ({
      ...session,
      area: {
        code: session.area.code,
        name: known(areaNames.get(session.area.code), `the area ${session.area.code}`),
      },
      openSessionMaxHours: known(longestRuns.get(session.sourceCode), `the source ${session.sourceCode}`),
    })),
    subscriptions: services.subscriptions ? facts.subscriptions : [],
  };
}

function areaOf(area: RecordedArea | undefined): Area | null {
  if (area === undefined) {
    return null;
  }
  const { code, name, active, facility } = area;
  return {
    code,
    name,
    active,
    facility:
      area.area_type === 'facility' && facility !== undefined
        ? {
            serviceEnabled: facility.service_enabled,
            plateControlEnabled: facility.plate_control_enabled,
            subscriptionAccess: facility.subscription_access,
            entryGraceMinutes: facility.entry_grace_minutes,
            exitGraceMinutes: facility.exit_grace_minutes,
          }
        : null,
  };
}
