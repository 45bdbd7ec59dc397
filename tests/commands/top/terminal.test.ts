/** `statusd top` on a real pseudo-terminal. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { samples } from '../../../src/db/tables/samples.ts';
import { startDaemon } from '../../support/daemon.ts';
import { assertGolden } from '../../support/golden.ts';
import { programText, startPty, type Pty } from '../../support/pty.ts';
import type { PtyScreen } from '../../support/pty-screen.ts';
import { realClock } from '../../support/real-clock.ts';
import { makeTopWorld, settledScreen, type TopWorld } from '../../support/top-world.ts';

let world: TopWorld;
/** For those who change something, which the others would see. */
let changing: TopWorld;
const open = new Set<Pty>();

before(async () => {
  world = await makeTopWorld();
  changing = await makeTopWorld();
});
after(async () => {
  await Promise.all([...open].map((pty) => pty.end()));
  world.remove();
  changing.remove();
});

interface Look {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
}

async function started({
  columns = 80,
  rows = 24,
  env = {},
  args = [],
  cwd = world.cwd,
}: Look = {}): Promise<Pty> {
  const pty = startPty(['top', ...args], { cwd, columns, rows, env });
  open.add(pty);
  await pty.until(shows('q quit'), 'the last line');
  await pty.until(shows('Mail relay'), 'the table');
  await pty.until(shows('LAST '), 'the last checks');
  await pty.until(shows('NO DAEMON'), 'whether a daemon runs');
  await wholeFrame(pty);
  return pty;
}

/** The last frame may have come in part: a part changes within moments, the clock once a second. */
async function wholeFrame({ screen }: Pty): Promise<void> {
  for (let shown = ''; shown !== screen.text(); ) {
    shown = screen.text();
    await pause(100);
  }
}

function shows(text: string): (screen: PtyScreen) => boolean {
  return (screen) => screen.modes().isAlternate && screen.text().includes(text);
}

/** The terminal is as it was: the settings of the line, the screen, the cursor, the wrapping. */
async function assertRestored(pty: Pty, exit: number): Promise<void> {
  await pty.until(({ outside }) => /exit:\d+ stty:\w+/.test(outside()), 'the end');
  await pty.ended;
  open.delete(pty);
  assert.match(pty.screen.outside(), new RegExp(`exit:${exit} stty:same`));
  assert.deepEqual(pty.screen.modes(), { isAlternate: false, hasCursor: true, wraps: true, hasMouse: false });
}

const looks: Readonly<Record<string, Look>> = {
  'no-colour-60': { columns: 60, env: { NO_COLOR: '1' } },
  'sixteen-80': { columns: 80, env: { TERM: 'xterm' } },
  'ascii-120': { columns: 120, rows: 30, env: { LANG: 'C' } },
  'colour-200': { columns: 200, rows: 40 },
};

