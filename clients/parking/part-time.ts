/** The time limit of a part, retries included. Scripts that want failures sooner set a shorter one. */
export function partTime(environment: NodeJS.ProcessEnv): { readonly budgetMs?: number } {
  const seconds = Number(environment.PARKING_PART_SECONDS);
  return seconds > 0 ? { budgetMs: seconds * 1_000 } : {};
}
