/** The message of a failure, for the structured log. Several at once are joined. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError) {
    return error.errors.map(errorMessage).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}

type Level = 'log' | 'warn' | 'error';

/**
 * Writes one JSON line to the structured log.
 *
 * @param level `warn` and `error` for what an operator should see
 * @param event names the kind of line
 * @param fields snake case; no token, and no plate except in a whole call that was not stored
 */
export function logEvent(level: Level, event: string, fields: Readonly<Record<string, unknown>>): void {
  console[level](JSON.stringify({ event, ...fields }));
}
