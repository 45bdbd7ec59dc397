/** Checks that every alert can reach somebody: the outages of each monitor and peer need a channel that takes them. */
import { type ChannelFilter, type FilteredMessage, takes } from '../../core/channel-filter.ts';
import { inWords } from '../../core/words.ts';
import type { ConfigDraft } from '../draft.ts';
import { type ConfigFinding, quote, warning } from '../finding.ts';
import type { Path } from '../types/value.ts';

/** By index of the channels: those that an empty secret disables. */
export type DisabledChannels = ReadonlyMap<number, unknown>;

/** What is sent when the worst happens: an outage is an error, and critical where its monitor is. */
export const gravest = {
  monitors: { event: 'down', severity: 'error' },
  peers: { event: 'peer_down', severity: 'error' },
  digest: { event: 'digest', severity: 'info' },
} as const;

/** Something that alerts are about, and where they lead. */
interface Subject {
  readonly path: Path;
  readonly id: string;
  /** Null: to all channels. */
  readonly notify: readonly string[] | null;
  /** Whether all other channels come last, when those of `notify` take nothing. */
  readonly hasLastResort: boolean;
  readonly said: FilteredMessage;
}

type Usable = ChannelFilter & { readonly name: string };

/** Without channels there is a page and nothing else, which is plain enough: `doctor` says so. */
export function* checkReach(draft: ConfigDraft, disabled: DisabledChannels): Generator<ConfigFinding | null> {
  if (draft.channels.length === 0) return;
  const usable = draft.channels.flatMap((channel, index) => (disabled.has(index) ? [] : usableOf(channel)));
  const subjectsByFault = new Map<string, { readonly first: Subject; readonly others: string[] }>();
  for (const [count, subject] of [...subjectsOf(draft)].entries()) {
    if (count % 500 === 499) yield null;
    const fault = faultOf(subject, usable, draft);
    if (fault === null) continue;
    const known = subjectsByFault.get(`${subject.path[0]} ${fault}`);
    if (known === undefined)
      subjectsByFault.set(`${subject.path[0]} ${fault}`, { first: subject, others: [] });
    else known.others.push(subject.id);
  }
  for (const [key, { first, others }] of subjectsByFault) {
    const fault = key.slice(key.indexOf(' ') + 1);
    const those = others.length === 0 ? '' : ` and those of ${inWords(others, 6)}`;
    const what = first.path[0] === 'digest' ? 'is sent to nobody' : `its outages${those} reach nobody`;
    yield warning(
      first.path,
      `${what}${fault}`,
      'look at the channels that notify leads to: all where it is absent',
    );
  }
}

/**
 * Warns where mails to readers go through an account that alerts need: a stranger can ask for mails until the server takes
 * no more of them.
 */
export function* checkReaderMails(draft: ConfigDraft): Generator<ConfigFinding> {
  const { subscribe, channels, rotations } = draft;
  const accountOf = (channel: ConfigDraft['channels'][number] | undefined) =>
    channel?.type === 'email' && typeof channel.host === 'string'
      ? `${channel.username ?? ''}@${channel.host.toLowerCase()}`
      : null;
  const account = accountOf(
    channels.find(({ name }) => name !== undefined && name === subscribe?.email_channel),
  );
  if (account === null) return;
  const sharing = channels.filter((channel) => accountOf(channel) === account).flatMap(usableOf);
  const isNotified = ({ notify, said }: Subject) =>
    sharing.some((channel) => {
      const { name } = channel;
      const isNamed =
        notify === null ||
        notify.includes(name) ||
        rotations.some((turn) => notify.includes(turn.name ?? '') && turn.members?.includes(name) === true);
      return isNamed && takes(channel, said);
    });
  if (![...subjectsOf(draft)].some(isNotified)) return;
  yield warning(
    ['subscribe', 'email_channel'],
    'goes through the mail account that also sends alerts: once its quota is used up by mails to readers, alerts are refused, too',
    'name a channel with an account of its own and events = [], which takes no alerts',
  );
}

function* subjectsOf({ monitors, peers, digest }: ConfigDraft): Generator<Subject> {
  for (const [index, { id, notify, escalation, group, critical }] of monitors.entries()) {
    if (id === undefined || notify === undefined) continue;
    const monitor = { id, group: group ?? null, critical: critical ?? false };
    const hasLastResort = escalation !== null && escalation !== undefined;
    const said = { ...gravest.monitors, monitor };
    yield { path: ['monitors', index], id, notify, hasLastResort, said };
  }
  for (const [index, { id, notify, expect_every_secs: secs }] of peers.entries()) {
    if (id === undefined || notify === undefined || typeof secs !== 'number') continue;
    const said = { ...gravest.peers, monitor: null };
    yield { path: ['peers', index], id, notify, hasLastResort: false, said };
  }
  if (digest?.notify !== undefined) {
    const said = { ...gravest.digest, monitor: null };
    yield { path: ['digest'], id: 'digest', notify: digest.notify, hasLastResort: false, said };
  }
}

/** Why nobody is notified; null: somebody is, or another check reports why not. */
function faultOf(
  { notify, hasLastResort, said }: Subject,
  usable: readonly Usable[],
  { channels, rotations }: ConfigDraft,
): string | null {
  const isTaking = (name: string) => usable.some((channel) => channel.name === name && takes(channel, said));
  if (hasLastResort && usable.some((channel) => takes(channel, said))) return null;
  const names = notify ?? channels.flatMap(({ name }) => name ?? []);
  // That is a warning of its own; and what a name stands for may be wrong.
  if (names.length === 0 || names.some(isTaking)) return null;
  const turns = rotations.filter(({ name }) => name !== undefined && names.includes(name));
  const membersOf = ({ members = [] }: (typeof turns)[number]) =>
    members.filter((member) => usable.some(({ name }) => name === member));
  const whole = turns.map(membersOf).filter((members) => members.length > 0);
  if (whole.some((members) => members.every(isTaking))) return null;
  const led = new Set([...names, ...turns.flatMap(({ members = [] }) => members)]);
  if (!usable.some(({ name }) => led.has(name)))
    return channels.some(({ name }) => name !== undefined && led.has(name))
      ? ': all channels they lead to are disabled'
      : null;
  const refusing = whole.flatMap((members) => members.filter((member) => !isTaking(member)));
  if (whole.some((members) => members.some(isTaking)))
    return ` while it is the turn of ${inWords([...new Set(refusing)].map(quote), 6)}, which does not take them`;
  return ': by their filters none of the channels takes them';
}

/** With what is wrong in itself as if it were absent. */
function usableOf({
  name,
  events,
  min_severity,
  monitors,
  groups,
}: ConfigDraft['channels'][number]): Usable[] {
  if (name === undefined) return [];
  return [
    {
      name,
      events: events ?? null,
      min_severity: min_severity ?? 'info',
      monitors: monitors ?? null,
      groups: groups ?? null,
    },
  ];
}
