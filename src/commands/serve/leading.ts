/** Everything that runs on a store this process writes: engine, notifications, HTTP. */
import { randomBytes } from 'node:crypto';
import type { Store } from '../../db/store/store.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Redact } from '../../engine/config/redact.ts';
import type { Clock } from '../../engine/core/clock.ts';
import type { Log } from '../../engine/core/log.ts';
import { paced, yieldToEventLoop } from '../../engine/core/yielding.ts';
import { createEngine } from '../../engine/monitoring/create-engine.ts';
import type { Engine, EngineChanges, EngineOptions } from '../../engine/monitoring/engine.ts';
import type { CheckMonitor } from '../../engine/monitoring/prober.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import type { PeerClients } from '../../engine/peers/client/clients.ts';
import { createPeerClients } from '../../engine/peers/client/create-clients.ts';
import { discreetly } from '../../engine/peers/confirmation/ask.ts';
import { check } from '../../engine/probes/check.ts';
import { createDomainProbe, type DomainExpiry } from '../../engine/probes/domain.ts';
import { loadProbes, probeKinds } from '../../engine/probes/probe.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import type { ChannelOf } from '../../notify/channels/channel.ts';
import { createDeliver, type Deliver } from '../../notify/channels/deliver.ts';
import { sendToReader } from '../../notify/channels/reader-mail.ts';
import { createPipeline } from '../../notify/delivery.ts';
import { createDigest } from '../../notify/digest/digest.ts';
import { createOutputs, type Outputs } from '../../notify/outputs/outputs.ts';
import { createAlertsFirst } from '../../notify/subscribers/alerts-first.ts';
import { createMailer, type MailerOptions } from '../../notify/subscribers/mailer.ts';
import { type HttpOptions, startHttp } from '../../serve/http.ts';
import { createReaderMails } from '../../serve/mails/reader-mails.ts';
import type { Context } from '../context.ts';
import { type ProbeTools, probeTools } from '../outside.ts';
import { recordRunning } from '../plan/record.ts';
import { version } from '../version.ts';
import type { StoppablePart } from './ending.ts';
import { reasonOf } from './opening.ts';

export interface LeadingOptions
  extends Pick<HttpOptions, 'newRequestId' | 'standing' | 'answerNode' | 'nodeChecks'> {
  /** The configuration of the moment. */
  readonly loaded: () => LoadedConfig;
  readonly reserved: NonNullable<HttpOptions['reserved']>;
  readonly store: Store;
  /** The clock that what is stored is measured on. */
  readonly clock: Clock;
  readonly log: Log;
  readonly context: Pick<Context, 'clock' | 'env'>;
  /** What has been started, the last one first. */
  readonly parts: StoppablePart[];
  /** See EngineOptions. */
  readonly isStandIn?: () => boolean;
  readonly refusedSinceAt?: number | null;
  /** Resolves when a message may be sent, or `signal` is aborted. */
  readonly untilTrusted: (signal: AbortSignal) => Promise<void>;
  /** Has checks made by more than this process, given what makes them here; absent: all are made here. */
  readonly dispatch?: (here: { readonly check: CheckMonitor; readonly trust: Trust }) => Dispatched;
}

/** Checks that more than this process makes. */
export interface Dispatched extends Pick<EngineOptions, 'check' | 'ownReachability'> {
  /** A message could not be sent, which may be the fault of this node's network. */
  readonly noteUnsent?: () => void;
}

export interface Leading extends Pick<Engine, 'stateOf'> {
  /** Runs on this configuration, which is the one of the moment by then. */
  readonly reload: (next: LoadedConfig, adopt: () => void) => Promise<EngineChanges>;
  /** Whether the schedule has made progress since this was last asked. */
  readonly hasProgressed: () => boolean;
}

