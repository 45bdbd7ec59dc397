/** Recognises monitors and channels that have another name in a new configuration. */

/** `identity` says what it is, whatever it is called; null: it cannot be recognised. */
export interface Identified {
  readonly name: string;
  readonly identity: string | null;
}

export interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * Pairs each name that vanished with the one that appeared with the same identity. Where two of either kind share an
 * identity nothing says which became which, so neither is paired.
 */
export function renamesOf(vanished: readonly Identified[], appeared: readonly Identified[]): Rename[] {
  const before = onlyByIdentity(vanished);
  const after = onlyByIdentity(appeared);
  return [...before].flatMap(([identity, from]) => {
    const to = after.get(identity) ?? null;
    return from === null || to === null ? [] : [{ from, to }];
  });
}

/** The name of each identity; null where several names share it. */
function onlyByIdentity(all: readonly Identified[]): ReadonlyMap<string, string | null> {
  const names = new Map<string, string | null>();
  for (const { name, identity } of all)
    if (identity !== null) names.set(identity, names.has(identity) ? null : name);
  return names;
}
