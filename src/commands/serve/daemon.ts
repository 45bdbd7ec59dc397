/** Puts the daemon together: the store, the engine on it, the messages and the pages of both. */
import { randomBytes, randomUUID } from 'node:crypto';
import { checkpointEntry, inThread } from '../../db/wal/checkpoint/thread.ts';
import { nodeFiles } from '../../db/store/files/node.ts';
import { systemProcesses } from '../../db/store/lock/processes.ts';
import { schema } from '../../db/tables/schema/schema.ts';
import type { Store } from '../../db/store/store.ts';
import { openStore } from '../../db/store/open-store.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { StatusdError } from '../../engine/core/errors.ts';
import { paced, yieldToEventLoop } from '../../engine/core/yielding.ts';
import type { Log } from '../../engine/core/log.ts';
import type { Engine, EngineChanges } from '../../engine/monitoring/engine.ts';
import { createEngine } from '../../engine/monitoring/create-engine.ts';
import { createDigest } from '../../notify/digest/digest.ts';
import { createPipeline } from '../../notify/delivery.ts';
import { createMailer, type MailerOptions } from '../../notify/subscribers/mailer.ts';
import { sendToReader } from '../../notify/channels/reader-mail.ts';
import { discreetly } from '../../engine/peers/confirmation/ask.ts';
import { type Http, reserveAddress, startHttp } from '../../serve/http.ts';
import { createReaderMails } from '../../serve/mails/reader-mails.ts';
import type { Context } from '../context.ts';
import { refuseHeldDatabase } from '../daemon-of-database.ts';
import { recordRunning } from '../plan/record.ts';
import { version } from '../version.ts';
import { reasonOf, storeEntry } from './opening.ts';
import { type StoppablePart, stopParts } from './ending.ts';
import { setMaxListeners } from 'node:events';
import type { Redact } from '../../engine/config/redact.ts';
import type { CheckResult } from '../../engine/core/probe.ts';
import { check } from '../../engine/probes/check.ts';
import { createDomainProbe, type DomainExpiry } from '../../engine/probes/domain.ts';
import type { PeerClients } from '../../engine/peers/client/clients.ts';
import { createPeerClients } from '../../engine/peers/client/create-clients.ts';
import { loadProbes, type ProbedMonitor } from '../../engine/probes/probe.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import { createDeliver, type Deliver } from '../../notify/channels/deliver.ts';
import { probeTools } from '../outside.ts';

export interface DaemonOptions {
  readonly loaded: LoadedConfig;
  readonly log: Log;
  readonly context: Pick<Context, 'clock' | 'env'>;
}

export interface Daemon {
  /** Where it listens, as a URL. */
  readonly url: string;
  readonly engine: Engine;
  /** The configuration it runs on. */
  readonly loaded: () => LoadedConfig;
  /** Runs on this configuration from now on. */
  readonly reload: (loaded: LoadedConfig) => Promise<EngineChanges>;
  /** Whether the schedule has made progress since this was last asked. */
  readonly hasProgressed: () => boolean;
  /** Resolves when another daemon took the database. */
  readonly lost: Promise<StatusdError>;
  /** Ends everything within five seconds. Never rejects. */
  readonly stop: () => Promise<void>;
}

/** Rejects with what is in the way: `store_in_use`, `store_unusable`, an address that is taken. Nothing stays behind. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { log, context } = options;
  const { clock } = context;
  const parts: StoppablePart[] = [];
  const stop = () => stopParts(parts, { clock, log });
  try {
    return await start(options, { parts, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Stopping {
  /** What has been started, the last one first. */
  readonly parts: StoppablePart[];
  readonly stop: () => Promise<void>;
}

