/** Loads a test file: its tests, or all of its errors. */
import { dirname, resolve } from 'node:path';
import type { Config } from '../../../engine/config/config.ts';
import type { Environment } from '../../../engine/config/expand.ts';
import { type ConfigFinding, failure, faulty, subjectOf } from '../../../engine/config/finding.ts';
import { locator, placeOfFinding } from '../../../engine/config/locate.ts';
import { wholeText } from '../../../engine/config/parse-parts.ts';
import { parseToml, type RawTable } from '../../../engine/config/parse.ts';
import {
  ConfigError,
  type LoadProblem,
  mainName,
  problemOf,
  textProblem,
} from '../../../engine/config/problem.ts';
import type { ReadFile } from '../../../engine/config/read-file.ts';
import { topRows } from '../../../engine/config/rows/top.ts';
import { allSections } from '../../../engine/config/sections.ts';
import { decode, readSource } from '../../../engine/config/source.ts';
import { isTable, kindOf, type Path } from '../../../engine/config/types/value.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { type ConfigLayer, type Configs, openConfigs } from './configs.ts';
import { senseless, unknownNames } from './sense.ts';
import type { Expectation, Test, TestDraft, TestEvent, TestFile } from './test-file.ts';
import { each, readExpectation, type ReadKey, readKeys } from './read-expectation.ts';
import { eventsSection, type EventValues, testsSection, type TestValues } from './rows.ts';
import { alwaysUp, seriesType } from './series.ts';

export interface TestLoadTools {
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly cwd: string;
  /** The configuration to test instead of the one in the file, or the one it names; null: none. */
  readonly configFile: string | null;
}

export type LoadedFile = TestFile | { readonly file: string; readonly problems: readonly LoadProblem[] };

/** Reads the file named `file`. Throws StatusdError when there is none, or it cannot be read. */
export async function loadTestFile(file: string, tools: TestLoadTools): Promise<LoadedFile> {
  const text = decode(await bytesOf(file, tools));
  if (typeof text === 'string') return parseTests(text, file, tools);
  return { file, problems: [textProblem(mainName(file), text)] };
}

async function bytesOf(file: string, { readFile, cwd }: TestLoadTools): Promise<Uint8Array> {
  try {
    return await readSource(resolve(cwd, file), { readFile });
  } catch (error) {
    if (!(error instanceof StatusdError) || error.code !== 'config_missing') throw error;
    throw new StatusdError('config_missing', `there is no test file ${file}`, {
      hint: '`statusd test --example` prints one to begin with.',
      cause: error,
    });
  }
}

async function parseTests(text: string, file: string, tools: TestLoadTools): Promise<LoadedFile> {
  const parsed = parseToml(text);
  if ('fault' in parsed) return { file, problems: [textProblem(mainName(file), parsed.fault)] };
  const locate = locator({ ...mainName(file), parts: [wholeText(text)] });
  const readings = testsOf(parsed.table);
  const problems: LoadProblem[] = [];
  const report = async (findings: readonly ConfigFinding[]) => {
    for (const finding of findings) {
      const subject = subjectOf(finding.path, parsed.table);
      problems.push(
        problemOf({ ...finding, ownPath: finding.path, subject }, await placeOfFinding(finding, locate)),
      );
    }
  };
  await report([...topFindings(parsed.table), ...readings.flatMap(({ findings }) => findings)]);
  const configs = await openBase(text, { file, table: parsed.table, tools });
  if ('problems' in configs) return { file, problems: [...problems, ...configs.problems].sort(inOrder) };
  const tests: Test[] = [];
  for (const { draft } of readings) {
    const test = await complete(draft, configs);
    if ('findings' in test) await report(test.findings);
    else tests.push(test);
  }
  return problems.length === 0 ? { file, tests, locate } : { file, problems: problems.sort(inOrder) };
}

function inOrder(a: LoadProblem, b: LoadProblem): number {
  return a.line - b.line || a.column - b.column;
}

function testsOf(table: RawTable): readonly DraftReading[] {
  const raw = table['tests'];
  return Array.isArray(raw) ? raw.map((item, index) => readTest(item, ['tests', index])) : [];
}

