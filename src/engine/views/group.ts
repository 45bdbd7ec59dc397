/** Which monitors stand in which display group. */

/** In the order in which the groups appear first. A monitor without a group is in none. */
export function groupViews(monitors: readonly { readonly id: string; readonly group: string | null }[]) {
  const groups = new Map<string, string[]>();
  for (const { id, group } of monitors) {
    if (group === null) continue;
    const ids = groups.get(group);
    if (ids === undefined) groups.set(group, [id]);
    else ids.push(id);
  }
  return [...groups].map(([name, ids]) => ({ name, ids }));
}
