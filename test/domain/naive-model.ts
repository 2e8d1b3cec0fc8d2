/**
 * The plate check once more, written straight from the text of the rules and sharing nothing with the service: plain
 * rows as a database would hold them, plain numbers, one condition after the other. Slow and dull, to be checked
 * against.
 */

export interface SessionRow {
  id: string;
  source: string;
  starts_at: number;
  ends_at: number | null;
  cancelled_at: number | null;
  max_hours: number;
}

export interface SubscriptionRow {
  number: string;
  approval: 'approved' | 'pending' | 'rejected';
  plate_spans: { valid_from: number | null; valid_until: number | null }[];
  authorized_from: number | null;
  authorized_until: number | null;
  suspended_from: number | null;
  suspended_until: number | null;
  revoked_at: number | null;
  periods: { starts_at: number; ends_at: number }[];
  areas: string[] | null;
}

export interface FacilityRow {
  service: boolean;
  control: boolean;
  admits_subscriptions: boolean;
  entry_minutes: number;
  exit_minutes: number;
}

export interface World {
  t: number;
  area: string | null;
  supported: boolean;
  sessions: SessionRow[];
  subscriptions: SubscriptionRow[];
}

const DAY = 86_400_000;

function end(row: SessionRow): number {
  if (row.ends_at !== null) return row.ends_at;
  return row.starts_at + row.max_hours * 3_600_000;
}

function cancelled(row: SessionRow, t: number): boolean {
  if (row.cancelled_at === null) return false;
  return !(t < row.cancelled_at);
}

function status(row: SessionRow, t: number): string {
  if (cancelled(row, t)) return 'cancelled';
  if (row.starts_at <= t && t < end(row)) return 'valid';
  if (t < row.starts_at) return 'not_started';
  return 'expired';
}

/** Some instant of the session is in [t − 24 h, t + 24 h). */
function near(row: SessionRow, t: number): boolean {
  const first = Math.max(row.starts_at, t - DAY);
  const last = Math.min(end(row) - 1, t + DAY - 1);
  return first <= last;
}

export function naiveDiagnosis(row: SubscriptionRow, t: number, area: string | null): string {
  if (row.revoked_at !== null) {
    if (row.revoked_at <= t) return 'SUBSCRIPTION_REVOKED revoked';
  }
  if (row.suspended_from !== null && row.suspended_from <= t) {
    if (t < (row.suspended_until ?? Infinity)) return 'SUBSCRIPTION_SUSPENDED suspended';
  }
  if (row.authorized_from !== null) {
    if (t < row.authorized_from) return 'AUTHORIZATION_NOT_YET_ACTIVE approved';
  }
  if (row.authorized_until !== null) {
    if (row.authorized_until <= t) return 'AUTHORIZATION_EXPIRED expired';
  }
  return naivePeriods(row, t) ?? naiveArea(row, area);
}

function naivePeriods(row: SubscriptionRow, t: number): string | null {
  if (row.periods.length === 0) return 'FIRST_ACTIVATION_REQUIRED approved';
  let startingLater = 0;
  let before = 0;
  for (const period of row.periods) {
    if (period.starts_at > t) startingLater++;
    else if (period.ends_at <= t) before++;
    else return null;
  }
  if (startingLater === 0) return 'PERIOD_EXPIRED expired';
  if (before === 0) return 'PERIOD_NOT_YET_ACTIVE approved';
  return 'PERIOD_NOT_YET_ACTIVE expired';
}

function naiveArea(row: SubscriptionRow, area: string | null): string {
  if (row.areas === null) return 'VALID_SUBSCRIPTION active';
  if (area === null) return 'AREA_CODE_REQUIRED active';
  if (row.areas.indexOf(area) < 0) return 'AREA_NOT_ALLOWED active';
  return 'VALID_SUBSCRIPTION active';
}

function listed(row: SubscriptionRow, t: number): boolean {
  if (row.approval !== 'approved') return false;
  for (const span of row.plate_spans) {
    const begun = span.valid_from === null || !(t < span.valid_from);
    const over = span.valid_until !== null && !(t < span.valid_until);
    if (begun && !over) return true;
  }
  return false;
}

