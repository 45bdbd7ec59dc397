/** A random history: what is watched, what happens to it, and what goes wrong around it. Times are seconds from the start. */
import type { Random } from '../support/random.ts';

export interface WatchedPlan {
  readonly id: string;
  readonly kind: 'http' | 'push';
  readonly intervalSecs: number;
  /** Of a push monitor. */
  readonly graceSecs: number;
  /** What of its host is checked: another number is another target. */
  readonly page: number;
  readonly failThreshold: number;
  readonly recoverThreshold: number;
  readonly upstreams: readonly string[];
  /** Null: every channel. */
  readonly notify: readonly string[] | null;
}

/**
 * How a target behaves for a while; it is up at all other times. `flaps`: every other check fails. `restarts`: a crash
 * loop, down for a while, then up for a moment (`loop`). `changes`: it answers with an error for the first half, then
 * refuses. A push monitor sends nothing while it is not up.
 */
export interface Spell {
  readonly monitor: string;
  readonly truth: 'fails' | 'refuses' | 'hangs' | 'flaps' | 'restarts' | 'changes';
  readonly fromSecs: number;
  readonly toSecs: number;
}

interface Span {
  readonly fromSecs: number;
  readonly toSecs: number;
}

/** What goes wrong that is no fault of a target. */
export type Fault =
  /** Nothing on another machine answers. */
  | (Span & { readonly kind: 'cut' })
  /** No name server answers. */
  | (Span & { readonly kind: 'resolver' })
  /** This host cannot ask about these, and no target is to blame. */
  | (Span & { readonly kind: 'blocked'; readonly cause: string; readonly monitors: readonly string[] })
  /** The disk takes nothing. */
  | (Span & { readonly kind: 'disk' })
  /** The process stands still. */
  | (Span & { readonly kind: 'stall' })
  /** The process is killed and started again, or stopped politely. */
  | (Span & { readonly kind: 'kill' | 'restart' })
  /** The wall clock is set. */
  | (Span & { readonly kind: 'step'; readonly bySecs: number })
  | (Span & { readonly kind: 'silence'; readonly monitors: readonly string[] })
  /** Somebody acknowledges every outage that is open. */
  | (Span & { readonly kind: 'acknowledge' })
  /** A channel refuses what it gets, takes it without ever answering, or asks to be left alone. */
  | (Span & { readonly kind: 'channel'; readonly channel: string; readonly how: ChannelFault })
  /** The configuration is loaded again, with or without a channel more. */
  | (Span & { readonly kind: 'reload'; readonly channels: readonly string[] })
  /** The configuration is loaded again with these monitors; what is left out is not watched until it is back. */
  | (Span & { readonly kind: 'edit'; readonly monitors: readonly WatchedPlan[] });

export type ChannelFault = 'refuses' | 'hangs' | 'limits';

export interface History {
  readonly windowSecs: number;
  readonly monitors: readonly WatchedPlan[];
  readonly channels: readonly string[];
  readonly spells: readonly Spell[];
  readonly loop: { readonly downSecs: number; readonly upSecs: number };
  readonly faults: readonly Fault[];
  /** From here on everything is up and nothing goes wrong. */
  readonly quietSecs: number;
  readonly endSecs: number;
}

/** How fast a history goes: minutes in virtual time, seconds where processes are real. */
export interface Pace {
  readonly quietSecs: { readonly least: number; readonly span: number };
  readonly tailSecs: number;
  readonly windowSecs: readonly number[];
  readonly intervalSecs: readonly number[];
  readonly graceSecs: readonly number[];
  readonly spellSecs: readonly number[];
  readonly gapSecs: readonly number[];
  /** The longest that a fault lasts that takes minutes in virtual time. */
  readonly faultSecs: number;
  readonly faults: readonly DrawnKind[];
}

/** What is drawn after everything else has a draw of its own. */
type DrawnKind = Exclude<Fault['kind'], 'edit' | 'blocked' | 'disk' | 'acknowledge'>;

const minute = 60;

const virtualPace: Pace = {
  quietSecs: { least: 8 * minute, span: 14 * minute },
  tailSecs: 25 * minute,
  windowSecs: [0, 5, 10, 30, 30],
  intervalSecs: [5, 10, 20, 30],
  graceSecs: [10, 30],
  spellSecs: [5, 20, 60, 180, 420, 900],
  gapSecs: [10, 40, 120, 400],
  faultSecs: 4 * minute,
  faults: ['cut', 'resolver', 'stall', 'kill', 'kill', 'restart', 'step', 'silence', 'channel', 'reload'],
};

/** Faults that real processes on one machine can have without more rights than a user's. */
export const realPace: Pace = {
  quietSecs: { least: 40, span: 20 },
  tailSecs: 45,
  windowSecs: [0, 1, 2],
  intervalSecs: [1, 2],
  graceSecs: [1, 3],
  spellSecs: [3, 8, 15, 30],
  gapSecs: [3, 8],
  faultSecs: 8,
  faults: ['stall', 'kill', 'kill', 'restart', 'silence', 'channel', 'reload'],
};

