/** Whether ids and names are unique, and what refers to them exists. */
import { nearest } from '../../core/nearest.ts';
import type { ConfigDraft } from '../draft.ts';
import { failure, quote, warning, wordForOne, type ConfigFinding } from '../finding.ts';
import type { Path } from '../types/value.ts';

export const checksOfNames = [
  checkUnique,
  sharedNames,
  checkListenIds,
  checkRoutes,
  checkMonitorLists,
  checkFilters,
  checkSubscribe,
] as const;

function* checkUnique({ monitors, channels, peers }: ConfigDraft): Generator<ConfigFinding> {
  yield* unique('monitors', 'id', monitors);
  yield* unique('channels', 'name', channels);
  yield* unique('peers', 'id', peers);
  yield* unique('peers', 'listen_id', peers);
}

function* unique<Key extends string>(
  section: 'monitors' | 'channels' | 'peers',
  key: Key,
  tables: readonly { readonly [K in Key]?: string }[],
): Generator<ConfigFinding> {
  const taken = new Set<string>();
  for (const [index, table] of tables.entries()) {
    const word = table[key];
    if (word === undefined) continue;
    if (taken.has(word)) {
      const message = `is used by an earlier ${wordForOne[section]}: ${quote(word)}`;
      yield failure([section, index, key], message, `choose another ${key}`);
    }
    taken.add(word);
  }
}

function* sharedNames({ monitors }: ConfigDraft): Generator<ConfigFinding> {
  const owners = new Map<string, string>();
  for (const [index, { id, name }] of monitors.entries()) {
    if (name === undefined || name === id) continue;
    const owner = owners.get(name);
    if (owner === undefined)
      owners.set(name, id === undefined ? 'an earlier monitor' : `monitor ${quote(id)}`);
    else {
      const message = `is shared with ${owner}`;
      yield warning(['monitors', index, 'name'], message, 'people cannot distinguish them');
    }
  }
}

/** Monitors and peers push to the same addresses. */
function* checkListenIds({ monitors, peers }: ConfigDraft): Generator<ConfigFinding> {
  const ids = new Set(monitors.map(({ id }) => id));
  for (const [index, peer] of peers.entries()) {
    if (peer.listen_id === undefined || !ids.has(peer.listen_id)) continue;
    const message = `is also the id of a monitor: ${quote(peer.listen_id)}`;
    yield failure(['peers', index, 'listen_id'], message, 'set another listen_id, and push to that one');
  }
}

function* checkRoutes(draft: ConfigDraft): Generator<ConfigFinding> {
  const known = draft.channels.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const routes: readonly (readonly [Path, readonly string[] | null | undefined])[] = [
    ...draft.monitors.map(({ notify }, index) => [['monitors', index, 'notify'], notify] as const),
    ...draft.peers.map(({ notify }, index) => [['peers', index, 'notify'], notify] as const),
    [['digest', 'notify'], draft.digest?.notify],
  ];
  for (const [path, names] of routes) {
    if (names?.length === 0)
      yield warning(path, 'is empty: nobody is notified', 'remove it for all channels');
    for (const [index, name] of (names ?? []).entries()) {
      if (!known.includes(name))
        yield failure([...path, index], `names no channel: ${quote(name)}`, among(name, known));
    }
  }
}

/** Whether anything gets through the filters of a channel. */
function* checkFilters({ channels, monitors }: ConfigDraft): Generator<ConfigFinding> {
  const known = [...new Set(monitors.flatMap(({ group }) => group ?? []))];
  for (const [index, { events, groups }] of channels.entries()) {
    for (const [at, group] of (groups ?? []).entries())
      if (!known.includes(group))
        yield failure(
          ['channels', index, 'groups', at],
          `names no group: ${quote(group)}`,
          among(group, known),
        );
    if (events?.every((event) => event === 'recovered') === true) {
      const message = 'leaves nothing: a recovery goes to who got the alert';
      yield warning(
        ['channels', index, 'events'],
        message,
        'name the alerts that it is to get, or remove it',
      );
    }
  }
}

/** Mails need a server to go through, and links that lead somewhere. */
function* checkSubscribe({ subscribe, server, channels }: ConfigDraft): Generator<ConfigFinding> {
  if (subscribe === null) return;
  if (server.base_url === null) {
    const message = 'needs server.base_url: the links of its mails have to lead to the page';
    yield failure(
      ['subscribe'],
      message,
      'set base_url in [server], for example "https://status.example.com"',
    );
  }
  const { email_channel: name } = subscribe;
  if (name === undefined) return;
  const at = ['subscribe', 'email_channel'];
  const channel = channels.find((one) => one.name === name);
  const known = channels.flatMap((one) => (one.type === 'email' && one.name !== undefined ? [one.name] : []));
  const cure = known.length === 0 ? 'add a [[channels]] table with type = "email"' : among(name, known);
  if (channel === undefined) yield failure(at, `names no channel: ${quote(name)}`, cure);
  else if (channel.type !== 'email' && channel.type !== undefined)
    yield failure(at, `names no e-mail channel: ${quote(name)} is of type ${channel.type}`, cure);
}

/** So many unknown ids get the nearest known one as a hint. */
const mostGuesses = 20;

function* checkMonitorLists(draft: ConfigDraft): Generator<ConfigFinding> {
  const ids = new Set(draft.monitors.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const peerIds = draft.peers.flatMap(({ id, listen_id }) =>
    [id, listen_id].filter((each) => each !== undefined),
  );
  const all = new Set([...ids, ...peerIds]);
  type List = readonly [Path, ids: readonly string[] | null | undefined, known: ReadonlySet<string>];
  const lists: readonly List[] = [
    ...draft.monitors.map(
      (monitor, index): List => [['monitors', index, 'depends_on'], monitor.depends_on, ids],
    ),
    ...draft.maintenance.map(
      ({ monitors }, index): List => [['maintenance', index, 'monitors'], monitors, all],
    ),
    ...draft.channels.map(({ monitors }, index): List => [['channels', index, 'monitors'], monitors, ids]),
  ];
  const guesses = new Map<string, string | null>();
  for (const [path, named, known] of lists) {
    for (const [index, id] of (named ?? []).entries()) {
      if (known.has(id)) continue;
      const words = [...known];
      // Looking through thousands of ids takes its time.
      if (!guesses.has(id)) guesses.set(id, guesses.size < mostGuesses ? nearest(id, words) : null);
      yield failure([...path, index], `names no monitor: ${quote(id)}`, among(id, words, guesses.get(id)));
    }
  }
}

function among(word: string, known: readonly string[], guess = nearest(word, known)): string {
  if (guess !== null) return `did you mean ${quote(guess)}?`;
  if (known.length === 0) return 'there are none';
  const some = known.slice(0, 10).map(quote).join(', ');
  return known.length > 10 ? `there are ${some} and ${known.length - 10} more` : `there are ${some}`;
}
