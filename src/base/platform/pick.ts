/** Some properties of an object, in the order of their names. */
export const pick = <From extends object, Name extends keyof From>(
  from: From,
  ...names: readonly Name[]
): { readonly [Picked in Name]: From[Picked] } =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as { [Picked in Name]: From[Picked] };
