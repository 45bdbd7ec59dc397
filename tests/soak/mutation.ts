/**
 * How many faults the tests notice: code is changed in one place on purpose, the tests of its area run, and one of
 * them has to fail. Arguments choose areas, or parts of paths within them: `core`, `monitoring/confirm`. What an earlier run
 * found is used again as long as the code and the tests that found it stay. `1/16` changes every sixteenth line alone, from
 * a line that STATUSD_SEED names. The code holds all changes from the beginning, and one process runs the tests with one
 * after the other (../support/mutation/runner.ts).
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { openSoakReport } from '../support/soak-report.ts';

interface Area {
  readonly name: string;
  /** Folders and files whose code is changed. */
  readonly sources: readonly string[];
  /** Folders and files of the tests that have to notice, quick ones first. */
  readonly tests: readonly string[];
  /** How many percent of the changes have to be noticed; null: no goal is set. */
  readonly goal: number | null;
}

/** The tests of delivery that call a rule directly, in milliseconds. */
const direct = [
  'decide',
  'decide-others',
  'decide-unknown',
  'choose',
  'compose',
  'compose-unknown',
  'contents',
  'relate',
  'open-outages',
  'prepare',
  'recoveries',
  'route-outage',
  'damaged',
];

const areas: readonly Area[] = [
  {
    name: 'core',
    sources: [
      'src/engine/core',
      'src/engine/alerting',
      'src/engine/monitoring/confirm',
      'src/engine/peers/rules',
    ],
    tests: [
      'tests/engine/monitoring/confirm/equals-model.test.ts',
      'tests/engine/alerting',
      'tests/engine/core',
      'tests/engine/monitoring/confirm',
      'tests/engine/peers/rules',
      'tests/notify/wording',
      'tests/engine/peers',
      'tests/engine/monitoring',
      'tests/engine/net/resolve.test.ts',
      'tests/notify/delivery',
    ],
    goal: 90,
  },
  {
    name: 'delivery',
    sources: ['src/notify/delivery', 'src/notify/delivery.ts', 'src/notify/channels/deliver.ts'],
    tests: [
      ...direct.map((name) => `tests/notify/delivery/${name}.test.ts`),
      'tests/notify/channels/deliver.test.ts',
      ...['copies', 'in-between', 'parts', 'unknown', 'acknowledge', 'cascade'].map(
        (name) => `tests/notify/delivery/${name}.test.ts`,
      ),
      'tests/notify/delivery',
    ],
    goal: 90,
  },
  {
    name: 'visibility',
    sources: ['src/serve/scope', 'src/serve/access'],
    tests: [
      'tests/serve/access',
      'tests/serve/scope',
      'tests/engine/views',
      'tests/serve/links.test.ts',
      'tests/serve/two-worlds.test.ts',
      'tests/serve/routes',
      'tests/serve/plain',
      'tests/serve/feed',
      'tests/serve/metrics',
      'tests/serve/grants.test.ts',
      'tests/serve/peers-shown.test.ts',
    ],
    goal: null,
  },
  { name: 'store', sources: ['src/db'], tests: ['tests/db'], goal: null },
];

type Results = Awaited<ReturnType<Stryker['runMutationTest']>>;

const cache = join('node_modules', '.cache', 'mutation');
const { printResult, exitCode } = openSoakReport();
mkdirSync(cache, { recursive: true });
const sampleText = /^1\/(\d+)$/;
const wanted = process.argv.slice(2).filter((word) => !sampleText.test(word));
/** Every so many lines one is changed. */
const step = Number(process.argv.map((word) => sampleText.exec(word)?.[1]).find(Boolean) ?? 1);
const seed = Number(process.env['STATUSD_SEED'] ?? Math.floor(Math.random() * 1_000_000));
// Random tests are the same ones for every change.
process.env['STATUSD_SEED'] = String(seed);
for (const area of areas) {
  const sources = filesOf(area.sources, /\.tsx?$/).filter(
    (file) => wanted.length === 0 || wanted.some((part) => part === area.name || file.includes(part)),
  );
  if (sources.length > 0) report(area, await mutate(area, sources));
}
process.exit(exitCode());

