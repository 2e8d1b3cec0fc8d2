/** How long a part is tried, further tries included. Scripts that would rather hear of a failure soon say so. */
export function partTime(environment: NodeJS.ProcessEnv): { readonly budgetMs?: number } {
  const seconds = Number(environment.PARKING_PART_SECONDS);
  return seconds > 0 ? { budgetMs: seconds * 1_000 } : {};
}