function topFindings(table: RawTable): readonly ConfigFinding[] {
  const { tests, config } = table;
  const names = [...Object.keys(topRows), ...allSections.map(({ name }) => name)];
  const given = names.filter((name) => Object.hasOwn(table, name));
  const findings: ConfigFinding[] = [];
  if (tests === undefined) findings.push(failure([], 'there is no test', 'write [[tests]] with a name'));
  else if (!Array.isArray(tests))
    findings.push(failure(['tests'], `must be an array of tables, not ${kindOf(tests)}`, 'write [[tests]]'));
  if (config === undefined) return findings;
  if (typeof config !== 'string' || config === '')
    findings.push(failure(['config'], 'must be the path of a configuration', 'for example "statusd.toml"'));
  const hint = 'keep one of the two; a test may differ from it by its settings';
  for (const name of given) findings.push(failure([name], 'is set together with config', hint));
  return findings;
}

interface Base {
  readonly file: string;
  readonly table: RawTable;
  readonly tools: TestLoadTools;
}

/** The configuration in the file, or the one it names. */
async function openBase(
  text: string,
  { file, table, tools }: Base,
): Promise<Configs | { readonly problems: readonly LoadProblem[] }> {
  const { env, readFile } = tools;
  const named = namedConfig(file, table, tools);
  try {
    if (named === null) {
      return await openConfigs({ text: inlineConfig(text), file: resolve(tools.cwd, file), env, readFile });
    }
    const content = decode(await readSource(named, { readFile }));
    if (typeof content === 'string') return await openConfigs({ text: content, file: named, env, readFile });
    return { problems: [textProblem(mainName(named), content)] };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

/** The path of the configuration that stands elsewhere; null: it is in the file. */
function namedConfig(file: string, { config }: RawTable, { cwd, configFile }: TestLoadTools): string | null {
  if (configFile !== null) return resolve(cwd, configFile);
  return typeof config === 'string' ? resolve(dirname(resolve(cwd, file)), config) : null;
}

/** A draft with its configurations, or what is wrong with them together. */
async function complete(
  draft: TestDraft,
  configs: Configs,
): Promise<Test | { readonly findings: readonly ConfigFinding[] }> {
  let configLayers: readonly ConfigLayer[] = [
    { settings: draft.settings, path: [...draft.path, 'settings'] },
  ];
  const first = await configs.under(configLayers);
  if ('findings' in first) return first;
  const reloads = new Map<TestEvent, Config>();
  for (const event of draft.events.toSorted((a, b) => a.atMs - b.atMs)) {
    if (event.kind !== 'reload') continue;
    configLayers = [...configLayers, { settings: event.settings, path: [...event.path, 'reload'] }];
    const next = await configs.under(configLayers);
    if ('findings' in next) return next;
    reloads.set(event, next.config);
  }
  const known = [first.config, ...reloads.values()];
  const settled = withChannels(draft, known);
  const findings = [...unknownNames(draft, known), ...senseless(draft, known), ...settled.findings];
  if (findings.length > 0) return { findings };
  return { ...draft, expectations: settled.expectations, config: first.config, reloads };
}

/** A message that names no channel is for the only one there is. */
function withChannels(
  { expectations }: TestDraft,
  configs: readonly Config[],
): { readonly expectations: readonly Expectation[]; readonly findings: readonly ConfigFinding[] } {
  const names = [...new Set(configs.flatMap(({ channels }) => channels.map(({ name }) => name)))];
  const [only = null, ...others] = names;
  const findings: ConfigFinding[] = [];
  const settled = expectations.map((expectation) => {
    if (expectation.kind !== 'message' || expectation.channel !== null) return expectation;
    if (only !== null && others.length === 0) return { ...expectation, channel: only };
    findings.push(
      failure(
        expectation.path,
        'does not say through which channel',
        names.length === 0 ? 'the configuration has no channel' : `there is ${names.join(', ')}`,
      ),
    );
    return expectation;
  });
  return { expectations: settled, findings };
}

/** The configuration that stands in a test file beside the tests. */

const heading = /^\s*\[\[?([^[\]]+)\]\]?\s*(?:#.*)?$/;
const testsHeading = /^\s*(?:"tests"|'tests'|tests)\s*(?:\.|$)/;
const configKey = /^\s*config\s*=/;
const testsKey = /^\s*tests\s*[.=]/;

/**
 * The text with all that belongs to the tests blanked out, line by line, so that whatever is wrong with the rest is
 * found at its place in the file.
 */
function inlineConfig(text: string): string {
  let isTests = false;
  let isTop = true;
  const lines = text.split('\n').map((line) => {
    const name = heading.exec(line)?.[1];
    if (name !== undefined) {
      isTests = testsHeading.test(name.trim());
      isTop = false;
    }
    if (isTop && testsKey.test(line)) isTests = true;
    return isTests || (isTop && configKey.test(line)) ? '' : line;
  });
  return lines.join('\n');
}

interface DraftReading {
  /** As far as it could be read. */
  readonly draft: TestDraft;
  readonly findings: readonly ConfigFinding[];
}

/** One table of [[tests]] to a draft, with everything that is wrong in it. */
function readTest(raw: unknown, path: Path): DraftReading {
  const { values, findings } = readKeys<TestValues>(raw, path, testsSection);
  const series = readSeries(values.series ?? {}, [...path, 'series']);
  const events = each(values.events, [...path, 'events'], readEvent);
  const expectations = each(values.expect, [...path, 'expect'], readExpectation);
  return {
    draft: {
      path,
      name: values.name ?? '',
      startAt: values.start ?? 0,
      untilMs: values.until ?? null,
      settings: values.settings ?? {},
      series: series.series,
      events: events.found,
      expectations: expectations.found,
    },
    findings: [...findings, ...series.findings, ...events.findings, ...expectations.findings],
  };
}

/** Where a series is wrong another stands in for it, so that its name is looked at all the same. */
function readSeries(
  raw: RawTable,
  path: Path,
): { readonly series: TestDraft['series']; readonly findings: readonly ConfigFinding[] } {
  const readings = Object.entries(raw).map(([id, given]) => [id, seriesType.read(given)] as const);
  return {
    series: Object.fromEntries(
      readings.map(([id, reading]) => [id, reading.isGood ? reading.value : alwaysUp]),
    ),
    findings: readings.flatMap(([id, reading]) =>
      reading.isGood ? [] : reading.faults.map((fault) => faulty([...path, id], fault)),
    ),
  };
}

const actions = ['silence', 'clear_silences', 'acknowledge', 'restart', 'reload', 'channel_fails'] as const;

/** One table of [[tests.events]] to what happens. */
function readEvent(raw: unknown, path: Path): ReadKey<TestEvent> {
  const { values, findings } = readKeys<EventValues>(raw, path, eventsSection);
  if (findings.length > 0) return { found: [], findings };
  const given = actions.filter((action) => isTable(raw) && Object.hasOwn(raw, action));
  const atMs = values.at ?? 0;
  const refuse = (message: string, hint: string, key?: string): ReadKey<TestEvent> => ({
    found: [],
    findings: [failure(key === undefined ? path : [...path, key], message, hint)],
  });
  const [action] = given;
  if (action === undefined) return refuse('does nothing', `give it one of ${actions.join(', ')}`);
  if (given.length > 1) return refuse(`does ${given.join(' and ')}`, 'write an event for each');
  if (values[action] === false) return refuse('must be true', 'or remove it', action);
  const forMs = values.for ?? null;
  const needsFor = (): ReadKey<TestEvent> => refuse('needs a for', `for example for = "10m"`);
  const takesNoFor = (): ReadKey<TestEvent> => refuse(`does not go with ${action}`, 'remove it', 'for');
  const one = (event: TestEvent): ReadKey<TestEvent> => ({ found: [event], findings: [] });
  switch (action) {
    case 'silence': {
      const monitors = values.silence ?? [];
      if (forMs === null) return needsFor();
      return one({
        kind: 'silence',
        atMs,
        path,
        forMs,
        monitors: monitors.includes('all') ? null : monitors,
      });
    }
    case 'channel_fails':
      if (forMs === null) return needsFor();
      return one({ kind: 'channel_fails', atMs, path, forMs, channel: values.channel_fails ?? '' });
    case 'restart':
      return one({ kind: 'restart', atMs, path, forMs: forMs ?? 0 });
    case 'acknowledge':
      return forMs === null
        ? one({ kind: 'acknowledge', atMs, path, monitor: values.acknowledge ?? '' })
        : takesNoFor();
    case 'clear_silences':
      return forMs === null ? one({ kind: 'clear_silences', atMs, path }) : takesNoFor();
    case 'reload':
      return forMs === null
        ? one({ kind: 'reload', atMs, path, settings: values.reload ?? {} })
        : takesNoFor();
  }
}