async function mutate({ name, tests }: Area, sources: readonly string[]): Promise<Results> {
  const testFiles = filesOf(tests, /\.test\.tsx?$/);
  const folder = 'bundled';
  const results = await new Stryker({
    mutate: step === 1 ? [...sources] : sampledLines(sources),
    testRunner: 'one-process',
    plugins: ['./tests/support/mutation/runner.ts'],
    testRunnerNodeArgs: ['--import', 'tsx', '--enable-source-maps'],
    checkerNodeArgs: ['--import', 'tsx'],
    buildCommand: `node tests/bundle.js ${folder} ${testFiles.join(' ')}`,
    oneProcess: { folder, files: testFiles },
    // Files that were loaded again and again stay in memory.
    maxTestRunnerReuse: 100,
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 60,
    incremental: true,
    incrementalFile: join(cache, `${name}${step === 1 ? '' : `-${step}-${seed}`}.json`),
    tempDirName: join(cache, 'sandbox'),
    ignorePatterns: ['dist', 'bench', 'man', 'docs'],
    reporters: ['progress-append-only'],
    allowConsoleColors: false,
    disableTypeChecks: false,
  }).runMutationTest();
  return results.filter(({ fileName }) => sources.includes(relative('.', fileName)));
}

/** Every `step`th line of all `sources` together, as ranges of Stryker: what takes several lines is left out. */
function sampledLines(sources: readonly string[]): string[] {
  console.log(`every ${step}th line: STATUSD_SEED=${seed}`);
  const lines = sources.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((text, index) => ({ text, range: `${file}:${index + 1}-${index + 1}` })),
  );
  // Comments and imports have nothing to change.
  const code = lines.filter(({ text }) => !/^\s*(?:\/?\*|\/\/|import|export type|$)/.test(text));
  return code.filter((_, index) => index % step === seed % step).map(({ range }) => range);
}

/** Prints what was not noticed, the score of every folder, and of the area. */
function report({ name, goal }: Area, results: Results): void {
  const counted = results.filter(({ status }) => isNoticed(status) || isMissed(status));
  const missed = counted.filter(({ status }) => isMissed(status));
  for (const { fileName, location, status, mutatorName, replacement = '' } of missed) {
    const place = `${relative('.', fileName)}:${location.start.line}:${location.start.column}`;
    console.log(`${place}  ${status}  ${mutatorName}  ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`);
  }
  for (const folder of new Set(counted.map(({ fileName }) => dirname(relative('.', fileName)))))
    console.log(
      `${folder}  ${scoreText(counted.filter(({ fileName }) => dirname(relative('.', fileName)) === folder))}`,
    );
  const isShort = goal !== null && scoreOf(counted) < goal;
  printResult(`mutation: ${name}`, scoreText(counted), isShort ? [`the goal is ${goal} %`] : []);
}

function scoreText(results: Results): string {
  const count = results.filter(({ status }) => isNoticed(status)).length;
  return `${scoreOf(results).toFixed(1)} % noticed: ${count} of ${results.length} changes`;
}

function scoreOf(results: Results): number {
  return (results.filter(({ status }) => isNoticed(status)).length / results.length) * 100;
}

function isNoticed(status: Results[number]['status']): boolean {
  return status === 'Killed' || status === 'Timeout';
}

/** What breaks already while it is loaded is neither. */
function isMissed(status: Results[number]['status']): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

/** The files among `places` and below them whose names fit, each once, in that order. */
function filesOf(places: readonly string[], fitting: RegExp): readonly string[] {
  const files = places.flatMap((place) => {
    if (fitting.test(place)) return [place];
    const below = readdirSync(place, { recursive: true }).map((file) => join(place, String(file)));
    return below.filter((file) => fitting.test(file)).sort();
  });
  return [...new Set(files)];
}