describe('statusd top on a terminal', { concurrency: 2 }, () => {
  for (const [name, look] of Object.entries(looks)) {
    it(`draws the screen of ${name}`, async () => {
      const pty = await started(look);
      assertGolden(
        new URL(`golden/screen-${name}.txt`, import.meta.url),
        `${settledScreen(pty.screen.styled())}\n`,
      );
      pty.type('q');
      await assertRestored(pty, 0);
    });
  }

  it('goes where the keys say, and leaves the terminal as it was', async () => {
    const pty = await started();
    pty.type('\u001b[B\r');
    await pty.until(shows('Average latency of the last 24h'), 'the detail of the second monitor');
    assert.match(pty.screen.text(), /! degraded {2}Search/);
    pty.type('p');
    await pty.until(shows('✗ down  Public API'), 'the monitor before');
    pty.type('G');
    await pty.until(shows('The message arrived.'), 'why it alerted');
    pty.type('\u001b');
    await pty.until(shows('LAST 10'), 'the table again');
    pty.type('/kyoto');
    await pty.until(shows('Filter: kyoto_'), 'the filter');
    await pty.until((screen) => !screen.text().includes('Mail relay'), 'only what matches');
    pty.type('\r?');
    await pty.until(shows('one page down'), 'the help');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('silences the monitor under the cursor', async () => {
    const pty = await started({ cwd: changing.cwd });
    pty.type('m');
    await pty.until(shows('Silence api:'), 'the question for how long');
    pty.type('10m trying\r');
    await pty.until(shows('no alerts of api until'), 'what came of it');
    pty.type('m');
    await pty.until(shows('Silence api:'), 'the question for how long');
    pty.type('soon, the deploy\r');
    await pty.until(shows("the duration 'soon,' is not a duration"), 'what is wrong with it');
    assert.match(pty.screen.text(), /Silence api: soon, the deploy_/);
    // As it comes over a slow line: in one piece.
    pty.type('\u00151x\u007fm the deploy\r');
    await pty.until(shows('no alerts of api until'), 'what came of it');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('takes what is pasted for text, whatever its characters do as keys', async () => {
    const pty = await started({ cwd: changing.cwd });
    const paste = (text: string) => {
      pty.type(`\u001b[200~${text}\u001b[201~`);
    };
    paste('q\rm\u0003?');
    pty.type('/');
    await pty.until(shows('Filter: _'), 'the filter');
    paste('mail\r\nqq');
    await pty.until(shows('Filter: mail qq_'), 'one line of what was pasted');
    pty.type('\u001b');
    await pty.until(shows('q quit'), 'the keys again');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('acknowledges the incident of the monitor under the cursor, and takes that back', async () => {
    const pty = await started({ cwd: changing.cwd, columns: 120, rows: 30, env: { USER: 'ann' } });
    pty.type('A');
    await pty.until(shows('#1 Public API, down for'), 'which incident it is');
    assert.match(pty.screen.text(), /and with it: Search/);
    assert.match(pty.screen.text(), /Acknowledge: @ann _/);
    pty.type('restarting it\r');
    await pty.until(shows('Incident 1 (api) is acknowledged by ann: restarting it'), 'what came of it');
    await pty.until((screen) => /✗ {2}Public API .*ack by ann \d\d:\d\d/.test(screen.text()), 'its row');
    pty.type('A');
    await pty.until(shows('reminders go on'), 'the question');
    pty.type('\r');
    await pty.until(shows('is not acknowledged any more'), 'what came of it');
    await pty.until((screen) => !screen.text().includes('ack by ann'), 'its row without it');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('acknowledges on another server as on this one', async () => {
    const there = await makeTopWorld({ bind: '127.0.0.1:0' });
    const daemon = await startDaemon(there.cwd);
    try {
      const pty = startPty(['top', '--url', daemon.url], {
        cwd: there.cwd,
        columns: 120,
        rows: 30,
        env: { USER: 'ann', STATUSD_TOKEN: 'the-token-of-the-tests' },
      });
      open.add(pty);
      await pty.until(shows('Mail relay'), 'the table');
      await pty.until(shows('LAST '), 'the last checks');
      pty.type('A');
      await pty.until(shows('Acknowledge: @ann _'), 'the question');
      pty.type('on it\r');
      await pty.until(shows('acknowledged by ann'), 'what came of it');
      await pty.until((screen) => /✗ {2}Public API .*ack by ann/.test(screen.text()), 'its row');
      pty.type('q');
      await assertRestored(pty, 0);
    } finally {
      await daemon.end('SIGTERM');
      there.remove();
    }
  });

  it('writes only the lines that a key changes, and goes where the mouse points', async () => {
    const pty = await started({ columns: 100, rows: 40 });
    pty.screen.linesWritten();
    pty.type('\u001b[B');
    await pty.until((screen) => /^❯ ! {2}Search/m.test(screen.text()), 'the cursor one line down');
    // The clock may tick meanwhile, which changes the title and the two lines with a length.
    assert.ok(pty.screen.linesWritten() <= 5);
    assert.equal(pty.raw().split('\u001b[2J').length - 1, 2, 'the whole screen is erased on entering alone');
    assert.ok(pty.screen.modes().hasMouse);
    const line = pty.screen
      .text()
      .split('\n')
      .findIndex((text) => text.includes('Website'));
    pty.type(`\u001b[<0;8;${line + 1}M\u001b[<0;8;${line + 1}m`);
    await pty.until(
      (screen) => /^❯ .*Website/m.test(screen.text()),
      'the cursor on the row that was clicked',
    );
    pty.type('\u001b[<64;8;12M');
    await pty.until((screen) => /^❯ (?!.*Website)/m.test(screen.text()), 'the cursor further up');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('follows the size of the terminal', async () => {
    const pty = await started({ columns: 120, rows: 30 });
    const { tty } = await pty.place();
    execFileSync('stty', ['-F', tty, 'cols', '60', 'rows', '20']);
    await pty.until(
      (screen) =>
        screen
          .text()
          .split('\n')
          .every((line) => line.length <= 60),
      'no line over 60',
    );
    await pty.until((screen) => screen.text().split('\n')[19]?.includes('q quit') === true, 'the last line');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('shows at once what another process wrote, ends a banner after a question, and says that without a daemon nobody checks', async () => {
    const pty = await started({ args: ['--interval', '3600'], cwd: changing.cwd, columns: 100 });
    execFileSync(
      process.execPath,
      [...programText(['announce', 'From-elsewhere', '--offline']).split(' ').slice(1)],
      {
        cwd: changing.cwd,
      },
    );
    await pty.until(shows('From-elsewhere'), 'the banner');
    pty.type('B');
    await pty.until(shows('nobody will see any more: info: From-elsewhere'), 'the question');
    pty.type('\r');
    await pty.until(shows('Took down'), 'what came of it');
    // Without a daemon nobody can check a monitor now.
    pty.type('R');
    await pty.until(shows('api is not checked: no daemon is running'), 'why not');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('reads the last checks of the monitor that is open, also where it stands instead of the table', async () => {
    const pty = await started({ args: ['--interval', '1'], cwd: changing.cwd, columns: 100, rows: 40 });
    pty.type('/mail\r\r');
    await pty.until(shows('Mail relay  mail'), 'the detail');
    const stripOf = (screen: PtyScreen) => /Last \d+ checks?\n *(\S+)/.exec(screen.text())?.[1] ?? '';
    await pty.until((screen) => stripOf(screen) !== '', 'its last checks');
    assert.doesNotMatch(stripOf(pty.screen), /✗/);
    await changing.write(
      samples.add({
        monitor: 'mail',
        at: realClock.now(),
        status: 'down',
        latencyMs: null,
        holdSecs: 300,
        isHeartbeat: false,
        category: 'timeout',
        message: 'no answer',
      }),
    );
    await pty.until((screen) => stripOf(screen).endsWith('✗'), 'the check that failed');
    pty.type('q');
    await assertRestored(pty, 0);
  });

  it('gives the terminal back on SIGTERM and on Ctrl-C', async () => {
    const [terminated, typed] = await Promise.all([started(), started()]);
    const { pid } = await terminated.place();
    process.kill(pid, 'SIGTERM');
    typed.type('\u0003');
    await assertRestored(terminated, 130);
    await assertRestored(typed, 130);
  });

  it('gives the terminal back when the program crashes, and says so', async () => {
    const crash = `data:text/javascript,process.on('SIGUSR2',()=>{throw(new(Error)('boom'))})`;
    const pty = await started({ env: { NODE_OPTIONS: `--import=${crash}` } });
    const { pid } = await pty.place();
    process.kill(pid, 'SIGUSR2');
    await assertRestored(pty, 1);
    assert.match(pty.screen.outside(), /something unexpected went wrong: boom/);
  });

  it('stops with Ctrl-Z and goes on with fg', async () => {
    const shell = 'sh -i';
    const pty = startPty([], {
      cwd: world.cwd,
      columns: 80,
      rows: 24,
      shell,
      env: { PS1: 'ready>', ENV: '' },
    });
    open.add(pty);
    const settings = async (name: string) => {
      pty.type(`echo ${name}=$(stty -g)=\r`);
      const notified = new RegExp(`${name}=([\\w:]+)=`);
      await pty.until(({ outside }) => notified.test(outside()), 'the settings of the line');
      await prompted();
      return notified.exec(pty.screen.outside())?.[1];
    };
    const prompted = () => pty.until(({ outside }) => outside().endsWith('ready>'), 'the prompt');
    await prompted();
    const before = await settings('before');
    pty.type(`${programText(['top'])}\r`);
    await pty.until(shows('Mail relay'), 'the table');
    pty.type('\u001a');
    await pty.until(
      ({ modes, outside }) => !modes().isAlternate && outside().includes('Stopped'),
      'the shell',
    );
    assert.deepEqual(pty.screen.modes(), {
      isAlternate: false,
      hasCursor: true,
      wraps: true,
      hasMouse: false,
    });
    await prompted();
    assert.equal(await settings('stopped'), before);
    pty.type('fg\r');
    await pty.until(shows('Mail relay'), 'the table again');
    pty.type('?');
    await pty.until(shows('one page down'), 'that keys are heard again');
    pty.type('q');
    // What is typed before the shell asks would still be heard by the program.
    await pty.until(({ modes }) => !modes().isAlternate, 'the shell again');
    await prompted();
    assert.equal(await settings('after'), before);
    assert.deepEqual(pty.screen.modes(), {
      isAlternate: false,
      hasCursor: true,
      wraps: true,
      hasMouse: false,
    });
  });
});