export interface Draw {
  readonly pace?: Pace;
  /** As it was drawn before there were full disks and other causes than the resolver: what a seed once meant. */
  readonly isEarly?: boolean;
  /** Nobody acknowledges anything, as it was before somebody could. */
  readonly isUnacknowledged?: boolean;
}

/** What is drawn later stands at the end, so that a seed keeps the history that it had. */
export function historyOf(
  random: Random,
  { pace = virtualPace, isEarly = false, isUnacknowledged = isEarly }: Draw = {},
): History {
  const quietSecs = pace.quietSecs.least + random.below(pace.quietSecs.span);
  const channels = ['ops', 'phone', 'chat'].slice(0, 1 + random.below(3));
  const monitors = monitorsOf(random, channels, pace);
  const history = {
    windowSecs: random.pick(pace.windowSecs),
    monitors,
    channels,
    spells: monitors.flatMap(({ id }) => spellsOf(id, random, { quietSecs, pace })),
    loop: { downSecs: random.pick([20, 25, 30, 40]), upSecs: random.pick([6, 10, 20, 35]) },
    faults: faultsOf(random, { monitors, channels, quietSecs, pace }),
    quietSecs,
    endSecs: quietSecs + pace.tailSecs,
  };
  if (pace !== virtualPace) return history;
  const found = random.below(8) === 0 ? withCrashLoop(history) : history;
  const edited = random.below(3) === 0 ? withEdits(found, random) : found;
  if (isEarly) return edited;
  const slow = withSlowDependents(withBlocks(withFullDisk(edited, random), random), random);
  const flapping = random.below(6) === 0 ? withUnstable(slow, random) : slow;
  return isUnacknowledged ? flapping : withAcknowledgements(flapping, random);
}

/** Somebody acknowledges what is open now and then, and a target fails for another reason while it is down. */
function withAcknowledgements(history: History, random: Random): History {
  const times = Array.from({ length: random.below(3) }, () => random.below(history.quietSecs));
  const long = history.spells.filter(
    ({ truth, fromSecs, toSecs }) => truth === 'fails' && toSecs - fromSecs >= 3 * minute,
  );
  const changing = long.length === 0 ? null : random.pick(long);
  if (random.below(2) === 0) return history;
  if (changing !== null) times.push(Math.floor(changing.fromSecs + 0.45 * lengthOf(changing)));
  return {
    ...history,
    spells: history.spells.map((spell) => (spell === changing ? { ...spell, truth: 'changes' } : spell)),
    faults: [
      ...history.faults,
      ...times.map((fromSecs): Fault => ({ kind: 'acknowledge', fromSecs, toSecs: fromSecs })),
    ],
  };
}

function lengthOf({ fromSecs, toSecs }: Span): number {
  return toSecs - fromSecs;
}

/** When a spell of `changes` turns from errors to refusals. */
export function turnOf(spell: Span): number {
  return spell.fromSecs + lengthOf(spell) / 2;
}

/** The disk is full for a while in which nobody stops the process: what it did from memory would be lost with it. */
function withFullDisk(history: History, random: Random): History {
  const disk = { kind: 'disk', ...spanIn(history, 2 * virtualPace.faultSecs, random) } as const;
  const isStopped = history.faults.some(({ kind, ...span }) => stops.includes(kind) && overlap(span, disk));
  return random.below(3) > 0 || isStopped ? history : { ...history, faults: [...history.faults, disk] };
}

/** Much that is checked once in a minute, or more rarely, depends on one monitor, fails with it and heals with it. */
function withSlowDependents({ monitors, spells, ...history }: History, random: Random): History {
  const [root, ...others] = monitors;
  const fromSecs = 30 + random.below(2 * minute);
  const toSecs = fromSecs + 4 * minute + random.below(3 * minute);
  const intervals = others.map(() => random.pick([60, 60, 120]));
  const isEdited = history.faults.some(({ kind }) => kind === 'edit');
  if (random.below(6) > 0 || root === undefined || isEdited) return { monitors, spells, ...history };
  const cascade = [root, ...others].map(
    ({ id }) => ({ monitor: id, truth: 'fails', fromSecs, toSecs }) as const,
  );
  return {
    ...history,
    monitors: [
      { ...root, kind: 'http', intervalSecs: 10, failThreshold: 2, recoverThreshold: 1, upstreams: [] },
      ...others.map((each, index) => ({
        ...each,
        intervalSecs: intervals[index] ?? 60,
        failThreshold: 1,
        upstreams: [root.id],
      })),
    ],
    spells: [...cascade, ...spells.filter((each) => each.fromSecs > toSecs + 5 * minute)],
  };
}

