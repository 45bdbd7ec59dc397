/** A household in which everybody says hostile things: targets, jobs, producers, peers, channels and the operator. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Operation } from '../../src/db/store/operation.ts';
import type { SqlReader } from '../../src/db/store/sql.ts';
import { announcements } from '../../src/db/tables/announcements.ts';
import { certificates } from '../../src/db/tables/certificates.ts';
import { channels } from '../../src/db/tables/channels.ts';
import { decisions } from '../../src/db/tables/decisions.ts';
import { domains } from '../../src/db/tables/domains.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { monitors } from '../../src/db/tables/monitors.ts';
import { outbox } from '../../src/db/tables/outbox.ts';
import { peers } from '../../src/db/tables/peers.ts';
import { samples } from '../../src/db/tables/samples.ts';
import { silences } from '../../src/db/tables/silences.ts';
import { startDaemon, until, type Daemon } from './daemon.ts';
import { startPeer } from './fake-peer.ts';
import { hostileConfig, jobs, names, operatorToken, pushToken } from './hostile-config.ts';
import { startHostileServers, type HostileServers } from './hostile-servers.ts';
import { barrage, volleys } from './hostile-text.ts';
import { realClock } from './real-clock.ts';
import { makeFolder } from './tiny-store.ts';
import { openRealStore } from './real-store.ts';

export interface HostileWorld {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly servers: HostileServers;
  readonly write: (name: string, content: string | Uint8Array) => void;
  /** What the daemon wrote while all that happened to it. */
  readonly log: string;
  readonly remove: () => Promise<void>;
}

export async function makeHostileWorld(): Promise<HostileWorld> {
  const folder = makeFolder();
  const servers = await startHostileServers(folder.path);
  const down = { status: 200, body: { up: false, status: 'down', latency_ms: 1, error: barrage('seen') } };
  const odd = { status: 200, body: { up: barrage('up'), status: barrage('status'), error: barrage('seen') } };
  const others = await Promise.all([
    startPeer({ id: barrage('id'), answer: () => down }),
    startPeer({ id: 'peer1', answer: () => odd }),
  ]);
  writeFileSync(folder.at('statusd.toml'), hostileConfig(servers, others));
  mkdirSync(folder.at('plugins'));
  const said = barrage('said').replaceAll('\0', '');
  writeFileSync(folder.at('said.txt'), `${said}|'${said}'=1;2;3\n${said}\n`);
  writeFileSync(
    folder.at('plugins/say'),
    `#!/bin/sh\ncat "${folder.at('said.txt')}"\nprintf '\\233\\000'\nexit 2\n`,
    {
      mode: 0o755,
    },
  );
  const env = { STATUSD_EXEC_DIR: folder.at('plugins') };
  const file = folder.at('statusd.db');
  await change(file, () => past());
  const log = await live(folder.path, { env, servers });
  await change(file, leftovers);
  return {
    cwd: folder.path,
    env,
    servers,
    write: (name, content) => {
      mkdirSync(dirname(folder.at(name)), { recursive: true });
      writeFileSync(folder.at(name), content);
    },
    log,
    remove: async () => {
      await Promise.all([servers, ...others].map((one) => one.close()));
      folder.remove();
    },
  };
}

/** As a daemon that ends politely: whoever opens the database next finds a snapshot, and no log to replay. */
async function change(file: string, made: (sql: SqlReader) => readonly Operation[]): Promise<void> {
  const store = await openRealStore(file, { role: 'daemon' });
  await store.write(made(store.sql));
  await store.close();
}

/** A week of a job, with an hour of failures a day, so that there is something to look back at. */
function past(): Operation[] {
  const everyMs = 300_000;
  const now = realClock.now();
  const from = Math.floor((now - 8 * 86_400_000) / everyMs) * everyMs;
  const history = Array.from({ length: Math.floor((now - 3_600_000 - from) / everyMs) }, (_, index) => ({
    at: from + index * everyMs,
    status: index % 288 < 12 || index % 50 === 0 ? ('down' as const) : ('up' as const),
    latencyMs: 40 + (index % 30),
    holdSecs: 300,
    isHeartbeat: true,
  }));
  return jobs.flatMap((id, index) => [
    monitors.see({ id, name: names[index] ?? id, at: from }),
    ...samples.addHistory(id, history),
  ]);
}

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly servers: HostileServers;
}

/** Lets the daemon probe, and tells it everything that can be told over HTTP. Answers its log. */
async function live(cwd: string, { env, servers }: Surroundings): Promise<string> {
  const daemon = await startDaemon(cwd, { env });
  try {
    await reportAll(daemon);
    const probed = async () => {
      const summary = await readSummary(daemon);
      return !summary.includes('"status":"unknown"') && summary;
    };
    servers.serveSummary(spoilt(await until(probed, () => 'not everything was probed')));
  } finally {
    await daemon.end('SIGTERM');
  }
  const { stdout, stderr } = await daemon.exited;
  return stdout + stderr;
}

