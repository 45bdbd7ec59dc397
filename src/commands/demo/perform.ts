/** Runs `demo`: a world on loopback, and the daemon that watches it. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../engine/config/load.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit.ts';
import { openLog, type LogWish } from '../serve/open-log.ts';
import { runDaemon } from '../serve/run-daemon.ts';
import { configText } from './config-text.ts';
import { freePort } from './free-port.ts';
import { runJob } from './job.ts';
import { startPhone } from './phone.ts';
import { playStory } from './story.ts';
import { allWell } from './switches.ts';
import { startWorld } from './world.ts';

export interface DemoRun extends LogWish {
  readonly isDebug: boolean;
}

const usualPort = 8787;

export async function performDemo(run: DemoRun, context: Context): Promise<ExitCode> {
  const log = openLog(run, context, (text) => text);
  const folder = await mkdtemp(join(tmpdir(), 'statusd-demo-'));
  try {
    return await playIn(folder, { run, context, log });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Stage {
  readonly run: DemoRun;
  readonly context: Context;
  readonly log: Log;
}

async function playIn(folder: string, { run, context, log }: Stage): Promise<ExitCode> {
  const { clock, env } = context;
  const isUnderNpm = env['npm_execpath'] !== undefined;
  const switches = allWell();
  const world = await startWorld(switches);
  const phone = await startPhone((text) => {
    log({ level: 'warning', event: 'demo.told', message: `the phone rings: ${text}` });
  });
  const token = randomUUID();
  const bind = `127.0.0.1:${await freePort(usualPort)}`;
  const places = { ports: world.ports, bind, phonePort: phone.port, jobToken: token };
  const file = join(folder, 'statusd.toml');
  await writeFile(file, configText(places), { mode: 0o600 });
  const say = (message: string) => {
    log({ level: 'info', event: 'demo.scene', message });
  };
  try {
    return await runDaemon({
      // What the environment says is about another daemon.
      loaded: await loadConfig(file, { env: {}, readFile: readSmallFile }),
      log,
      context: { ...context, env: { PATH: env['PATH'] } },
      isDebug: run.isDebug,
      onReady: ({ url }, signal) => {
        say(`open ${url} in a browser, or: curl ${url}`);
        const program = isUnderNpm ? 'npx statusd' : 'statusd';
        say(`in another terminal: ${program} top -c ${file}`);
        say('check, incidents and report in the place of top show it too');
        say('Ctrl-C ends it');
        void runJob({ clock, switches, url, token, signal });
        void playStory({ clock, change: world.change, say, signal });
      },
    });
  } finally {
    world.close();
    phone.close();
  }
}