/** Nothing can be asked for want of descriptors, or one of them for want of its plugin. */
function withBlocks(history: History, random: Random): History {
  const probed = history.monitors.filter(({ kind }) => kind === 'http').map(({ id }) => id);
  const span = spanIn(history, virtualPace.faultSecs, random);
  const isAll = random.below(2) === 0;
  if (probed.length === 0 || random.below(3) > 0) return history;
  const blocked: Fault = isAll
    ? { kind: 'blocked', cause: 'descriptors', monitors: probed, ...span }
    : { kind: 'blocked', cause: 'plugin check_it', monitors: [random.pick(probed)], ...span };
  return { ...history, faults: [...history.faults, blocked] };
}

function spanIn({ quietSecs }: History, longestSecs: number, random: Random): Span {
  const fromSecs = random.below(quietSecs);
  return { fromSecs, toSecs: Math.min(quietSecs, fromSecs + 3 + random.below(longestSecs)) };
}

/** Somebody works on the configuration: monitors get other settings, or leave it for a while. */
function withEdits(history: History, random: Random): History {
  const { quietSecs } = history;
  const count = 1 + random.below(4);
  const times = Array.from({ length: count }, () => random.below(quietSecs)).sort((a, b) => a - b);
  let { monitors } = history;
  const edits = times.map((fromSecs): Fault => {
    monitors = edited(monitors, history, random);
    return { kind: 'edit', monitors, fromSecs, toSecs: fromSecs };
  });
  // Nobody is left out in the end.
  const last = {
    kind: 'edit',
    monitors: withAll(monitors, history),
    fromSecs: quietSecs,
    toSecs: quietSecs,
  } as const;
  return { ...history, faults: [...history.faults, ...edits, last] };
}

function edited(monitors: readonly WatchedPlan[], history: History, random: Random): readonly WatchedPlan[] {
  const { id, kind } = random.pick(history.monitors);
  const change = (changes: Partial<WatchedPlan>) =>
    monitors.map((each) => (each.id === id ? { ...each, ...changes } : each));
  const index = history.monitors.findIndex((each) => each.id === id);
  switch (random.pick(['interval', 'target', 'upstreams', 'presence', 'presence'] as const)) {
    case 'interval':
      return kind === 'push' ? monitors : change({ intervalSecs: random.pick(virtualPace.intervalSecs) });
    case 'target':
      return change({ page: 1 + random.below(9) });
    case 'upstreams': {
      const above = history.monitors
        .slice(0, index)
        .filter((other) => monitors.some((each) => each.id === other.id));
      return change({ upstreams: above.map((each) => each.id).filter(() => random.below(2) === 0) });
    }
    case 'presence':
      if (!monitors.some((each) => each.id === id)) return withAll(monitors, history);
      return monitors
        .filter((each) => each.id !== id)
        .map((each) => ({ ...each, upstreams: each.upstreams.filter((upstream) => upstream !== id) }));
  }
}

/** With the settings of the beginning for what was left out. */
function withAll(monitors: readonly WatchedPlan[], { monitors: first }: History): readonly WatchedPlan[] {
  return first.map((plan) => monitors.find(({ id }) => id === plan.id) ?? plan);
}

/** What everything depends on crashes again and again, each time for too short to be notified; a dependent stays down. */
function withCrashLoop({ monitors, spells, ...history }: History): History {
  const [first, second, ...others] = monitors;
  if (first === undefined || second === undefined) return { monitors, spells, ...history };
  const quick = { kind: 'http', intervalSecs: 5, recoverThreshold: 1, notify: null } as const;
  const quietSecs = Math.max(history.quietSecs, 13 * minute);
  const span = { fromSecs: 30, toSecs: quietSecs };
  return {
    ...history,
    windowSecs: 30,
    monitors: [
      { ...first, ...quick, failThreshold: 3, upstreams: [] },
      { ...second, ...quick, failThreshold: 2, upstreams: [first.id] },
      ...others,
    ],
    spells: [
      ...spells.filter(({ monitor }) => monitor !== first.id && monitor !== second.id),
      { monitor: first.id, truth: 'restarts', ...span },
      { monitor: second.id, truth: 'fails', ...span },
    ],
    quietSecs,
    endSecs: quietSecs + virtualPace.tailSecs,
  };
}