async function reportAll(daemon: Daemon): Promise<void> {
  const report = reporter(daemon);
  for (const [index, text] of volleys('heartbeat', 240).entries()) {
    const query = new URLSearchParams({ status: 'down', msg: text });
    await report(`api/push/${jobs[index % jobs.length] ?? ''}?${query.toString()}`, { token: pushToken });
  }
  for (const text of volleys('produced', 190)) {
    const body = JSON.stringify({
      title: text,
      message: barrage('message'),
      dedup_key: text,
      tags: { [text]: text },
    });
    await report(`api/monitors/job/alert`, { token: pushToken, body });
  }
  for (const text of volleys('banner', 190)) {
    const query = new URLSearchParams({ title: text, body: barrage('below').slice(0, 1500) });
    await report(`api/announce?${query.toString()}`, { token: operatorToken });
  }
  for (const text of volleys('quiet', 480)) {
    const query = new URLSearchParams({ monitors: 'job-3', duration: '1h', reason: text });
    await report(`api/silence?${query.toString()}`, { token: operatorToken });
  }
  await report(
    `api/push/peer0?${new URLSearchParams({ status: 'degraded', msg: barrage('peer').slice(0, 400) }).toString()}`,
    {
      token: pushToken,
    },
  );
}

function reporter({ url }: Daemon) {
  return async (
    path: string,
    { token, body = null }: { readonly token: string; readonly body?: string | null },
  ) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'x-push-token': token,
      'content-type': 'application/json',
    };
    const answer = await fetch(url + path, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
}

async function readSummary({ url }: Daemon): Promise<string> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  return (await fetch(`${url}api/summary`, { headers })).text();
}

/** The same document with hostile texts for all that is no number, date or status. */
function spoilt(text: string): string {
  const spoil = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => spoil(one, key));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoil(one, name)]));
    }
    const isWord = /^(?:status|overall|state|severity|kind|date|.*(?:_at|at|until|checked|start|end))$/.test(
      key,
    );
    return typeof value === 'string' && !isWord ? `${value} ${barrage(`remote-${key}`)}` : value;
  };
  return JSON.stringify(spoil(JSON.parse(text), ''));
}

/** What an earlier version, or another program, may have left in the database as it was. */
function leftovers(sql: SqlReader): Operation[] {
  const now = realClock.now();
  const all = barrage('stored').slice(0, 3900);
  const raw = volleys('stored', 190);
  return [
    ...incidents
      .list(sql, { limit: 100 })
      .incidents.map(({ uid }) => incidents.annotate({ uid, note: all, at: now })),
    ...raw.flatMap((text, index) => {
      const id = `old${index}`;
      const at = now - 7_200_000;
      return [
        monitors.see({ id, name: text, at }),
        incidents.open({
          uid: `uid${index}`,
          monitor: id,
          name: text,
          startedAt: at,
          confirmedAt: at,
          category: 'connection',
          reason: text,
          cause: text,
          impacted: [],
          snapshot: { statusLine: text, headers: [[text, text]], body: all },
          vantage: [{ peer: text, verdict: 'up', error: text }],
        }),
        decisions.log({
          at,
          monitor: id,
          incident: `uid${index}`,
          channel: text,
          event: 'down',
          verdict: 'told',
          reason: 'delivered',
          detail: all,
        }),
        channels.failed({ channel: text, at, error: all }),
        announcements.add({ title: text, body: all, severity: 'info', untilAt: null, createdAt: now }),
        silences.add({ monitors: null, untilAt: now + 3_600_000, reason: text, createdAt: now }),
        outbox.put({
          deliveryId: `delivery${index}`,
          channel: text,
          event: text.slice(0, 60),
          monitor: id,
          incident: `uid${index}`,
          payload: { name: text, message: text },
          createdAt: at,
          nextAt: at,
        }),
        outbox.failed({ deliveryId: `delivery${index}`, at, error: all, nextAt: null }),
      ];
    }),
    ...jobs.flatMap((id) => [
      certificates.see({
        monitor: id,
        subject: all,
        issuer: all,
        validFromAt: now,
        validToAt: now + 1000,
        spkiSha256: 'a'.repeat(64),
        isTrusted: false,
        at: now,
      }),
      domains.see({ monitor: id, domain: all.slice(0, 200), expiresAt: now + 1000, error: all, at: now }),
      peers.saveVerdict({
        peer: 'peer1',
        monitor: id,
        at: now,
        status: 'down',
        latencyMs: 1,
        error: all,
        skewMs: 1,
      }),
    ]),
  ];
}