/** Starts everything; what was started is among `parts` also when it rejects. */
export async function startLeading(options: LeadingOptions): Promise<Leading> {
  const { loaded, reserved, store, clock, log, context, parts, newRequestId, untilTrusted } = options;
  const { isStandIn = () => false, refusedSinceAt = null } = options;
  const redact = (text: string) => loaded().redact(text);
  const environment = probeEnvironment(context, { loaded, untilTrusted });
  const { tools, lookUpDomain, peerClients, deliver, mailReader } = environment;
  const { noteUnsent, ...dispatched }: Dispatched = options.dispatch?.(environment) ?? {
    check: environment.check,
  };
  let isMoving = false;
  const engine = await createEngine({
    loaded: loaded(),
    store,
    clock,
    log,
    ...dispatched,
    isStandIn,
    refusedSinceAt,
    lookUpDomain,
    peerClients,
    onProgress: () => {
      isMoving = true;
    },
    newUid: () => randomBytes(8).toString('hex'),
  });
  parts.unshift({ name: 'the engine', stop: engine.stop, patienceMs: 700 });

  const alertsFirst = createAlertsFirst();
  let noteQuota: (channel: ChannelOf<'email'>, error: string) => void = () => undefined;
  const pipeline = createPipeline({
    config: () => loaded().config,
    isStandIn,
    store: engine.store,
    clock: engine.clock,
    log,
    engine,
    askPeer: discreetly(peerClients.askVerdict, redact),
    deliver: async (message, channel, signal) => {
      const delivered = await alertsFirst.alert(channel, () => deliver(message, channel, signal));
      if (delivered.kind === 'failed' && delivered.isQuota === true && channel.type === 'email')
        noteQuota(channel, delivered.error);
      else if (delivered.kind === 'failed' && !delivered.isPermanent) noteUnsent?.();
      return delivered;
    },
  });
  parts.unshift({ name: 'the pipeline', stop: pipeline.stop, patienceMs: 600 });
  const digest = await createDigest({
    config: () => loaded().config,
    store,
    clock: engine.trustedClock,
    log,
  });
  parts.unshift({ name: 'the digest', stop: digest.stop, patienceMs: 300 });

  const mailer = createMailer({
    config: () => loaded().config,
    store: engine.store,
    clock: engine.clock,
    log,
    mails: createReaderMails({
      loaded,
      sql: engine.store.sql,
      now: engine.clock.now,
      stateOf: engine.stateOf,
    }),
    send: async (mail, channel, signal) => {
      await alertsFirst.untilFree(channel, signal);
      await untilTrusted(signal);
      return mailReader(mail, channel, signal);
    },
  });
  noteQuota = (channel, error) => {
    // A stop that cannot be written down is found out again by the next mail.
    void mailer.noteQuota(channel, error).catch(() => undefined);
  };
  parts.unshift({ name: 'the mails to readers', stop: mailer.stop, patienceMs: 500 });

  let outputs: Outputs | null = null;
  const http = await startHttp({
    loaded,
    store: engine.store,
    outputs: () => outputs?.counts() ?? [],
    clock: engine.clock,
    log,
    version: version(),
    engine,
    probe: (monitor, signal) => environment.check(monitor, { signal, redact: loaded().redact }),
    answerNode: options.answerNode,
    nodeChecks: options.nodeChecks,
    newRequestId,
    reserved,
    standing: options.standing,
  });
  parts.unshift({ name: 'the server', stop: () => http.stop(500), patienceMs: 700 });
  const sending = createOutputs({
    config: () => loaded().config,
    read: http.measure,
    clock,
    log,
    // No output runs a plugin.
    tools: { ...tools, redact, execDir: null },
    untilTrusted,
  });
  outputs = sending;
  parts.unshift({ name: 'the outputs', stop: sending.stop, patienceMs: 300 });

  const started = loaded().config;
  const recordCurrent = async () => {
    // What runs is what the last leader had, which a reload would replace.
    if (isStandIn()) return;
    await recordRunning(store, { ...loaded(), started, yieldTurn: paced(clock.monotonic) }, clock.now());
  };
  /** What nobody waits for who waits for a daemon to be ready. */
  const afterwards = async () => {
    await yieldToEventLoop();
    await recordCurrent();
    // A later reload may bring one in when no file can be opened any more.
    await loadProbes(probeKinds);
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
    stateOf: engine.stateOf,
    hasProgressed: () => {
      const was = isMoving;
      isMoving = false;
      return was;
    },
    reload: async (next, adopt) => {
      const changes = await engine.reload(next);
      adopt();
      pipeline.reload();
      digest.reload();
      mailer.reload();
      sending.reload();
      await settled;
      await recordCurrent();
      return changes;
    },
  };
}

interface ProbeTerms {
  readonly signal: AbortSignal;
  readonly redact: Redact;
}

/** What the daemon reaches the outside with: the real network, clock and plugins. */
interface ProbeEnvironment {
  readonly tools: ProbeTools;
  readonly check: CheckMonitor;
  readonly trust: Trust;
  readonly lookUpDomain: (domain: string, how: ProbeTerms) => Promise<DomainExpiry>;
  readonly peerClients: PeerClients;
  /** Takes a message to a channel, with the secrets of the configuration of that moment masked. */
  readonly deliver: Deliver;
  readonly mailReader: MailerOptions['send'];
}

function probeEnvironment(
  context: Pick<Context, 'clock' | 'env'>,
  { loaded, untilTrusted }: Pick<LeadingOptions, 'loaded' | 'untilTrusted'>,
): ProbeEnvironment {
  const redact = (text: string) => loaded().redact(text);
  const execDir = () => loaded().config.probes.exec_dir;
  const tools = probeTools(context);
  const askRegistry = createDomainProbe();
  const contextOf = ({ signal, redact }: ProbeTerms): ProbeContext => ({
    signal,
    redact,
    execDir: execDir(),
    ...tools,
  });
  return {
    tools,
    check: (monitor, how) => check(monitor, contextOf(how)),
    trust: tools.trust,
    lookUpDomain: (domain, how) => askRegistry(domain, contextOf(how)),
    peerClients: createPeerClients(tools),
    // Made for each message: a reload may change the folder of the plugins.
    deliver: (message, channel, signal) =>
      createDeliver({ ...tools, redact, execDir: execDir(), untilTrusted })(message, channel, signal),
    mailReader: (mail, channel, signal) =>
      sendToReader(mail, channel, { ...tools, redact, execDir: execDir(), signal }),
  };
}