async function start(options: DaemonOptions, { parts, stop }: Stopping): Promise<Daemon> {
  const { log, context } = options;
  const { clock } = context;
  let current = options.loaded;
  const loaded = () => current;
  const newRequestId = () => randomUUID();
  // First of all: who cannot be reached checks nothing and leaves nothing behind.
  const reserved = await reserveAddress({ loaded, clock, newRequestId }).catch(async (error: unknown) => {
    await refuseHeldDatabase(current.config);
    throw error;
  });
  parts.unshift({ name: 'the address', stop: () => reserved.stop(0), patienceMs: 300 });
  const store = await openDatabase(current, context);
  parts.unshift({ name: 'the database', stop: store.close, patienceMs: 2500 });
  log(storeEntry(current.config.server.database_path));
  watchStore(store, log);

  const { check, lookUpDomain, peerClients, deliver, mailReader } = probeEnvironment(context, (text) =>
    current.redact(text),
  );
  let isMoving = false;
  const engine = await createEngine({
    loaded: current,
    store,
    clock,
    log,
    check,
    lookUpDomain,
    peerClients,
    onProgress: () => {
      isMoving = true;
    },
    newUid: () => randomBytes(8).toString('hex'),
  });
  parts.unshift({ name: 'the engine', stop: engine.stop, patienceMs: 700 });

  const pipeline = createPipeline({
    config: () => current.config,
    store: engine.store,
    clock: engine.clock,
    log,
    engine,
    askPeer: discreetly(peerClients.askVerdict, (text) => current.redact(text)),
    deliver,
  });
  parts.unshift({ name: 'the pipeline', stop: pipeline.stop, patienceMs: 600 });
  const digest = await createDigest({
    config: () => current.config,
    store,
    clock: engine.trustedClock,
    log,
  });
  parts.unshift({ name: 'the digest', stop: digest.stop, patienceMs: 300 });

  const mailer = createMailer({
    config: () => current.config,
    store: engine.store,
    clock: engine.clock,
    log,
    mails: createReaderMails({
      loaded,
      sql: engine.store.sql,
      now: engine.clock.now,
      stateOf: engine.stateOf,
    }),
    send: mailReader,
  });
  parts.unshift({ name: 'the mails to readers', stop: mailer.stop, patienceMs: 500 });

  const http = await startHttp({
    loaded,
    store: engine.store,
    clock: engine.clock,
    log,
    version: version(),
    engine,
    probe: (monitor, signal) => check(monitor, { signal, redact: current.redact }),
    newRequestId,
    reserved,
  });
  parts.unshift({ name: 'the server', stop: () => http.stop(500), patienceMs: 700 });

  const started = current.config;
  const recordCurrent = () =>
    recordRunning(store, { ...current, started, yieldTurn: paced(clock.monotonic) }, clock.now());
  /** What nobody waits for who waits for a daemon to be ready. */
  const afterwards = async () => {
    await yieldToEventLoop();
    await recordCurrent();
    // A later reload may bring one in when no file can be opened any more.
    await loadProbes(['http', 'tcp', 'icmp', 'dns', 'exec']);
  };
  const settled = afterwards().catch((error: unknown) => {
    log({
      level: 'error',
      event: 'daemon.fault',
      message: `The start was not completed: ${reasonOf(error)}`,
    });
  });
  parts.unshift({ name: 'the start', stop: () => settled, patienceMs: 300 });

  return {
    url: urlOf(http.address),
    engine,
    loaded,
    lost: store.lost,
    stop,
    hasProgressed: () => {
      const was = isMoving;
      isMoving = false;
      return was;
    },
    reload: async (next) => {
      const changes = await engine.reload(next);
      current = next;
      pipeline.reload();
      digest.reload();
      mailer.reload();
      await settled;
      await recordCurrent();
      return changes;
    },
  };
}

function openDatabase({ config }: LoadedConfig, { clock }: Pick<Context, 'clock'>): Promise<Store> {
  return openStore({
    role: 'daemon',
    file: config.server.database_path,
    schema,
    files: nodeFiles,
    clock,
    processes: systemProcesses,
    build: inThread(checkpointEntry),
  });
}

/** Nobody can connect to the addresses that stand for all of the host; loopback is one of them. */
const reachable: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

function urlOf({ host, port }: Http['address']): string {
  return `http://${reachable[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}/`;
}

interface How {
  readonly signal: AbortSignal;
  readonly redact: Redact;
}

/** What the daemon reaches the outside with: the real network, clock and plugins. */
interface ProbeEnvironment {
  readonly check: (monitor: ProbedMonitor, how: How) => Promise<CheckResult>;
  readonly lookUpDomain: (domain: string, how: How) => Promise<DomainExpiry>;
  readonly peerClients: PeerClients;
  /** Takes a message to a channel, with the secrets of the configuration of that moment masked. */
  readonly deliver: Deliver;
  readonly mailReader: MailerOptions['send'];
}

function probeEnvironment(context: Pick<Context, 'clock' | 'env'>, redact: Redact): ProbeEnvironment {
  const tools = probeTools(context);
  const askRegistry = createDomainProbe();
  const contextOf = ({ signal, redact }: How): ProbeContext => {
    // Many probes may listen to one signal; Node takes more than ten listeners for a leak.
    setMaxListeners(0, signal);
    return { ...tools, signal, redact };
  };
  return {
    check: (monitor, how) => check(monitor, contextOf(how)),
    lookUpDomain: (domain, how) => askRegistry(domain, contextOf(how)),
    peerClients: createPeerClients(tools),
    deliver: createDeliver({ ...tools, redact }),
    mailReader: (mail, channel, signal) => sendToReader(mail, channel, { ...tools, redact, signal }),
  };
}

/** What was found when opening, and after that whatever the files come to show. */
function watchStore(store: Pick<Store, 'warnings' | 'onChange'>, log: Log): void {
  let notified = 0;
  const report = () => {
    const warnings = store.warnings();
    for (const { file, message } of warnings.slice(notified)) {
      log({ level: 'warning', event: 'store.warning', message, fields: { file } });
    }
    notified = warnings.length;
  };
  report();
  store.onChange(report);
}