/** One that nothing depends on goes down and comes back for a quarter of an hour and more, at times with nothing else wrong. */
function withUnstable(history: History, random: Random): History {
  const [first, ...others] = history.monitors;
  const isCalm = random.below(2) === 0;
  if (first === undefined || history.faults.some(({ kind }) => kind === 'edit')) return history;
  const quietSecs = Math.max(history.quietSecs, 20 * minute);
  const spells = history.spells.filter(({ monitor, truth }) => monitor !== first.id && truth !== 'hangs');
  return {
    ...history,
    windowSecs: 30,
    loop: random.pick([
      { downSecs: 24, upSecs: 7 },
      { downSecs: 45, upSecs: 10 },
    ]),
    monitors: [
      { ...first, kind: 'http', intervalSecs: 5, failThreshold: 1, recoverThreshold: 1, upstreams: [] },
      ...others,
    ],
    spells: [...spells, { monitor: first.id, truth: 'restarts', fromSecs: 60, toSecs: quietSecs }],
    faults: isCalm ? [] : history.faults,
    quietSecs,
    endSecs: quietSecs + virtualPace.tailSecs,
  };
}

function monitorsOf(random: Random, channels: readonly string[], pace: Pace): WatchedPlan[] {
  const count = 2 + random.below(5);
  const isConnected = random.below(2) === 0;
  return Array.from({ length: count }, (_, index) => {
    const above = Array.from({ length: index }, (__, other) => `m${other}`);
    return {
      id: `m${index}`,
      kind: random.below(6) === 0 ? 'push' : 'http',
      intervalSecs: random.pick(pace.intervalSecs),
      graceSecs: random.pick(pace.graceSecs),
      page: 0,
      failThreshold: 1 + random.below(3),
      recoverThreshold: 1 + random.below(2),
      upstreams: isConnected ? above.filter(() => random.below(3) === 0) : [],
      notify: random.below(4) === 0 ? channels.filter(() => random.below(2) === 0) : null,
    };
  });
}

interface Setting {
  readonly monitors: readonly WatchedPlan[];
  readonly channels: readonly string[];
  readonly quietSecs: number;
  readonly pace: Pace;
}

const truths = ['fails', 'fails', 'refuses', 'hangs', 'flaps', 'restarts'] as const;

function spellsOf(
  monitor: string,
  random: Random,
  { quietSecs, pace }: Pick<Setting, 'quietSecs' | 'pace'>,
): Spell[] {
  const spells: Spell[] = [];
  let atSecs = random.below(pace.faultSecs);
  while (random.below(4) > 0 && atSecs < quietSecs) {
    const lengthSecs = random.pick(pace.spellSecs) + random.below(Math.ceil(pace.faultSecs / 8));
    const toSecs = Math.min(atSecs + lengthSecs, quietSecs);
    spells.push({ monitor, truth: random.pick(truths), fromSecs: atSecs, toSecs });
    atSecs = toSecs + random.pick(pace.gapSecs) + random.below(Math.ceil(pace.faultSecs / 12));
  }
  return spells;
}

function faultsOf(random: Random, { monitors, channels, quietSecs, pace }: Setting): Fault[] {
  const span = (longestSecs: number): Span => {
    const fromSecs = random.below(quietSecs);
    return { fromSecs, toSecs: Math.min(quietSecs, fromSecs + 3 + random.below(longestSecs)) };
  };
  const longSecs = pace.faultSecs;
  const shortSecs = Math.ceil(pace.faultSecs / 8);
  const make = (kind: DrawnKind): Fault => {
    switch (kind) {
      case 'cut':
      case 'resolver':
        return { kind, ...span(longSecs) };
      case 'stall':
        return { kind, ...span(Math.ceil(longSecs / 2)) };
      case 'kill':
        return { kind, ...span(random.pick([shortSecs, 4])) };
      case 'restart':
        return { kind, ...span(shortSecs) };
      case 'step': {
        const bySecs = (random.below(2) === 0 ? -1 : 1) * random.pick([10, 300, 3600, 400 * 86_400]);
        return { kind, bySecs, ...span(2 * longSecs) };
      }
      case 'silence':
        return { kind, monitors: [random.pick(monitors).id], ...span(longSecs) };
      case 'channel': {
        const how = random.pick(['refuses', 'hangs', 'limits'] as const);
        return { kind, channel: random.pick(channels), how, ...span(longSecs) };
      }
      case 'reload':
        return { kind, channels: random.below(2) === 0 ? channels : [...channels, 'pager'], ...span(1) };
    }
  };
  const faults: Fault[] = [];
  for (let tries = 0; tries < 6 && random.below(3) > 0; tries += 1) {
    const fault = make(random.pick(pace.faults));
    // One of a kind at a time, or the oracle cannot say when it ended.
    if (!faults.some((other) => isAlike(other, fault) && overlap(other, fault))) faults.push(fault);
  }
  return faults;
}

const stops: readonly Fault['kind'][] = ['stall', 'kill', 'restart'];

function isAlike(a: Fault, b: Fault): boolean {
  return a.kind === b.kind || (stops.includes(a.kind) && stops.includes(b.kind));
}

function overlap(a: Span, b: Span): boolean {
  return a.fromSecs <= b.toSecs && b.fromSecs <= a.toSecs;
}
