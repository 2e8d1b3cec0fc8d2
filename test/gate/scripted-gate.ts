import { createGate, type Gate, type GateEvent, type GateSettings } from '../../clients/client/gate/index.ts';
import { plateHashOf } from '../../clients/client/gate/plate-hash.ts';
import type { EntitlementListPage } from '../../clients/client/index.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { HEALTHY, json, REQUEST_ID, type Reply, ScriptedService } from '../client/scripted-service.ts';
import { HEADER, HOUR, iso, lines, page, session } from './list-lines.ts';

export const TOKEN = 'parkat_example';

/** On the list, with a session that runs now. */
export const KNOWN = 'AB 123 CD';
export const STRANGER = 'ZZ 999 ZZ';

/** The plate of a list of this token. */
export async function hashed(plate: string): Promise<string> {
  return (await plateHashOf(TOKEN)).of(storedPlate(plate));
}

/** Answers a plate check with a gate's decision. */
export const decision =
  (granted: boolean, change: object = {}): Reply =>
  (response, seen) => {
    const asked: { plate: string; area_code: string; event: string } = JSON.parse(seen.body);
    const reason = granted ? 'VALID_PREPAID_FACILITY_SESSION' : 'SESSION_EXPIRED';
    json(200, {
      ...{ ...HEALTHY, api_version: '2.0', plate: asked.plate, timezone: 'Europe/Rome' },
      ...{ checked_at: '2026-11-22T02:55:34+01:00', municipality: { code: 'H501', name: 'Roma' } },
      ...{ area: { code: asked.area_code, name: 'Centro' }, verification_scope: 'area' },
      ...{ subscriptions_supported: true, verification_complete: true, requires_area_code: false },
      ...{ has_valid_entitlement: granted, has_valid_parking: granted, has_valid_subscription: false },
      ...{ sessions_count: 0, valid_sessions_count: 0, subscriptions_count: 0 },
      ...{ valid_subscriptions_count: 0, results_count: 0, entitlements_count: 0 },
      ...{ sessions: [], subscriptions: [], warnings: [] },
      ...{ access_event: asked.event, access_granted: granted, access_reason_code: reason },
      ...{ access_reason: 'A reason.' },
      access_control: {
        ...{ event: asked.event, area_code: asked.area_code, entry_grace_minutes: 10 },
        ...{ exit_grace_minutes: 15, access_granted: granted, reason_code: reason, matched_source: 'none' },
      },
      ...change,
    })(response, seen);
  };

/** Answers with a page of a list. */
export const listed =
  (page: EntitlementListPage): Reply =>
  (response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'X-Request-Id': REQUEST_ID });
    response.end(lines(page));
  };

/** A list of this very moment, with one car on it. */
export async function listOfNow(header: object = {}, rest: object = {}): Promise<EntitlementListPage> {
  const now = Date.now();
  return page(
    [session('known', await hashed('AB123CD'), now - HOUR, now + HOUR)],
    { as_of: iso(now), valid_until: iso(now + 12 * HOUR), ...header },
    rest,
  );
}

/** A service whose two operations of a gate are scripted apart. */
export class ScriptedGate {
  readonly service: ScriptedService;
  /** How a plate check is answered. */
  check: Reply = decision(true);
  /** How the list is answered: by one after the other, and then always by the last. */
  list: Reply[] = [];
  /** The cursors that lists were asked for with; null for a full one. Probes ask for one line, and are not in it. */
  readonly cursors: (string | null)[] = [];
  checks = 0;
  probes = 0;
  readonly events: GateEvent[] = [];

  private constructor(service: ScriptedService) {
    this.service = service;
    service.script((response, seen) => {
      if (seen.method === 'POST') {
        this.checks += 1;
        this.check(response, seen);
        return;
      }
      const query = new URL(seen.url, service.address).searchParams;
      if (query.get('limit') === '1') this.probes += 1;
      else this.cursors.push(query.get('cursor'));
      const reply = this.list.length > 1 ? this.list.shift() : this.list[0];
      if (reply === undefined) throw new Error('no list was scripted');
      reply(response, seen);
    });
  }

  /** A service that lets everybody in, and has the list of now. */
  static async start(): Promise<ScriptedGate> {
    const scripted = new ScriptedGate(await ScriptedService.start());
    scripted.list = [listed(await listOfNow())];
    return scripted;
  }

  /** A gate at this service, which refreshes its list only when a test asks it to. */
  gate(settings: Partial<GateSettings> = {}): Gate {
    return createGate({
      baseUrl: this.service.address,
      token: TOKEN,
      areaCode: HEADER.area_code,
      municipalityCode: HEADER.municipality_code,
      whenUnknown: 'ask_attendant',
      askWithinMs: 250,
      inBackground: false,
      onEvent: (event) => this.events.push(event),
      ...settings,
    });
  }

  eventsOf<Type extends GateEvent['type']>(type: Type): Extract<GateEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<GateEvent, { type: Type }> => event.type === type);
  }
}
