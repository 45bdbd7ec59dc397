/**
 * Decides which node is asked next about a target, and what its check comes to.
 *
 * A node that cannot check, or says nothing, costs no try: the next one is asked. A failure is tried again by the next
 * node, and counts when two nodes have seen it, where two may check. Silence may be the fault of the node that met it: it
 * counts once one of those that met it is known to reach others.
 */

/** `silence`: nothing at all came back. `own_fault`: the node could not ask. `no_reply`: the node did not say. */
export type Finding = 'healthy' | 'bad_answer' | 'silence' | 'own_fault' | 'no_reply';

/** The result of asking one node. */
export interface NodeAttempt {
  readonly node: string;
  readonly finding: Finding;
}

export interface AttemptTerms {
  /** The nodes that may check, in the order in which they are asked. */
  readonly order: readonly string[];
  /** The node that checks when none of them can; null: none may. */
  readonly fallback: string | null;
  /** How many further tries a failure gets. */
  readonly retries: number;
  /** Of nodes that were asked: whether they reach anything but this target. */
  readonly reachability: ReadonlyMap<string, boolean>;
}

export type NextStep =
  /** `isRetry`: after a pause, since the last one failed. */
  | { readonly kind: 'ask'; readonly node: string; readonly isRetry: boolean }
  /** Find out whether this node reaches anything else. */
  | { readonly kind: 'verify'; readonly node: string }
  /** The finding of the attempt with this index is the result. */
  | { readonly kind: 'settle'; readonly attempt: number }
  /** These met silence, and reach nothing else either. */
  | { readonly kind: 'isolated'; readonly nodes: readonly string[] }
  /** No node could be asked. */
  | { readonly kind: 'nobody' };

export function nextStep(attempted: readonly NodeAttempt[], terms: AttemptTerms): NextStep {
  const { order, retries } = terms;
  const last = attempted.at(-1);
  if (last?.finding === 'healthy') return { kind: 'settle', attempt: attempted.length - 1 };
  const failures = attempted.filter(isFailure);
  const usable = order.filter(
    (node) => !attempted.some((attempt) => attempt.node === node && !isFailure(attempt)),
  );
  const fresh = usable.find((node) => !failures.some((attempt) => attempt.node === node));
  const failed = failures.at(-1);
  if (failed === undefined) return fresh === undefined ? withoutNodes(attempted, terms) : ask(fresh);
  if (last !== failed && fresh !== undefined) return ask(fresh);
  if (failures.length <= retries && usable.length > 0)
    return { ...ask(after(failed.node, usable)), isRetry: true };
  if (new Set(failures.map(({ node }) => node)).size < 2 && fresh !== undefined) return ask(fresh);
  return concluded(attempted, { ...terms, fresh });
}

function concluded(
  attempted: readonly NodeAttempt[],
  { reachability, fresh }: AttemptTerms & { readonly fresh: string | undefined },
): NextStep {
  // An answer, however bad, says more than silence.
  const answered = attempted.findLastIndex(({ finding }) => finding === 'bad_answer');
  if (answered !== -1) return { kind: 'settle', attempt: answered };
  const trusted = attempted.findLastIndex(
    ({ node, finding }) => finding === 'silence' && reachability.get(node) === true,
  );
  if (trusted !== -1) return { kind: 'settle', attempt: trusted };
  const nodes = [...new Set(attempted.flatMap(({ node, finding }) => (finding === 'silence' ? [node] : [])))];
  const unverified = nodes.find((node) => !reachability.has(node));
  if (unverified !== undefined) return { kind: 'verify', node: unverified };
  return fresh === undefined ? { kind: 'isolated', nodes } : ask(fresh);
}

/** Nobody has seen the target. */
function withoutNodes(attempted: readonly NodeAttempt[], { fallback }: AttemptTerms): NextStep {
  if (fallback !== null && attempted.every(({ node }) => node !== fallback)) return ask(fallback);
  const attempt = attempted.findLastIndex(({ finding }) => finding === 'own_fault');
  return attempt === -1 ? { kind: 'nobody' } : { kind: 'settle', attempt };
}

function ask(node: string): NextStep & { readonly kind: 'ask' } {
  return { kind: 'ask', node, isRetry: false };
}

function after(node: string, order: readonly string[]): string {
  return order[(order.indexOf(node) + 1) % order.length] ?? node;
}

function isFailure({ finding }: NodeAttempt): boolean {
  return finding === 'bad_answer' || finding === 'silence';
}
