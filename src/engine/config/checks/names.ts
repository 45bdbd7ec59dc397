/** Whether ids and names are unique, and what refers to them exists. */
import { nearest } from '../../core/nearest.ts';
import type { ConfigDraft } from '../draft.ts';
import { failure, missing, quote, warning, wordForOne, type ConfigFinding } from '../finding.ts';
import type { Path } from '../types/value.ts';

export const checksOfNames = [
  checkUnique,
  sharedNames,
  takenIds,
  checkListenIds,
  checkRoutes,
  checkMonitorLists,
  checkFilters,
  checkSubscribe,
  checkRotations,
  checkEscalations,
] as const;

function* checkUnique(draft: ConfigDraft): Generator<ConfigFinding> {
  const { monitors, channels, peers, rotations, escalations, outputs } = draft;
  yield* unique('monitors', 'id', monitors);
  yield* unique('channels', 'name', channels);
  yield* unique('peers', 'id', peers);
  yield* unique('peers', 'listen_id', peers);
  yield* unique('rotations', 'name', rotations);
  yield* unique('escalations', 'name', escalations);
  yield* unique('outputs', 'name', outputs);
}

function* unique<Key extends string>(
  section: keyof typeof wordForOne,
  key: Key,
  tables: readonly { readonly [K in Key]?: string }[],
): Generator<ConfigFinding> {
  const taken = new Map<string, number>();
  for (const [index, table] of tables.entries()) {
    const word = table[key];
    if (word === undefined) continue;
    const owner = taken.get(word);
    if (owner === undefined) taken.set(word, index);
    else {
      const message = `is used by an earlier ${wordForOne[section]}: ${quote(word)}`;
      const earlier = [section, owner, key];
      yield { ...failure([section, index, key], message, `choose another ${key}`), earlier };
    }
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

const silencesAll = 'is what a silence takes for all monitors';

/** Ids of monitors that mean something else elsewhere. */
const takenMeanings: ReadonlyMap<string | undefined, string> = new Map([
  ['all', silencesAll],
  ['_overall', 'is what the badge of the whole page has'],
]);

function* takenIds({ monitors, peers }: ConfigDraft): Generator<ConfigFinding> {
  const cure = 'choose another id';
  for (const [index, { id }] of monitors.entries()) {
    const meaning = takenMeanings.get(id);
    if (meaning !== undefined) yield warning(['monitors', index, 'id'], meaning, cure);
  }
  // They are silenced by either, and have no badge. Without a listen_id it is the id.
  for (const [index, { id, listen_id }] of peers.entries()) {
    const key = id === 'all' ? 'id' : 'listen_id';
    if (id === 'all' || listen_id === 'all') yield warning(['peers', index, key], silencesAll, cure);
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
  const known = namesOf([...draft.channels, ...draft.rotations]);
  const routes: readonly (readonly [Path, readonly string[] | null | undefined])[] = [
    ...draft.monitors.map(({ notify }, index) => [['monitors', index, 'notify'], notify] as const),
    ...draft.peers.map(({ notify }, index) => [['peers', index, 'notify'], notify] as const),
    [['digest', 'notify'], draft.digest?.notify],
    ...draft.escalations.flatMap(({ steps = [] }, index) =>
      steps.map(({ notify }, at) => [['escalations', index, 'steps', at, 'notify'], notify] as const),
    ),
  ];
  for (const [path, names] of routes) {
    if (names?.length === 0)
      yield warning(path, 'is empty: nobody is notified', 'remove it for all channels');
    for (const [index, name] of (names ?? []).entries()) {
      if (!known.includes(name))
        yield missing([...path, index], `names no channel: ${quote(name)}`, among(name, known));
    }
  }
}

function namesOf(tables: readonly { readonly name?: string }[]): readonly string[] {
  return tables.flatMap(({ name }) => (name === undefined ? [] : [name]));
}

/** Whether the members of rotations are channels, and alerts lead to each. */
function* checkRotations(draft: ConfigDraft): Generator<ConfigFinding> {
  const { rotations, escalations, monitors, peers, digest } = draft;
  const channels = namesOf(draft.channels);
  const routed = new Set([
    ...[...monitors, ...peers, digest ?? {}].flatMap(({ notify }) => notify ?? []),
    ...escalations.flatMap(({ steps = [] }) => steps.flatMap(({ notify }) => notify)),
  ]);
  for (const [index, { name, members }] of rotations.entries()) {
    if (name !== undefined && channels.includes(name)) {
      const message = `is also the name of a channel: ${quote(name)}`;
      yield failure(['rotations', index, 'name'], message, 'choose another name');
    } else if (name !== undefined && !routed.has(name)) {
      const cure = `name ${quote(name)} in notify of what it is for`;
      yield warning(['rotations', index], 'is used nowhere: no alert goes to it', cure);
    }
    for (const [at, member] of (members ?? []).entries())
      if (!channels.includes(member))
        yield missing(
          ['rotations', index, 'members', at],
          `names no channel: ${quote(member)}`,
          among(member, channels),
        );
  }
}

/** Whether steps follow each other, what names an escalation names one, and each is named. */
function* checkEscalations({ escalations, monitors, alerts }: ConfigDraft): Generator<ConfigFinding> {
  const known = namesOf(escalations);
  for (const [index, { name, steps = [] }] of escalations.entries()) {
    for (const [at, { after_secs: secs }] of steps.entries()) {
      const before = steps[at - 1]?.after_secs ?? -1;
      if (secs > before) continue;
      const message = `must be more than that of the step before it, ${before}: it counts from the first alert`;
      yield failure(['escalations', index, 'steps', at, 'after_secs'], message);
    }
    const isNamed = [alerts, ...monitors].some((one) => one.escalation === name);
    if (name !== undefined && !isNamed)
      yield warning(
        ['escalations', index],
        'is used nowhere: none of its steps comes',
        `set escalation = ${quote(name)} for a monitor or in [alerts]`,
      );
  }
  const fallback = alerts.escalation;
  const named: readonly (readonly [Path, string | null | undefined])[] = [
    [['alerts', 'escalation'], fallback],
    // What a monitor takes over is named once.
    ...monitors.map((monitor, index) => {
      const own = monitor.escalation === fallback ? null : monitor.escalation;
      return [['monitors', index, 'escalation'], own] as const;
    }),
  ];
  for (const [path, name] of named)
    if (name !== null && name !== undefined && !known.includes(name))
      yield failure(path, `names no escalation: ${quote(name)}`, among(name, known));
}

/** Whether anything gets through the filters of a channel. */
function* checkFilters({ channels, monitors, alerts }: ConfigDraft): Generator<ConfigFinding> {
  const known = [...new Set(monitors.flatMap(({ group }) => group ?? []))];
  for (const [index, { events, groups }] of channels.entries()) {
    for (const [at, group] of (groups ?? []).entries())
      if (!known.includes(group))
        yield missing(
          ['channels', index, 'groups', at],
          `names no group: ${quote(group)}`,
          among(group, known),
        );
    const degraded = events?.indexOf('degraded') ?? -1;
    if (degraded !== -1 && alerts.alert_on_degraded === false)
      yield warning(
        ['channels', index, 'events', degraded],
        'never comes: alert_on_degraded in [alerts] is false',
        'set it, or remove the event',
      );
    const unstable = events?.indexOf('unstable') ?? -1;
    const off =
      alerts.unstable === false ? 'unstable' : alerts.group_window_secs === 0 ? 'group_window_secs' : null;
    if (unstable !== -1 && off !== null)
      yield warning(
        ['channels', index, 'events', unstable],
        `never comes: ${off} in [alerts] is ${off === 'unstable' ? 'false' : '0'}`,
        'set it, or remove the event',
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
  if (channel === undefined) yield missing(at, `names no channel: ${quote(name)}`, cure);
  else if (channel.type !== 'email' && channel.type !== undefined)
    yield failure(at, `names no e-mail channel: ${quote(name)} is of type ${channel.type}`, cure);
}

/** How many unknown ids get the nearest known one as a hint. */
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
      yield missing([...path, index], `names no monitor: ${quote(id)}`, among(id, words, guesses.get(id)));
    }
  }
}

function among(word: string, known: readonly string[], guess = nearest(word, known)): string {
  if (guess !== null) return `did you mean ${quote(guess)}?`;
  if (known.length === 0) return 'there are none';
  const some = known.slice(0, 10).map(quote).join(', ');
  return known.length > 10 ? `there are ${some} and ${known.length - 10} more` : `there are ${some}`;
}
