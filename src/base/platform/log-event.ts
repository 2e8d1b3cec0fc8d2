type Level = 'log' | 'warn' | 'error';

/**
 * Writes one JSON line to the structured log.
 *
 * @param level `warn` and `error` for what an operator should see
 * @param event names the kind of line
 * @param fields snake case; no token, and no plate except in a whole options query
 */
export function logEvent(level: Level, event: string, fields: Readonly<Record<string, unknown>>): void {
  console[level](JSON.stringify({ event, ...fields }));
}
