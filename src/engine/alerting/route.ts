/** Resolves which channels hear of something. */

/** Names of the usable channels a `notify` leads to, each once; null means all of them. */
export function routeOf(
  notify: readonly string[] | null,
  usable: readonly { readonly name: string }[],
): readonly string[] {
  const names = usable.map(({ name }) => name);
  return notify === null ? names : names.filter((name) => notify.includes(name));
}
