import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allCommands } from '../../src/commands/all.ts';
import { startCli, type CliResult } from '../support/cli.ts';
import { awkwardTexts, hostileTexts } from '../support/hostile-text.ts';
import { makeHostileWorld, type HostileWorld } from '../support/hostile-world.ts';
import { startPty } from '../support/pty.ts';
import { runHere } from '../support/operator-world.ts';
import { offencesOf } from '../support/terminal-text.ts';
import { cases, type Case, type Mode } from './hostile-cases.ts';
import { writeHostileFiles } from './hostile-files.ts';

const columns = 80;

/** Those that draw on stderr how far they are, and what that line says. */
const progress: readonly (readonly [line: string, shows: RegExp])[] = [
  ['check', /\d+\/\d+.*name/],
  ['import kuma --history past.db', /\d+\/\d+ /],
  ['import hora hora.db', /\d+\/\d+ /],
];

describe('a corpus of hostile texts', () => {
  let world: HostileWorld;
  before(async () => {
    world = await makeHostileWorld();
    await writeHostileFiles(world);
  });
  after(() => world.remove());

  it('is recognised, each text on its own', () => {
    for (const [deed, text] of Object.entries(hostileTexts)) {
      const isForgery = deed === 'forges a line';
      assert.notDeepEqual(offencesOf(text, { isColoured: true }), [], isForgery ? 'a line break' : deed);
    }
    assert.notDeepEqual(offencesOf(awkwardTexts['half a pair'] ?? ''), []);
    assert.notDeepEqual(offencesOf(awkwardTexts['very long and wide'] ?? '', { columns }), []);
    assert.notDeepEqual(offencesOf('\u001b[31mred', { isColoured: true }), []);
    assert.notDeepEqual(offencesOf('\u001b[31mred\u001b[39m'), []);
    assert.deepEqual(offencesOf('\u001b[31m✗ 京都 👍🏽\u001b[39m\n', { isColoured: true, columns: 10 }), []);
  });

  it('goes through every command there is', () => {
    const tried = new Set(cases.map(({ command }) => command));
    const known = new Set(allCommands.flatMap(({ paths = [] }) => paths.map((words) => words.join(' '))));
    assert.deepEqual([...tried].toSorted(), [...known].toSorted());
  });

  it('leaves nothing in the log of the daemon that was sent it', () => {
    assert.match(world.log, /answered/);
    assert.deepEqual(offencesOf(world.log), []);
  });

  describe('leaves the terminal unchanged', { concurrency: 3 }, () => {
    let number = 0;
    for (const one of cases) {
      for (const mode of one.modes ?? (['pipe', 'terminal', 'json'] as const)) {
        number += 1;
        const title = [one.command, ...(one.args ?? [])].join(' ').slice(0, 40);
        const nth = String(number);
        it(`${mode}: ${JSON.stringify(title)}`, async () => {
          judge(await ranThrough({ ...one, args: argsOf(one, nth) }, mode, world), one, mode);
        });
      }
    }
    for (const [line, shows] of progress) {
      it(`while \`${line}\` shows how far it is`, async () => {
        const text = await onTerminal(line, world);
        const drawn = [...text.matchAll(overwritten)].map(([, inner = '']) => inner);
        assert.match(drawn.join('\n'), shows, text.slice(-2000));
        const wide = { isColoured: true, columns: columns - 1 };
        assert.deepEqual(offencesOf(drawn.join('\n'), wide), [], 'what is written over');
        assert.deepEqual(offencesOf(text.replace(overwritten, ''), { isColoured: true }), []);
        assert.match(text, /exit:\d+ stty:same/);
      });
    }
    const argsOf = ({ args = [] }: Case, nth: string) =>
      args.map((word) => word.replace('%n', nth).replace('%web', world.servers.web.origin));
  });
});

/** A line that is written over: what is erased with it need not be looked at, but it must be one line. */
const overwritten = /\r(?!\n)([^\r\n]*?)\u001b\[K/g;

/** On a real terminal, which shows what goes to stderr while a command works. */
async function onTerminal(line: string, { cwd, env }: HostileWorld): Promise<string> {
  const pty = startPty(line.split(' '), { cwd, columns, rows: 50, env });
  try {
    await pty.ended;
    return pty.raw().replaceAll('\r\n', '\n');
  } finally {
    await pty.end();
  }
}

function ranThrough(one: Case, mode: Mode, { cwd, env: given }: HostileWorld): Promise<CliResult> {
  const args = [...one.command.split(' '), ...(one.args ?? []), ...(mode === 'json' ? ['--json'] : [])];
  const env = mode === 'pipe' ? { ...given, FORCE_COLOR: '1' } : given;
  if (one.until !== undefined) return stoppedAfter(one.until, args, { cwd, env });
  return runHere(args, { cwd, env, columns: mode === 'terminal' ? columns : null });
}

async function stoppedAfter(
  seen: RegExp,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<CliResult> {
  const { child, exited } = startCli(args, place);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (seen.test(text)) child.kill('SIGTERM');
  });
  return exited;
}

function judge({ code, stdout, stderr }: CliResult, one: Case, mode: Mode): void {
  const isColoured = mode !== 'json';
  const width = mode === 'terminal' && one.isFitted === true ? columns : null;
  assert.deepEqual(offencesOf(stdout, { isColoured, columns: width }), [], 'stdout');
  assert.deepEqual(offencesOf(stderr, { isColoured }), [], 'stderr');
  assert.doesNotMatch(stderr, /something unexpected/);
  assert.notEqual(code, null);
  if (mode === 'json') {
    if (stdout !== '') JSON.parse(stdout);
    return;
  }
  assert.match(stdout + stderr, one.shows);
  // An XML text and a configuration may have lines of their own.
  if (!/^</.test(stdout)) assert.doesNotMatch(stdout + stderr, /^FAKE/m, 'a text made a line of its own');
}
