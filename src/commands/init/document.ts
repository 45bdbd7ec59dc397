/** Writes a configuration with comments that explain it. */
import { defaultText } from '../../engine/config/default-text.ts';
import type { Rows } from '../../engine/config/row.ts';
import { alertsRows } from '../../engine/config/rows/alerts.ts';
import { channelRows } from '../../engine/config/rows/channels.ts';
import { monitorRows } from '../../engine/config/rows/monitors.ts';
import type { WantedChannel } from './channels.ts';
import type { Proposal } from './proposal.ts';
import { commentLines, commentText, tomlString } from '../document/toml.ts';
import { dayText } from '../../engine/core/instant.ts';

/** The text of a configuration file with these monitors and channels; with examples in comments where there are none. */
export function configDocument(
  proposals: readonly Proposal[],
  wanted: readonly WantedChannel[] = [],
): string {
  const monitors =
    proposals.length === 0
      ? [examples]
      : [['# What is watched: one table each.'], ...monitorTables(proposals, { isExplained: true })];
  const channels = wanted.length === 0 ? [exampleChannels] : channelTables(wanted);
  return `${[head, alerts(), ...channels, ...monitors].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const head = [
  '# The configuration of statusd. `statusd check` probes everything in it once,',
  '# `man statusd.toml` describes every key.',
];

function alerts(): string[] {
  return [
    ...commentLines(
      'When to say something. A failed probe is tried once more before it counts, and failures in a row ' +
        'confirm that a monitor is down. The message then waits a little: a flap that is over by then ' +
        'wakes nobody, and monitors that fail together arrive in one message.',
    ),
    '[alerts]',
    ...defaultSetting(alertsRows.fail_threshold, 'fail_threshold'),
    ...defaultSetting(alertsRows.group_window_secs, 'group_window_secs'),
  ];
}

const exampleChannels = [
  // Two of them are below.
  `# Who to notify. Take one of these, or one of ${Object.keys(channelRows).length - 2} more types. \${NAME} is the value of an`,
  '# environment variable: keep secrets there, not in this file.',
  '# [[channels]]',
  '# name = "phone"',
  '# type = "ntfy"',
  '# url = "https://ntfy.sh/a-topic-nobody-guesses"',
  '# token = "${NTFY_TOKEN}"',
  '#',
  '# [[channels]]',
  '# name = "team"',
  '# type = "slack"',
  '# webhook_url = "${SLACK_WEBHOOK_URL}"',
];

function channelTables(wanted: readonly WantedChannel[]): string[][] {
  const [first = [], ...others] = wanted.map(({ lines }) => [...lines]);
  const head = commentLines(
    'Who to notify. ${NAME} is a variable of the environment or of statusd.env beside this file. A channel ' +
      'with an empty secret is disabled.',
  );
  return [[...head, ...first], ...others];
}

const examples = [
  '# What to watch: one table each. Remove the # in front of those you want.',
  '# [[monitors]]',
  '# id = "website"',
  '# name = "Website"',
  '# target = "https://example.com/"',
  '# degraded_over_ms = 800',
  '#',
  '# [[monitors]]',
  '# id = "database"',
  '# kind = "tcp"',
  '# target = "db.example.com:5432"',
  '#',
  '# [[monitors]]',
  '# id = "backup"',
  '# kind = "push"',
  '# push_token = "${BACKUP_TOKEN}"',
  '# schedule = "0 3 * * *"',
];

/**
 * The lines of one table for each. `isExplained`: a key that comes for the first time has a comment that says what it is.
 * `added`: further settings of each, as lines.
 */
export function monitorTables(
  proposals: readonly Proposal[],
  { isExplained, added = [] }: { readonly isExplained: boolean; readonly added?: readonly string[] },
): string[][] {
  const explained = new Set<string>();
  return proposals.map((proposal) => {
    const rows: Rows = monitorRows[proposal.kind];
    const key = (name: string, value: string, doc = docOf(rows, name)) => {
      const isNew = isExplained && !explained.has(doc);
      explained.add(doc);
      return setting(name, value, isNew ? doc : null);
    };
    return [
      ...remarks(proposal),
      '[[monitors]]',
      ...key('id', tomlString(proposal.id)),
      ...key('name', tomlString(proposal.name)),
      ...key('kind', tomlString(proposal.kind)),
      ...key('target', tomlString(proposal.target)),
      ...(proposal.timeoutSecs === null ? [] : key('timeout_secs', String(proposal.timeoutSecs))),
      ...(proposal.degradedOverMs === null
        ? []
        : key('degraded_over_ms', String(proposal.degradedOverMs), degradedDoc)),
      ...added,
      ...cureOf(proposal),
    ];
  });
}

const degradedDoc =
  'The latency over which it is degraded: three times the slowest answer that `statusd init` saw, at least 250 ms.';

/** What was seen of the target, as comments. */
function remarks(proposal: Proposal): string[] {
  const { latenciesMs, probes, certificateEndsAt, error } = proposal;
  const sentences = [
    latenciesMs.length === 0
      ? `${proposal.isUnknown ? 'Could not be asked from here' : 'Did not answer as expected'}: ${error ?? 'no reason given'}`
      : `Answered ${latenciesMs.length} of ${probes} probes in ${rangeOf(latenciesMs)}`,
    ...(latenciesMs.length > 0 && error !== null ? [`It warned: ${error}`] : []),
    ...(certificateEndsAt === null ? [] : [`Its certificate ends on ${dayText(certificateEndsAt)}`]),
  ];
  return sentences.flatMap((sentence) => commentLines(`${commentText(sentence).replace(/\.$/, '')}.`));
}

/** The setting that would make the answer a healthy one, in case that is what is wanted. */
function cureOf({ cure }: Proposal): string[] {
  return cure === null ? [] : ['# If that is as it should be:', `# ${cure}`];
}

/** `81 to 94 ms`, of one or more latencies in milliseconds. */
export function rangeOf(latenciesMs: readonly number[]): string {
  const least = Math.round(Math.min(...latenciesMs));
  const most = Math.round(Math.max(...latenciesMs));
  if (most < 1) return 'less than 1 ms';
  return least === most ? `${least} ms` : `${least} to ${most} ms`;
}

function setting(key: string, value: string, doc: string | null): string[] {
  return [...(doc === null ? [] : commentLines(doc)), `${key} = ${value}`];
}

function defaultSetting({ doc, fallback }: Rows[string], key: string): string[] {
  return setting(key, defaultText(fallback), doc);
}

function docOf(rows: Rows, key: string): string {
  const row = rows[key];
  if (row === undefined) throw new Error(`no row is named ${key}`);
  return row.doc;
}
