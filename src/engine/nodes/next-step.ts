/**
 * Decides which node is asked next about a target, and what its check comes to.
 *
 * A node that cannot check, or says nothing, costs no try: the next one is asked. A failure is tried again by the next
 * node, and counts when two nodes have seen it, where two may look. Silence may be the fault of the node that met it: it
 * counts once one of those that met it is known to hear others.
 */

/** `silence`: nothing at all came back. `own_fault`: the node could not ask. `no_reply`: the node did not say. */
export type Saw = 'healthy' | 'bad_answer' | 'silence' | 'own_fault' | 'no_reply';

/** What came of asking one node. */
export interface Look {
  readonly node: string;
  readonly saw: Saw;
}

export interface LookTerms {
  /** The nodes that may look, the first one first. */
  readonly order: readonly string[];
  /** The node that looks when none of them can; null: none may. */
  readonly fallback: string | null;
  /** How many further tries a failure gets. */
  readonly retries: number;
  /** Of nodes that were asked: whether they hear anything but this target. */
  readonly hearing: ReadonlyMap<string, boolean>;
}

export type NextStep =
  /** `isRetry`: after a pause, since the last one failed. */
  | { readonly kind: 'ask'; readonly node: string; readonly isRetry: boolean }
  /** Find out whether this node hears anything else. */
  | { readonly kind: 'listen'; readonly node: string }
  /** What the look with this index found is the result. */
  | { readonly kind: 'settle'; readonly look: number }
  /** These met silence, and hear nothing else either. */
  | { readonly kind: 'deaf'; readonly nodes: readonly string[] }
  /** No node could be asked. */
  | { readonly kind: 'nobody' };

export function nextStep(looks: readonly Look[], terms: LookTerms): NextStep {
  const { order, retries } = terms;
  const last = looks.at(-1);
  if (last?.saw === 'healthy') return { kind: 'settle', look: looks.length - 1 };
  const failures = looks.filter(isFailure);
  const usable = order.filter((node) => !looks.some((look) => look.node === node && !isFailure(look)));
  const fresh = usable.find((node) => !failures.some((look) => look.node === node));
  const failed = failures.at(-1);
  if (failed === undefined) return fresh === undefined ? withoutNodes(looks, terms) : ask(fresh);
  if (last !== failed && fresh !== undefined) return ask(fresh);
  if (failures.length <= retries && usable.length > 0)
    return { ...ask(after(failed.node, usable)), isRetry: true };
  if (new Set(failures.map(({ node }) => node)).size < 2 && fresh !== undefined) return ask(fresh);
  return concluded(looks, { ...terms, fresh });
}

function concluded(
  looks: readonly Look[],
  { hearing, fresh }: LookTerms & { readonly fresh: string | undefined },
): NextStep {
  // An answer, however bad, says more than silence.
  const answered = looks.findLastIndex(({ saw }) => saw === 'bad_answer');
  if (answered !== -1) return { kind: 'settle', look: answered };
  const trusted = looks.findLastIndex(({ node, saw }) => saw === 'silence' && hearing.get(node) === true);
  if (trusted !== -1) return { kind: 'settle', look: trusted };
  const nodes = [...new Set(looks.flatMap(({ node, saw }) => (saw === 'silence' ? [node] : [])))];
  const doubted = nodes.find((node) => !hearing.has(node));
  if (doubted !== undefined) return { kind: 'listen', node: doubted };
  return fresh === undefined ? { kind: 'deaf', nodes } : ask(fresh);
}

/** Nobody has seen the target. */
function withoutNodes(looks: readonly Look[], { fallback }: LookTerms): NextStep {
  if (fallback !== null && looks.every(({ node }) => node !== fallback)) return ask(fallback);
  const look = looks.findLastIndex(({ saw }) => saw === 'own_fault');
  return look === -1 ? { kind: 'nobody' } : { kind: 'settle', look };
}

function ask(node: string): NextStep & { readonly kind: 'ask' } {
  return { kind: 'ask', node, isRetry: false };
}

function after(node: string, order: readonly string[]): string {
  return order[(order.indexOf(node) + 1) % order.length] ?? node;
}

function isFailure({ saw }: Look): boolean {
  return saw === 'bad_answer' || saw === 'silence';
}
