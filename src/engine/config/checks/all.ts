/** Everything that must hold between settings. */
import { durationText } from '../../core/duration.ts';
import { type NamedThings, privateMentions } from '../private-names.ts';
import type { ConfigDraft } from '../draft.ts';
import { type ConfigFinding, failure, quote, warning } from '../finding.ts';
import { checkChannel, checkTrust } from './channels.ts';
import { checkMonitor } from './monitors.ts';
import { checksOfNames } from './names.ts';
import { checkNodes } from './nodes.ts';
import { checkPeers } from './peers.ts';
import { checkReach, checkReaderMails, type DisabledChannels } from './reach.ts';
import { checkStorage } from './storage.ts';
import type { Secret } from '../secret.ts';

/** The findings of all checks; null: a moment at which others may have their turn. Settings that are wrong in themselves are missing from the draft, and not judged again. */
export function* checkDraft(
  draft: ConfigDraft,
  disabled: DisabledChannels = new Map(),
): Generator<ConfigFinding | null> {
  if (draft.monitors.length === 0)
    yield warning(['monitors'], 'is empty: nothing is monitored', 'add a [[monitors]] table');
  for (const [index, monitor] of draft.monitors.entries()) {
    yield* checkMonitor(monitor, ['monitors', index]);
    yield null;
  }
  for (const [index, channel] of draft.channels.entries()) yield* checkChannel(channel, ['channels', index]);
  for (const [index, output] of draft.outputs.entries())
    yield* checkTrust(output, ['outputs', index], 'metrics');
  const others = [checkCycles, checkAccess, checkTime, checkPeers, checkNodes, checkStorage];
  for (const check of [...checksOfNames, ...others]) {
    yield* check(draft);
    yield null;
  }
  yield* checkReach(draft, disabled);
  yield* checkReaderMails(draft);
  yield* checkPublished(draft);
}

/** Who may see what: private monitors, groups and their tokens. */
function* checkAccess({ monitors, server }: ConfigDraft): Generator<ConfigFinding> {
  if (server.auth_token === null) {
    for (const [index, monitor] of monitors.entries()) {
      if (monitor.public !== false) continue;
      const message = 'needs server.auth_token: without it nobody could see the monitor';
      yield failure(
        ['monitors', index, 'public'],
        message,
        'set auth_token in [server], or remove public = false',
      );
    }
  }
  yield* checkBearer(['server', 'auth_token'], server.auth_token);
  const groups = new Set(monitors.map(({ group }) => group));
  for (const group of Object.keys(server.group_tokens ?? {})) {
    if (groups.has(group)) continue;
    yield warning(
      ['server', 'group_tokens', group],
      `is a token for no group: no monitor is in ${quote(group)}`,
      'is it misspelt?',
    );
  }
  for (const [group, token] of Object.entries(server.group_tokens ?? {}))
    yield* checkBearer(['server', 'group_tokens', group], token);
}

/** Warns of notices and titles of maintenance that name what strangers are not shown. */
function* checkPublished(draft: ConfigDraft): Generator<ConfigFinding> {
  const { monitors, channels, rotations, page, server, incidents, maintenance } = draft;
  const isShown = new Map(monitors.map((monitor) => [monitor.id, monitor.public !== false]));
  const things: NamedThings = {
    monitors: monitors.flatMap((monitor) => {
      const { id, name, kind, group, description, url } = monitor;
      if (id === undefined || kind === undefined) return [];
      const target = 'target' in monitor ? monitor.target : undefined;
      return [
        {
          id,
          kind,
          name: name ?? id,
          group: group ?? null,
          description: description ?? null,
          url: url ?? null,
          public: isShown.get(id) === true,
          public_error_detail: monitor.public_error_detail ?? false,
          ...(typeof target === 'string' && { target }),
        },
      ];
    }),
    channels: channels.flatMap(({ name }) => (name === undefined ? [] : [{ name }])),
    rotations: rotations.flatMap(({ name }) => (name === undefined ? [] : [{ name }])),
    page: { title: page.title ?? '', footer: page.footer ?? null },
    server: { base_url: server.base_url ?? null },
  };
  const texts = [
    ...incidents.flatMap(({ title, body }, index) => [
      { path: ['incidents', index, 'title'], text: title },
      { path: ['incidents', index, 'body'], text: body },
    ]),
    ...maintenance.flatMap(({ title, monitors: about = [] }, index) =>
      about.length > 0 && !about.some((id) => isShown.get(id) === true)
        ? []
        : [{ path: ['maintenance', index, 'title'], text: title }],
    ),
  ];
  for (const { path, text } of texts) {
    for (const { kind, name } of privateMentions(text ?? '', things))
      yield warning(
        path,
        `names ${quote(name)} to strangers: a ${kind}`,
        'change the text, unless they may know',
      );
  }
}

