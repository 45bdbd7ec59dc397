/** Whether settings of nodes that share a database have an effect. */
import type { ConfigDraft } from '../draft.ts';
import { warning, type ConfigFinding } from '../finding.ts';

export function* checkNodes({ storage, node, monitors }: ConfigDraft): Generator<ConfigFinding> {
  const { id, url, token, probe } = node;
  if (storage === null) {
    const isNamed = [id, url, token].some((value) => value !== null && value !== undefined);
    if (isNamed || probe === false)
      yield warning(['node'], 'does nothing without [storage]', 'add [storage], or remove it');
  } else if (token === null && probe === false) {
    yield warning(
      ['node', 'probe'],
      'does nothing without token: the node that leads makes all checks',
      'set token, the same on all nodes, or remove it',
    );
  }
  if (storage !== null && token !== null) return;
  const [message, hint] =
    storage === null
      ? ['does nothing without [storage]: this daemon makes the checks', 'add [storage], or remove it']
      : [
          'needs node.token: without it the monitor is checked only while one of these leads',
          'set token in [node], the same on all nodes',
        ];
  for (const [index, monitor] of monitors.entries()) {
    if (!('nodes' in monitor) || monitor.nodes.length === 0) continue;
    yield warning(['monitors', index, 'nodes'], message, hint);
  }
}
