/** Opens the source of `statusd top` and shows it as a live view, a snapshot or plain lines. */
import { readSmallFile } from '../../engine/config/read-file.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { noDaemonText } from '../../tui/headline.ts';
import type { Model } from '../../tui/model.ts';
import { plainLines } from '../../tui/view/plain.ts';
import { authorOf, type Context } from '../context.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openLook, type TerminalLook } from './terminal-look.ts';
import type { SummarySource } from './source.ts';
import { terminalOf } from './terminal.ts';
import type { PageSummary } from '../../engine/views/page.ts';
import { type Event, initialState, reduce } from '../../tui/state.ts';
import { allRows } from '../../tui/rows.ts';

export interface TopRun extends RunOptions {
  /** Null: the local database. */
  readonly url: string | null;
  readonly tokenFile: string | null;
  /** Seconds, as typed. */
  readonly interval: string;
  readonly isOnce: boolean;
  readonly isPlain: boolean;
}

export async function performTop(run: TopRun, context: Context): Promise<ExitCode> {
  const intervalMs = intervalOf(run.interval);
  const source = await openSource(run, context);
  try {
    for (const warning of source.warnings())
      context.stderr.write(`statusd: warning: ${cleanLine(warning)}\n`);
    if (run.isJson) {
      context.stdout.write(`${toJson(await source.summary())}\n`);
      return exitCodes.ok;
    }
    return await show(source, { ...run, intervalMs }, context);
  } finally {
    await source.close();
  }
}

