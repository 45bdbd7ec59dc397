/** One way at least to run each command in a hostile household, with what shows that the hostile texts got that far. */
import { barrage } from '../support/hostile-text.ts';

/** On a pipe with colour forced, on a terminal of 80 columns, or with --json. */
export type Mode = 'pipe' | 'terminal' | 'json';

export interface Case {
  /** The words of the command. */
  readonly command: string;
  /** What follows them. `%n` is another number in each run, `%web` the hostile server. */
  readonly args?: readonly string[];
  /** What its output on a pipe holds, stderr included: it stands in the hostile texts or right beside them. */
  readonly shows: RegExp;
  readonly modes?: readonly Mode[];
  /** On a terminal no line of stdout is wider than it. */
  readonly isFitted?: boolean;
  /** It runs until it is stopped, which it is once it has written this. */
  readonly until?: RegExp;
}

const pipe = ['pipe'] as const;
const human = ['pipe', 'terminal'] as const;
const typed = barrage('typed').replaceAll('\0', '');
const fileName = 'file\u001b[2J\u202e\u0007\u009b2J\n\u2028';
const month = new Date().toISOString().slice(0, 7);

export const cases: readonly Case[] = [
  { command: 'check', shows: /answered cls/, modes: ['pipe', 'json'] },
  ...['ndjson', 'tap', 'junit', 'github', 'nagios'].map((format) => ({
    command: 'check',
    args: ['--format', format],
    shows: /answered cls/,
    modes: pipe,
  })),
  { command: 'check', args: ['--config-only', '-c', 'broken.toml'], shows: /typed/, modes: ['pipe', 'json'] },
  { command: 'check', args: ['--config-only', '-c', 'torn.toml'], shows: /torn/, modes: pipe },
  ...['m0', 'm5', 'm7', 'm8', 'm9', 'm10'].map((id) => ({
    command: 'probe',
    args: [id],
    shows: /name/,
    modes: pipe,
  })),
  { command: 'probe', args: ['m12'], shows: /said/, modes: ['json'] },
  { command: 'probe', args: ['%web/reason/0'], shows: /answered/, modes: pipe },
  {
    command: 'serve',
    args: ['-c', 'serve.toml', '--log-format', 'text'],
    shows: /answered/,
    until: /m0 is down/,
    modes: pipe,
  },
  // What it says when it runs is judged where it runs: acceptance/serve-demo.test.ts.
  { command: 'demo', args: [typed], shows: /typed/, modes: pipe },
  {
    command: 'init',
    args: ['--out', `%n${fileName}`, '%web/reason/1'],
    shows: /file/,
    modes: ['pipe', 'json'],
  },
  { command: 'init', args: ['--out', '-', '%web/reason/0'], shows: /answered/, modes: pipe },
  { command: 'add', args: ['--dry-run', '%web/reason/1?n=%n'], shows: /answer/, modes: pipe },
  { command: 'remove', args: ['%n'], shows: /no monitor/, modes: pipe },
  { command: 'import kuma', args: ['--secrets', 'inline', '--out', '%n.toml', 'kuma.db'], shows: /kuma cls/ },
  {
    command: 'import kuma',
    args: ['--secrets', 'inline', '--out', '-', 'kuma.db'],
    shows: /kuma cls/,
    modes: ['terminal'],
  },
  { command: 'import kuma', args: ['--history', 'kuma.db'], shows: /kuma cls/ },
  { command: 'import kuma', args: ['--history', 'past.db'], shows: /1 incident|6 incidents/, modes: human },
  { command: 'import hora', args: ['hora.db'], shows: /hora cls/ },
  {
    command: 'import hora',
    args: ['typed.toml'],
    shows: /no database of Hora|does not exist/,
    modes: ['pipe', 'json'],
  },
  { command: 'import gatus', args: ['--out', '%n.toml', 'gatus'], shows: /gatus cls/ },
  { command: 'import gatus', args: ['--out', '%n.toml', 'gatus.yaml'], shows: /gatus cls/ },
  { command: 'import gatus', args: ['--out', '-', 'gatus.yaml'], shows: /gatus cls/, modes: ['terminal'] },
  { command: 'doctor', args: ['--channels'], shows: /said/ },
  { command: 'plan', shows: /statusd\.toml/ },
  { command: 'plan', args: ['other.toml'], shows: /other name/ },
  { command: 'test', args: ['hostile.test.toml'], shows: /scene/ },
  { command: 'ack', args: ['job', typed], shows: /job|typed/ },
  { command: 'acknowledge', args: ['job'], shows: /job/, modes: pipe },
  { command: 'silence', args: ['job', '1m', typed], shows: /typed/ },
  { command: 'silence', shows: /quiet cls/, isFitted: true },
  { command: 'silence list', shows: /quiet cls/, isFitted: true },
  { command: 'silence clear', args: [typed], shows: /typed/ },
  { command: 'maintenance add', args: [typed, '--monitor', 'job', '--for', '1h'], shows: /typed/ },
  { command: 'maintenance', shows: /typed/, isFitted: true },
  { command: 'maintenance list', shows: /typed/, isFitted: true },
  { command: 'maintenance cancel', args: [typed], shows: /typed/ },
  { command: 'subscribers', shows: /reader|[Nn]o/ },
  { command: 'subscribers list', shows: /reader|[Nn]o/, isFitted: true },
  { command: 'subscribers remove', args: [typed], shows: /typed/ },
  { command: 'subscribers export', shows: /address|/ },
  { command: 'announce', args: [typed, typed], shows: /typed/ },
  { command: 'announce', shows: /banner cls/, isFitted: true },
  { command: 'announce list', shows: /banner cls/, isFitted: true },
  { command: 'announce clear', args: [typed], shows: /typed/ },
  { command: 'outbox', shows: /stored/, isFitted: true },
  { command: 'outbox list', shows: /stored/, isFitted: true },
  { command: 'outbox retry', args: ['%n'], shows: /./ },
  { command: 'outbox drop', args: ['%n'], shows: /./ },
  { command: 'top', args: ['--once'], shows: /name/, isFitted: true },
  { command: 'top', args: ['--once', '--plain'], shows: /name/, modes: human },
  { command: 'top', args: ['--once', '--url', '%web'], shows: /remote-name/, isFitted: true },
  { command: 'top', args: ['--once', '--plain', '--url', '%web'], shows: /remote-name/, modes: ['terminal'] },
  { command: 'peers list', shows: /PEER NAME/, modes: pipe },
  { command: 'peers', shows: /PEER NAME/, isFitted: true },
  // What only a database server knows is tried where there is one: here the configuration is as far as they get.
  { command: 'nodes', args: ['-c', 'broken.toml'], shows: /typed/, modes: ['pipe', 'json'] },
  { command: 'nodes list', args: ['-c', 'broken.toml'], shows: /typed/, modes: pipe },
  { command: 'migrate', args: ['-c', 'broken.toml'], shows: /typed/, modes: pipe },
  { command: 'oncall list', shows: /turns0 /, modes: pipe },
  { command: 'oncall', shows: /turns0 /, isFitted: true },
  { command: 'oncall', args: ['--at', '2d'], shows: /turns0 /, modes: pipe },
  { command: 'incidents', args: ['--limit', '100'], shows: /stored/, isFitted: true },
  { command: 'incidents list', args: ['--limit', '100'], shows: /stored/, isFitted: true },
  { command: 'incidents open', args: [typed, typed], shows: /typed/ },
  { command: 'incidents show', args: ['last'], shows: /typed/, isFitted: true },
  { command: 'incidents update', args: ['last', typed], shows: /typed/ },
  { command: 'incidents resolve', args: ['last', typed], shows: /resolved|is over/i },
  { command: 'postmortem', args: ['last'], shows: /typed/, modes: pipe },
  { command: 'event', args: [typed], shows: /typed/ },
  { command: 'annotate', args: ['last', typed], shows: /typed/ },
  { command: 'explain', args: ['job'], shows: /heartbeat/, isFitted: true },
  { command: 'explain', args: ['m0'], shows: /answered/, modes: ['terminal'], isFitted: true },
  { command: 'explain', args: ['uid0'], shows: /stored/, modes: ['terminal', 'json'], isFitted: true },
  { command: 'report', args: [month], shows: /group/, isFitted: true },
  { command: 'tune', shows: /job/, isFitted: true },
  { command: 'tune', args: ['job'], shows: /job/, isFitted: true },
  { command: 'tune', args: ['--write'], shows: /name/, modes: ['terminal'] },
  { command: 'replay', args: ['other.toml'], shows: /other\.toml/, isFitted: true },
  { command: 'digest', shows: /name rlo.*FAKE: / },
  { command: 'test-alert', shows: /channel0 name/ },
  { command: 'backup', args: [`%n${fileName}`], shows: /file/ },
  { command: 'healthcheck', args: ['--url', '%web'], shows: /not healthy/ },
  { command: 'schema', shows: /schema/, modes: pipe },
  { command: 'completion', args: ['bash'], shows: /statusd/, modes: pipe },
  { command: 'completion words', args: ['group'], shows: /group/, modes: pipe },
];
