/** What a failure says of itself, for the structured log. Of several at once, all of them. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError) {
    return error.errors.map(errorMessage).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