async function show(
  source: SummarySource,
  run: TopRun & { readonly intervalMs: number },
  context: Context,
): Promise<ExitCode> {
  const { stdout, clock, interrupt, events } = context;
  const { intervalMs, isQuiet } = run;
  const terminal = terminalOf(context);
  if (run.isPlain) {
    const first = await source.read();
    const daemon = await source.daemon();
    const summary = isQuiet ? onlyWrong(first.summary) : first.summary;
    const lines = [
      ...(daemon === 'gone' ? [noDaemonText(first, clock.now())] : []),
      ...(summary === null ? [] : plainLines(summary, allRows)),
    ];
    stdout.write(lines.map((line) => `${line}\n`).join(''));
    if (run.isOnce || terminal === null) return exitCodes.ok;
    const { printChanges } = await import('./plain.ts');
    return printChanges({ source, stdout, clock, intervalMs, cpuMs, first, daemon, interrupt });
  }
  const isTty = 'isTTY' in stdout && stdout.isTTY === true;
  const terminalLook = openLook({ env: context.env, isTty, isColourRefused: run.isColourRefused });
  if (run.isOnce || terminal === null) {
    const model = await source.read();
    const summary = isQuiet ? onlyWrong(model.summary) : model.summary;
    if (summary === null) {
      // That nobody checks is wrong however well everything was.
      if ((await source.daemon()) === 'gone') stdout.write(`${noDaemonText(model, clock.now())}\n`);
      return exitCodes.ok;
    }
    const print = { columns: columnsOf(context), nowAt: clock.now(), source };
    stdout.write(await onceText({ ...model, summary }, print, terminalLook));
    return exitCodes.ok;
  }
  const [{ runLive }, { processJobs }] = await Promise.all([
    import('./live.ts'),
    import('./process-jobs.ts'),
  ]);
  const first = await firstModel(source);
  const { onFault } = events;
  return runLive({
    source,
    terminal,
    look: terminalLook,
    clock,
    intervalMs,
    cpuMs,
    author: authorOf(context),
    first,
    interrupt,
    onFault,
    jobs: processJobs(),
  });
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Null: the source asks for patience, which is no reason to give up. */
async function firstModel(source: SummarySource): Promise<Model | null> {
  try {
    return await source.read();
  } catch (error) {
    if (source.patienceMs() > 0) return null;
    throw error;
  }
}

const mostSecs = 3600;

function intervalOf(typed: string): number {
  const secs = /^\d{1,4}$/.test(typed) ? Number(typed) : 0;
  if (secs >= 1 && secs <= mostSecs) return secs * 1000;
  throw new StatusdError(
    'usage',
    `the interval ${quoted(typed)} is not a number of seconds from 1 to ${mostSecs}`,
  );
}

/** The terminal's width; for a pipe that of $COLUMNS, else wide enough for every column. */
function columnsOf({ stdout, env }: Pick<Context, 'stdout' | 'env'>): number {
  const columns = 'columns' in stdout ? Number(stdout.columns) : Number(env.COLUMNS ?? '');
  if (Number.isInteger(columns) && columns >= 20 && columns <= 1000) return columns;
  return 'isTTY' in stdout && stdout.isTTY === true ? 80 : 160;
}

async function openSource({ url, tokenFile, configFile }: TopRun, context: Context): Promise<SummarySource> {
  if (url === null) {
    const [{ openLocal }, { localActions }] = await Promise.all([
      import('./local.ts'),
      import('./local-actions.ts'),
    ]);
    const loaded = await openConfig(configFile, context);
    return openLocal({ loaded, clock: context.clock, actions: localActions(configFile, context) });
  }
  const [{ createRemote }, { trustOf }] = await Promise.all([
    import('./remote.ts'),
    import('../http-request.ts'),
  ]);
  const token = await tokenOf(tokenFile, context);
  return createRemote({ base: baseOf(url), token, trust: trustOf(context) }, context.clock);
}

/** The address of a server, with a slash at its end. */
function baseOf(typed: string): URL {
  const url = URL.canParse(typed) ? new URL(typed) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new StatusdError('usage', '--url is no address of a server', {
      hint: 'Write it as in https://status.example.com; a token comes from $STATUSD_TOKEN or --token-file.',
    });
  }
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

/** A token is sent in a header, so that it is one line of visible characters. */
async function tokenOf(file: string | null, { env }: Pick<Context, 'env'>): Promise<string | null> {
  const token = file === null ? (env.STATUSD_TOKEN ?? '') : await contentOf(file);
  const trimmed = token.trim();
  if (trimmed === '') return null;
  if (/^[!-~]+$/.test(trimmed)) return trimmed;
  const from = file === null ? '$STATUSD_TOKEN' : file;
  throw new StatusdError(
    'usage',
    `the token in ${cleanLine(from)} holds a space or a character that is not ASCII`,
  );
}

async function contentOf(file: string): Promise<string> {
  try {
    return new TextDecoder().decode(await readSmallFile(file));
  } catch (error) {
    throw new StatusdError('usage', `the token file ${quoted(file)} cannot be read`, { cause: error });
  }
}

interface OncePrint {
  readonly columns: number;
  readonly nowAt: number;
  readonly source: SummarySource;
}

/** Prints one frame and is done. The whole table under its header, as text. */
async function onceText(
  model: Model,
  { columns, nowAt, source }: OncePrint,
  { theme }: TerminalLook,
): Promise<string> {
  const { sheetLines } = await import('../../tui/view/screen.tsx');
  const live = await source.glance(model.summary.monitors.map(({ id }) => id));
  const events: readonly Event[] = [
    { kind: 'read', model },
    { kind: 'daemon', daemon: await source.daemon() },
    ...(live === null ? [] : [{ kind: 'glanced', live } as const]),
  ];
  const state = events.reduce(reduce, initialState({ columns, rows: 24 }, nowAt));
  return sheetLines(state, theme)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Only what is wrong; null: nothing is. */
function onlyWrong(summary: PageSummary): PageSummary | null {
  const monitors = summary.monitors.filter(({ status }) => status !== 'up');
  const channels = (summary.channels ?? []).filter(({ failing }) => failing);
  if (monitors.length + channels.length + summary.incidents.length === 0) return null;
  return { ...summary, monitors, channels };
}