export function naiveJudgement(world: World) {
  const { t } = world;
  const found = world.sessions.filter((row) => near(row, t));
  const valid = found.filter((row) => status(row, t) === 'valid').length;

  // Take the best candidate for a place, again and again: valid first, then the newest, then by id and source.
  const left = [...found];
  const places: SessionRow[] = [];
  while (places.length < 50 && left.length > 0) {
    let best = 0;
    for (let i = 1; i < left.length; i++) {
      if (precedes(left[i], left[best], t)) best = i;
    }
    places.push(...left.splice(best, 1));
  }
  places.sort((a, b) => {
    if (a.starts_at !== b.starts_at) return a.starts_at > b.starts_at ? -1 : 1;
    return `${a.id} ${a.source}` < `${b.id} ${b.source}` ? -1 : 1;
  });

  const subscriptions = !world.supported
    ? []
    : world.subscriptions
        .filter((row) => listed(row, t))
        .map((row) => `${row.number} ${naiveDiagnosis(row, t, world.area)}`)
        .sort();
  const validSubscriptions = subscriptions.filter((line) => line.includes('VALID_SUBSCRIPTION')).length;
  const areaNeeded = subscriptions.some((line) => line.includes('AREA_CODE_REQUIRED'));

  return {
    sessions: places.map((row) => `${row.id} ${row.source} ${status(row, t)}`),
    subscriptions,
    counts: {
      sessions: found.length,
      validSessions: valid,
      subscriptions: subscriptions.length,
      validSubscriptions,
      results: found.length + subscriptions.length,
      entitlements: valid + validSubscriptions,
    },
    parking: valid !== 0,
    subscription: validSubscriptions !== 0,
    entitlement: valid !== 0 || validSubscriptions !== 0,
    areaNeeded,
    complete: !areaNeeded,
  };
}

function precedes(a: SessionRow | undefined, b: SessionRow | undefined, t: number): boolean {
  if (a === undefined || b === undefined) return false;
  const aValid = status(a, t) === 'valid';
  const bValid = status(b, t) === 'valid';
  if (aValid && !bValid) return true;
  if (!aValid && bValid) return false;
  if (a.starts_at > b.starts_at) return true;
  if (a.starts_at < b.starts_at) return false;
  return `${a.id} ${a.source}` < `${b.id} ${b.source}`;
}

export function naiveAccess(
  event: string,
  facility: FacilityRow,
  sessions: SessionRow[],
  subscriptionHere: boolean,
  t: number,
): string {
  if (!facility.service) return 'false FACILITY_SERVICE_DISABLED none';
  if (!facility.control) return 'false PLATE_CONTROL_DISABLED none';

  const counting = sessions.filter((row) => !cancelled(row, t));
  const tolerated = counting.some((row) => naiveTolerated(row, event, facility, t));
  const admitted = subscriptionHere && facility.admits_subscriptions;
  if (tolerated && admitted) return 'true VALID_SESSION_AND_SUBSCRIPTION parking_session_and_subscription';
  if (tolerated) return 'true VALID_PREPAID_FACILITY_SESSION parking_session';
  if (admitted) return 'true VALID_FACILITY_SUBSCRIPTION subscription';
  const explanation = naiveNearest(counting, t);
  if (explanation !== null) return `false ${explanation} none`;
  if (subscriptionHere) return 'false SUBSCRIPTION_NOT_ALLOWED none';
  return 'false NO_VALID_FACILITY_ENTITLEMENT none';
}

function naiveTolerated(row: SessionRow, event: string, facility: FacilityRow, t: number): boolean {
  let opens = row.starts_at;
  let closes = end(row);
  if (event === 'entry' || event === 'verify') opens -= facility.entry_minutes * 60_000;
  if (event === 'exit' || event === 'verify') closes += facility.exit_minutes * 60_000;
  return opens <= t && t < closes;
}

function naiveNearest(rows: SessionRow[], t: number): string | null {
  let code: string | null = null;
  let least = Infinity;
  for (const row of rows) {
    if (!near(row, t)) continue;
    if (t < row.starts_at && row.starts_at - t <= least) {
      least = row.starts_at - t;
      code = 'SESSION_NOT_STARTED';
    }
    if (end(row) <= t && t - end(row) < least) {
      least = t - end(row);
      code = 'SESSION_EXPIRED';
    }
  }
  return code;
}
