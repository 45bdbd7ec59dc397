/** Test files that exist only here, and what came of them. */
import { sentence } from '../../../src/engine/config/problem.ts';
import { loadTestFile } from '../../../src/commands/test/format/load.ts';
import type { Test, TestFile } from '../../../src/commands/test/format/test-file.ts';
import { judge } from '../../../src/commands/test/judge.ts';
import { openMemoryStore } from '../../../src/commands/test/runner/memory-store.ts';
import { runTest } from '../../../src/commands/test/runner/run-test.ts';
import type { PlayedTest } from '../../../src/commands/test/runner/test-run.ts';
import { notifiedText } from '../../../src/commands/test/timeline.ts';
import { offsetText } from '../../../src/commands/test/format/times.ts';
import { fakeFiles } from '../../support/config.ts';

export const base = `
[alerts]
fail_threshold = 3
group_window_secs = 30
[[channels]]
name = "ops"
type = "ntfy"
url = "https://ntfy.example.com/ops"
[[monitors]]
id = "db"
kind = "tcp"
target = "db.example.com:5432"
[[monitors]]
id = "api"
target = "https://api.example.com/"
degraded_over_ms = 500
depends_on = ["db"]
`;

type Files = Readonly<Record<string, string | Uint8Array>>;

interface World {
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  readonly configFile?: string | null;
}

/** Loads `text` as /etc/alerts.toml. */
export function loadText(text: string, { files = {}, env = {}, configFile = null }: World = {}) {
  const readFile = fakeFiles({ ...files, '/etc/alerts.toml': text });
  return loadTestFile('alerts.toml', { cwd: '/etc', env, readFile, configFile });
}

export async function fileOf(text: string, world: World = {}): Promise<TestFile> {
  const loaded = await loadText(text, world);
  if ('tests' in loaded) return loaded;
  throw new Error(loaded.problems.map(sentence).join('\n'));
}

/** What is wrong with a file: `line:column sentence`. */
export async function problemsOf(text: string, world: World = {}) {
  const loaded = await loadText(text, world);
  if ('tests' in loaded) throw new Error('the file loaded, but should not have');
  return loaded.problems.map((problem) => `${problem.line}:${problem.column} ${sentence(problem)}`);
}

let store: ReturnType<typeof openMemoryStore> | null = null;

/** Plays a test in a database that all of them share. */
export async function played(test: Test): Promise<PlayedTest> {
  store ??= openMemoryStore();
  return runTest(test, await store);
}

export async function verdictOf(test: Test) {
  return judge(test, await played(test));
}

/** What is told in the only test of a file: `2m30s ops: down api`. */
export async function notifiedIn(text: string): Promise<readonly string[]> {
  const [test] = (await fileOf(text)).tests;
  if (test === undefined) throw new Error('the file has no test');
  return (await played(test)).notified.map(
    (notified) => `${offsetText(notified.atMs)} ${notifiedText(notified)}`,
  );
}