/** A header carries visible ASCII only, and a blank ends the token. */
function* checkBearer(path: readonly string[], token: Secret | null | undefined): Generator<ConfigFinding> {
  if (token === null || token === undefined || /^[!-~]*$/.test(token.reveal())) return;
  yield warning(
    path,
    'holds a character that a header cannot carry: it works as ?token= only',
    'use letters, digits and signs of ASCII, without blanks',
  );
}

/** One finding for each cycle, at the `depends_on` that closes it. */
function* checkCycles({ monitors }: ConfigDraft): Generator<ConfigFinding> {
  const upstreams = new Map<string, readonly string[]>();
  const indexes = new Map<string, number>();
  for (const [index, { id, depends_on: ids }] of monitors.entries()) {
    if (id === undefined || indexes.has(id)) continue;
    upstreams.set(id, ids ?? []);
    indexes.set(id, index);
  }
  const done = new Set<string>();
  for (const [start, ids] of upstreams) {
    if (ids.length === 0 || done.has(start)) continue;
    // Depth first with a stack of its own: a long chain must not be the depth of the call stack.
    const trail: { readonly id: string; next: number }[] = [{ id: start, next: 0 }];
    const onTrail = new Set(trail.map(({ id }) => id));
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const position = top.next++;
      const upstream = upstreams.get(top.id)?.[position];
      if (upstream === undefined) {
        done.add(top.id);
        onTrail.delete(top.id);
        trail.pop();
      } else if (onTrail.has(upstream)) {
        const ids = trail.map(({ id }) => id);
        const cycle = [...ids.slice(ids.indexOf(upstream)), upstream].join(' -> ');
        yield failure(
          ['monitors', indexes.get(top.id) ?? 0, 'depends_on', position],
          `makes a cycle: ${cycle}`,
          'remove one of these',
        );
      } else if (!done.has(upstream) && upstreams.has(upstream)) {
        trail.push({ id: upstream, next: 0 });
        onTrail.add(upstream);
      }
    }
  }
}

/** Longer than that no work on something takes, but a slip in the year does. */
const longMs = 90 * 86_400_000;

/** Whether windows of time have a beginning and an end, and are the right way round. */
function* checkTime({ maintenance }: ConfigDraft): Generator<ConfigFinding> {
  for (const [index, { start, end, schedule, duration }] of maintenance.entries()) {
    const at = (key: string) => ['maintenance', index, key];
    if (start !== undefined && end !== undefined && start !== null && end !== null && start >= end)
      yield failure(at('end'), 'must be after start', 'swap the two, or correct the day');
    else if (
      typeof start === 'number' &&
      typeof end === 'number' &&
      schedule === null &&
      end - start > longMs
    )
      yield warning(
        at('end'),
        `is ${durationText(end - start)} after start: no alert about the monitors it covers is sent in that time`,
        'check the year',
      );
    if (schedule === null) {
      if (start === null) yield failure(at('start'), 'is required', 'add start and end, or a schedule');
      if (end === null && start !== null) yield failure(at('end'), 'is required', 'add it');
      if (duration !== null && duration !== undefined)
        yield failure(
          at('duration'),
          'needs a schedule',
          'add a schedule, or remove it: start and end say it all',
        );
    } else if (schedule !== undefined && duration === null) {
      yield failure(at('duration'), 'is required with a schedule', 'for example duration = "2h"');
    }
  }
}
