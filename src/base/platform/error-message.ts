/** The message of a failure, for the structured log. Several at once are joined. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError) {
    return error.errors.map(errorMessage).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
