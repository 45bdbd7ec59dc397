/**
 * Judges what reached people against what really happened. It knows the promises and the history, and shares no code
 * with the product: no state machine, no windows that are renewed, no outbox.
 *
 * - A down message is about something that was failing when it was sent (no false alert).
 * - A dependent is called down after its upstream was called up only if it failed a check that was made since.
 * - An outage that could be seen and sent for long enough was sent on every channel it is routed to (none missed).
 * - One down a channel until its recovery; copies only after a crash or an answer that never came.
 * - Whatever a down named is named in a recovery in the end, and a recovery has its down.
 * - What is called unstable failed and came back again and again, once until it is called stable; what did so for long
 *   enough, with nothing in the way, is called so.
 * - Nothing about a silenced monitor is sent.
 * - A node that cannot check says so, and says when it can again; so does one whose disk takes nothing.
 * - A message that may have been received is repeated three times at most.
 * - Of an acknowledged outage that is known on a channel another reason is said there, once, and nothing else reminds.
 * - After an acknowledgement a channel that was not sent the outage may be left out of those that follow soon.
 */
import { type Fault, type History, type Spell, turnOf, type WatchedPlan } from './history.ts';
import type { Checked, Lived, Received } from './world.ts';

type Span = readonly [fromSecs: number, toSecs: number];

/** A message may be on its way, or its last check just answered, for so long. */
const slackSecs = 8;

/** What failed while a message was handed over came too late for it. */
const onItsWaySecs = 1;

/** How often the program looks whether it stood still. */
const beatSecs = 1;

/** How often the program writes down that it listens: what it refused until then may be sent again. */
const listeningSecs = 10;

/** How long anything but a mute may hold a message back: what fails below a message that left is gathered for five minutes. */
const boundSecs = (windowSecs: number) => Math.max(2 * windowSecs + 60, 300);

/** How long the message about an outage that no other explains may take, beside its window: its dependents are checked. */
const dependentsSecs = 12;

/** A message that may have been received goes out so often in all. */
const mostCopies = 4;

/** Who hung may have been cut off with this node: it is asked once more, a second later, before that is trusted. */
const askedAgainSecs = ({ fromSecs, atSecs }: Checked) => (atSecs > fromSecs ? 1 + atSecs - fromSecs : 0);

/** How long a channel takes over a refusal, with a moment for what is sent next. */
const refusalSecs = { refuses: 5, limits: 1 } as const;

/** How long one that hangs is waited for. */
const hangSecs = 15;

/** Categories in which targets fail: each but the first is a reason that may be said. */
const mostReasons = 3;

/** Hosts that have to be watched before silence speaks against this node. */
const fewestHosts = 3;

/** What was wrong, one sentence each; none: every promise was kept. */
export function judge(history: History, lived: Lived): string[] {
  const oracle = new Oracle(history, lived);
  return [
    ...oracle.falseAlerts(),
    ...oracle.unchecked(),
    ...oracle.falseRecoveries(),
    ...oracle.missed(),
    ...oracle.doubles(),
    ...oracle.unpaired(),
    ...oracle.unsilenced(),
    ...oracle.unstable(),
    ...oracle.steady(),
    ...oracle.blindMessages(),
    ...oracle.blindness(),
    ...oracle.fullDisks(),
    ...oracle.copies(),
    ...oracle.reminders(),
    ...oracle.newReasons(),
  ];
}

class Oracle {
  private readonly history: History;
  private readonly lived: Lived;
  private readonly checksOf: ReadonlyMap<string, readonly Checked[]>;

  constructor(history: History, lived: Lived) {
    this.history = { ...history, monitors: plansThroughout(history) };
    this.lived = lived;
    this.checksOf = grouped(lived.checks, ({ monitor }) => monitor);
  }

  falseAlerts(): string[] {
    return this.lived.received
      .filter(({ event }) => event === 'down')
      .flatMap((message) =>
        message.named
          .filter((id) => !this.wasFailing(this.planOf(id), message.atSecs))
          // What fails with an upstream that is down is named before it is confirmed down.
          .filter((id) => id === message.subject || !this.hasFailed(id, message.atSecs))
          .map((id) => `${at(message)}: ${id} is called down, and was not failing`),
      );
  }

  /** What was named with an upstream is called down after the recovery of that for what was seen since, and nothing else. */
  unchecked(): string[] {
    // With no window nothing is named with anything else.
    if (this.history.windowSecs === 0) return [];
    return this.lived.received
      .filter(({ event }) => event === 'down')
      .flatMap((message) => {
        const { subject: id, channel, atSecs } = message;
        if (id === null || this.planOf(id).kind === 'push') return [];
        const before = this.lived.received.filter(
          (other) => other.channel === channel && other.atSecs < atSecs && !other.isLate,
        );
        const named = before.findLast(
          ({ event, subject, named: ids }) => event === 'down' && subject !== id && ids.includes(id),
        );
        const up = before.findLast(
          ({ event, subject }) => event === 'recovered' && named !== undefined && subject === named.subject,
        );
        if (named === undefined || up === undefined || up.atSecs < named.atSecs) return [];
        // One that hangs may not have answered yet.
        const wasSeen = (this.checksOf.get(id) ?? []).some(
          ({ heard, fromSecs }) =>
            heard !== 'good' && fromSecs >= up.atSecs - slackSecs && fromSecs <= atSecs,
        );
        return wasSeen || this.truthAt(id, atSecs) === 'hangs'
          ? []
          : [
              `${at(message)}: ${id} is called down, and was not checked since ${named.subject} was called up`,
            ];
      });
  }

  /** What a recovery names is up: fewer failures than confirm an outage may have followed. */
  falseRecoveries(): string[] {
    return (
      this.lived.received
        // A late message says of an outage that is over that it was; another one may have begun since.
        .filter(({ event, isLate, isRemoved }) => event === 'recovered' && !isLate && !isRemoved)
        .flatMap((message) =>
          message.named
            .filter((id) => this.isWatched(id, message.atSecs))
            .filter((id) => !this.hasAnswered(id, message.atSecs) && !this.isFollowedByDown(id, message))
            .map((id) => `${at(message)}: ${id} is called up, and is down`),
        )
    );
  }

  missed(): string[] {
    const { monitors, spells } = this.history;
    return spells
      .filter(({ truth }) => truth !== 'flaps' && truth !== 'restarts')
      .flatMap((spell) => {
        const plan = monitors.find(({ id }) => id === spell.monitor);
        if (plan === undefined) return [];
        const channels = (plan.notify ?? this.history.channels).filter((name) =>
          this.history.channels.includes(name),
        );
        return channels.flatMap((channel) =>
          this.mayBeLeftOut(channel, plan.id, spell) ? [] : this.missedOn(channel, plan, spell),
        );
      });
  }

  doubles(): string[] {
    const wrong: string[] = [];
    for (const messages of this.byChannelAndSubject().values()) {
      let open: Received | null = null;
      for (const message of messages) {
        if (message.event === 'recovered') open = null;
        if (message.event !== 'down') continue;
        if (open !== null && !this.mayRepeat(open, message))
          wrong.push(`${at(message)}: ${message.subject} is called down again, as it was at ${open.atSecs}`);
        open = message;
      }
    }
    return wrong;
  }

  unpaired(): string[] {
    const wrong: string[] = [];
    for (const channel of this.history.channels) {
      const all = this.lived.received.filter((message) => message.channel === channel);
      for (const { id } of this.history.monitors) {
        const about = all.filter(
          ({ event, named, subject }) =>
            (event === 'down' && named.includes(id)) ||
            (event === 'recovered' && named.includes(id)) ||
            (event === 'recovered' && subject === id),
        );
        const lastDown = about.findLast(({ event }) => event === 'down');
        if (lastDown !== undefined && about.at(-1)?.event === 'down')
          wrong.push(`${at(lastDown)}: ${id} is called down, and never called up again`);
        const first = about.find(({ isLate }) => !isLate);
        if (first?.event === 'recovered' && first.subject === id)
          wrong.push(`${at(first)}: ${id} is called up, and was never called down`);
      }
    }
    return wrong;
  }

  /** What is called unstable was, and is called stable once after it. */
  unstable(): string[] {
    const wrong: string[] = [];
    for (const messages of this.byChannelAndSubject().values()) {
      let open: Received | null = null;
      for (const message of messages) {
        const { event, subject, atSecs, isLate } = message;
        if (event === 'stable') {
          if (open === null && !isLate)
            wrong.push(`${at(message)}: ${subject} is called stable, and was not unstable`);
          open = null;
        }
        if (event !== 'unstable') continue;
        if (open !== null && !this.mayRepeat(open, message))
          wrong.push(`${at(message)}: ${subject} is called unstable again, as it was at ${open.atSecs}`);
        if (!this.cameBackOften(subject ?? '', atSecs))
          wrong.push(`${at(message)}: ${subject} is called unstable, and did not come back three times`);
        open = message;
      }
      if (open !== null)
        wrong.push(`${at(open)}: ${open.subject} is called unstable, and never stable again`);
    }
    return wrong;
  }

  /** Crash loops with nothing in their way for longer than ten minutes are called unstable on every channel. */
  steady(): string[] {
    const { spells, faults, loop, windowSecs, monitors, channels } = this.history;
    return spells.flatMap(({ monitor, truth, fromSecs, toSecs }) => {
      const plan = this.planOf(monitor);
      const isMoreDown = loop.downSecs >= 2 * (loop.upSecs + plan.intervalSecs * plan.recoverThreshold);
      const isSeen =
        plan.kind === 'http' &&
        plan.upstreams.length === 0 &&
        plan.recoverThreshold === 1 &&
        loop.upSecs > plan.intervalSecs &&
        loop.downSecs > plan.failThreshold * plan.intervalSecs;
      const isLong = toSecs - fromSecs > 720;
      const isDisturbed = faults.length > 0 || this.isEverSilent(monitors);
      if (truth !== 'restarts' || windowSecs === 0 || !isMoreDown || !isSeen || !isLong || isDisturbed)
        return [];
      return (plan.notify ?? channels)
        .filter(
          (name) =>
            !this.lived.received.some(
              ({ channel, event, subject }) =>
                channel === name && event === 'unstable' && subject === monitor,
            ),
        )
        .map(
          (name) =>
            `${monitor} crashed again and again from ${fromSecs} to ${toSecs}, and ${name} was not told`,
        );
    });
  }

  private isEverSilent(monitors: readonly WatchedPlan[]): boolean {
    return monitors.some(({ id }) =>
      this.history.spells.some(({ monitor, truth }) => monitor === id && truth === 'hangs'),
    );
  }

  /** Three answers after failures in the eleven minutes before, or three downs in the last half hour. */
  private cameBackOften(id: string, atSecs: number): boolean {
    const { channels, windowSecs } = this.history;
    // What waited for a channel is about the time in which it was found.
    const reachSecs = 1860 + windowSecs + 930;
    const checks = (this.checksOf.get(id) ?? []).filter(
      (check) => check.atSecs <= atSecs && check.atSecs > atSecs - reachSecs,
    );
    if (this.planOf(id).kind === 'push') return true;
    const returns = checks.filter(
      ({ heard }, index) => heard === 'good' && index > 0 && checks[index - 1]?.heard !== 'good',
    ).length;
    const told = channels.map(
      (name) =>
        this.lived.received.filter(
          (one) =>
            one.channel === name && one.event === 'down' && one.named.includes(id) && one.atSecs <= atSecs,
        ).length,
    );
    return returns >= 3 || Math.max(...told) >= 3;
  }

  unsilenced(): string[] {
    const silences = this.history.faults.filter(
      (fault): fault is Extract<Fault, { kind: 'silence' }> => fault.kind === 'silence',
    );
    return this.lived.received
      .filter(({ event }) => event === 'down' || event === 'recovered' || event === 'reminder')
      .filter(({ subject, atSecs }) =>
        silences.some(
          ({ monitors, fromSecs, toSecs }) =>
            subject !== null &&
            !this.isDiskFull(fromSecs) &&
            monitors.includes(subject) &&
            fromSecs + slackSecs <= atSecs &&
            atSecs < this.silencedUntil(fromSecs, toSecs),
        ),
      )
      .map((message) => `${at(message)}: ${message.event} ${message.subject} is sent during its silence`);
  }

  blindMessages(): string[] {
    const blind = this.lived.received.filter(({ event }) => event === 'node_blind');
    const canBeBlind =
      this.history.faults.some(({ kind }) => kind === 'cut' || kind === 'resolver') ||
      this.history.spells.some(({ truth }) => truth === 'hangs');
    return canBeBlind ? [] : blind.map((message) => `${at(message)}: this node calls itself blind`);
  }

  /** A resolver that stays dead is reported on each channel, as what it is or as the loss of the network; so is its end. */
  blindness(): string[] {
    const wrong: string[] = [];
    for (const channel of this.history.channels) {
      const all = this.lived.received.filter((message) => message.channel === channel);
      for (const fault of this.history.faults) {
        if ((fault.kind !== 'resolver' && fault.kind !== 'blocked') || !this.canSee(channel, fault)) continue;
        const isReported = all.some(
          ({ event, atSecs }) =>
            (event === 'unknown' || event === 'node_blind') &&
            fault.fromSecs <= atSecs &&
            atSecs <= fault.toSecs + slackSecs,
        );
        if (!isReported)
          wrong.push(
            `${fault.kind} from ${fault.fromSecs} to ${fault.toSecs} s, and ${channel} was not notified`,
          );
      }
      const last = all.findLast(({ event }) => event === 'unknown' || event === 'checks_again');
      if (last?.event === 'unknown')
        wrong.push(`${at(last)}: checks are impossible, and never possible again`);
    }
    return wrong;
  }

  /** A disk that is full for longer than the window, 5 s at least, is reported on each channel that can be reached. */
  fullDisks(): string[] {
    const neededSecs = 60 + Math.max(this.history.windowSecs, 5);
    return this.history.faults.flatMap((fault) => {
      if (fault.kind !== 'disk' || fault.toSecs - fault.fromSecs < neededSecs) return [];
      const { fromSecs, toSecs } = fault;
      const channels = this.history.channels.filter(
        (name) => !this.isDisturbed(fault, (other) => other.kind === 'channel' && other.channel === name),
      );
      return channels
        .filter(
          (name) =>
            !this.lived.received.some(
              ({ channel, event, atSecs }) =>
                channel === name && event === 'storage_failing' && fromSecs <= atSecs && atSecs <= toSecs,
            ),
        )
        .map((name) => `the disk is full from ${fromSecs} to ${toSecs} s, and ${name} was not notified`);
    });
  }

  copies(): string[] {
    const groups = grouped(this.lived.received, ({ channel, deliveryId }) => `${channel} ${deliveryId}`);
    return [...groups.values()].flatMap((copies) => {
      const unanswered = copies.filter(({ isAcknowledged }) => !isAcknowledged).length;
      const [first] = copies;
      return first === undefined || unanswered <= mostCopies + this.lived.lives - 1
        ? []
        : [
            `${at(first)}: ${first.event} ${first.subject ?? ''} was sent ${unanswered} times without an answer`,
          ];
    });
  }

  /** No channel is reminded of anything but that an acknowledged outage, which it knows of, has another reason. */
  reminders(): string[] {
    const { windowSecs, faults } = this.history;
    const wrong: string[] = [];
    for (const messages of this.byChannelAndSubject().values()) {
      // Those that named it about something else are not among them, and end with the message about it.
      let isDown = false;
      let last: Received | null = null;
      let count = 0;
      for (const message of messages) {
        if (message.event === 'down' || message.event === 'recovered') {
          isDown = message.event === 'down';
          count = 0;
          last = null;
        }
        if (message.event !== 'reminder' || message.deliveryId === last?.deliveryId) continue;
        const isAcknowledged = faults.some(
          ({ kind, fromSecs }) => kind === 'acknowledge' && fromSecs <= message.atSecs,
        );
        if (!isDown || !isAcknowledged)
          wrong.push(
            `${at(message)}: ${message.subject} is reminded of, and it is not acknowledged and down`,
          );
        const isSoon = last !== null && message.atSecs - last.atSecs < windowSecs - 1;
        if (isSoon && !this.isClockSet(message.atSecs))
          wrong.push(`${at(message)}: ${message.subject} is reminded of twice in one window`);
        count += 1;
        if (count >= mostReasons)
          wrong.push(`${at(message)}: ${message.subject} is reminded of ${count} times`);
        last = message;
      }
    }
    return wrong;
  }

  /** Who knows of an outage that was acknowledged before its target turned from errors to refusals is sent that. */
  newReasons(): string[] {
    const { spells, monitors, channels, faults } = this.history;
    return spells
      .filter(({ truth }) => truth === 'changes')
      .flatMap((spell) => {
        const plan = monitors.find(({ id }) => id === spell.monitor);
        if (plan === undefined || plan.kind === 'push' || this.hadOtherReasons(spell)) return [];
        const turnSecs = turnOf(spell);
        const untilSecs =
          turnSecs + 3 * plan.intervalSecs + 2 * Math.max(this.history.windowSecs, 5) + slackSecs;
        return channels.flatMap((channel): string[] => {
          const about = this.lived.received.filter(
            (message) => message.channel === channel && message.subject === plan.id,
          );
          const down = about.findLast(({ atSecs }) => atSecs < turnSecs);
          const isKnown = down?.event === 'down' && down.isAcknowledged && down.atSecs >= spell.fromSecs;
          const isAcknowledged = faults.some(
            ({ kind, fromSecs }) =>
              kind === 'acknowledge' && (down?.atSecs ?? 0) < fromSecs && fromSecs < turnSecs - 1,
          );
          const isClear = this.clearSpans(channel, plan, spell).some(
            ([from, to]) => from <= turnSecs && to >= untilSecs,
          );
          const isDisturbed = faults.some(
            ({ kind, fromSecs, toSecs }) =>
              (kind === 'disk' || kind === 'stall' || kind === 'blocked' || kind === 'edit') &&
              fromSecs <= untilSecs &&
              spell.fromSecs <= toSecs + 60,
          );
          if (!isKnown || !isAcknowledged || !isClear || isDisturbed) return [];
          const isSaid = about.some(
            ({ event, atSecs }) => event === 'reminder' && turnSecs <= atSecs && atSecs <= untilSecs,
          );
          return isSaid
            ? []
            : [`${plan.id} refuses since ${turnSecs} s and is acknowledged: ${channel} was not notified`];
        });
      });
  }

  /** Whether its outage may have begun with another failure of the same monitor. */
  private hadOtherReasons(spell: Spell): boolean {
    return this.history.spells.some(
      (other) =>
        other !== spell &&
        other.monitor === spell.monitor &&
        other.toSecs > spell.fromSecs - 600 &&
        other.fromSecs < spell.toSecs,
    );
  }

  private isClockSet(atSecs: number): boolean {
    return this.history.faults.some(
      ({ kind, fromSecs, toSecs }) => kind === 'step' && fromSecs - 60 < atSecs && atSecs < toSecs + 60,
    );
  }

  /**
   * Whether a channel may be left out of an outage: an acknowledgement of an outage before, which the channel was not
   * sent, may hold on.
   */
  private mayBeLeftOut(channel: string, id: string, { fromSecs }: Spell): boolean {
    const ack = this.history.faults.findLast(
      (fault) => fault.kind === 'acknowledge' && fault.fromSecs <= fromSecs,
    );
    if (ack === undefined) return false;
    // One outage after the other may carry it on.
    return !this.lived.received.some(
      (message) =>
        message.channel === channel &&
        message.named.includes(id) &&
        message.atSecs < fromSecs &&
        message.atSecs > ack.fromSecs - 3600,
    );
  }

  /** Whether some monitor of a channel was up when the resolver died, and nothing else was in the way of a message. */
  private canSee(channel: string, fault: Fault): boolean {
    const { fromSecs, toSecs } = fault;
    if (this.isDisturbed(fault, ({ kind }) => kind !== 'reload' && kind !== 'disk')) return false;
    return this.history.monitors.some((plan) => {
      const { kind, id, notify, failThreshold, intervalSecs } = plan;
      const neededSecs = (failThreshold + 1) * intervalSecs + 2 * this.history.windowSecs + slackSecs;
      const isWatched = this.absences(id).every(([from, to]) => toSecs <= from || to <= fromSecs);
      const isUp = !this.history.spells.some(
        (spell) => spell.monitor === id && spell.fromSecs < toSecs && fromSecs - 120 < spell.toSecs,
      );
      return (
        kind === 'http' &&
        (fault.kind !== 'blocked' || fault.monitors.includes(id)) &&
        isWatched &&
        isUp &&
        toSecs - fromSecs >= neededSecs &&
        (notify ?? [channel]).includes(channel)
      );
    });
  }

  /** Whether one of these faults may still be felt during another. */
  private isDisturbed(fault: Fault, isInTheWay: (other: Fault) => boolean): boolean {
    const { fromSecs, toSecs } = fault;
    return this.history.faults.some(
      (other) =>
        other !== fault &&
        isInTheWay(other) &&
        other.fromSecs < toSecs &&
        fromSecs < other.toSecs + (other.kind === 'channel' ? 930 : 60),
    );
  }

  private isDiskFull(atSecs: number): boolean {
    return this.history.faults.some(
      ({ kind, fromSecs, toSecs }) => kind === 'disk' && fromSecs <= atSecs && atSecs < toSecs,
    );
  }

  /** Whether the answers before `atSecs` justify calling it down. */
  private wasFailing(plan: WatchedPlan, atSecs: number): boolean {
    if (plan.kind === 'push') return this.wasQuiet(plan, atSecs);
    const known = (this.checksOf.get(plan.id) ?? []).filter(
      (check, index, all) => check.atSecs <= atSecs && this.isKnown(check, all.slice(index + 1)),
    );
    const written = known.filter(({ mayBeLost = false }) => !mayBeLost);
    return [known, written].some((answers) => this.wasConfirmedBefore(answers, plan, atSecs));
  }

  /** Whether one of the last checks of a monitor before `atSecs` was a failure. */
  private hasFailed(id: string, atSecs: number): boolean {
    const known = (this.checksOf.get(id) ?? []).filter((check) => check.atSecs <= atSecs);
    const recent = known.filter((check) => check.atSecs > atSecs - slackSecs);
    return [...recent, ...known.slice(-1)].some(({ heard }) => heard !== 'good');
  }

  private wasConfirmedBefore(known: readonly Checked[], plan: WatchedPlan, atSecs: number): boolean {
    // What answered in the last moments may have come too late for a message on its way.
    for (let last = known.length; last > 0; last -= 1) {
      if (isConfirmed(known.slice(0, last), plan)) return true;
      if ((known[last - 1]?.atSecs ?? 0) < atSecs - slackSecs) return false;
    }
    return false;
  }

  private hasAnswered(id: string, atSecs: number): boolean {
    const known = (this.checksOf.get(id) ?? []).filter((check) => check.atSecs <= atSecs);
    const recent = known.filter((check) => check.atSecs > atSecs - slackSecs);
    const answers = known.filter(
      (check) =>
        (check.heard === 'good' && check.atSecs <= atSecs - onItsWaySecs) ||
        (check.heard === 'bad' &&
          check.atSecs <= atSecs - onItsWaySecs - askedAgainSecs(check) &&
          !this.isCut(check)),
    );
    const isDown = isConfirmed(answers, this.planOf(id));
    return !isDown || recent.some(({ heard }) => heard === 'good') || this.wasLate(id, atSecs);
  }

  /** A failure says nothing that was asked when the process stood still, or the clock was set, or as it noticed that. */
  private isCut({ fromSecs, atSecs }: Checked): boolean {
    const moments = this.history.faults.flatMap((fault) => {
      if (fault.kind === 'stall') return [fault.toSecs];
      return fault.kind === 'step' ? [fault.fromSecs, fault.toSecs] : [];
    });
    return moments.some((moment) => fromSecs <= moment + beatSecs && atSecs >= moment);
  }

  /** A recovery that could not be sent at once speaks of an outage that another one may have followed. */
  private wasLate(id: string, atSecs: number): boolean {
    return (
      this.history.faults.some(
        ({ kind, fromSecs, toSecs }) =>
          kind !== 'reload' && kind !== 'edit' && fromSecs < atSecs && atSecs < toSecs + 930,
      ) && this.truthAt(id, atSecs) !== 'fails'
    );
  }

  /**
   * A silence that went on as a failure when this node was heard again was one all along; so was that of a target that
   * hung itself.
   */
  private isKnown({ monitor, heard, fromSecs, atSecs }: Checked, after: readonly Checked[]): boolean {
    if (heard === 'good' || heard === 'bad' || this.isBelieved(heard, atSecs)) return true;
    if (heard !== 'silent') return false;
    const next = after.find((each) => each.heard === 'good' || each.heard === 'bad');
    return next?.heard === 'bad' || [fromSecs, atSecs].every((at) => this.truthAt(monitor, at) === 'hangs');
  }

  /** The recovery of an earlier outage may have had to wait: it is sent right before the down of the next one. */
  private isFollowedByDown(id: string, { channel, atSecs, isAcknowledged }: Received): boolean {
    // A channel that never answers is waited for before the next message goes out.
    const untilSecs = atSecs + slackSecs + (isAcknowledged ? 0 : hangSecs);
    return this.lived.received.some(
      (next) =>
        next.channel === channel &&
        next.event === 'down' &&
        next.named.includes(id) &&
        next.atSecs >= atSecs &&
        next.atSecs <= untilSecs,
    );
  }

  /** Silence is believed where too few hosts are watched to tell it from a cut of this node. */
  private isBelieved(heard: Checked['heard'], atSecs: number): boolean {
    if (heard !== 'silent') return false;
    const answering = plansAt(this.history, atSecs).filter(
      ({ id, kind }) => kind === 'http' && this.truthAt(id, atSecs) !== 'hangs',
    );
    return answering.length < fewestHosts;
  }

  private wasQuiet({ id, intervalSecs, graceSecs }: WatchedPlan, atSecs: number): boolean {
    const sinceSecs = atSecs - intervalSecs - graceSecs - boundSecs(this.history.windowSecs) - slackSecs;
    const beats = (this.checksOf.get(id) ?? []).map((beat) => beat.atSecs);
    const before = [sinceSecs, ...beats.filter((beat) => beat > sinceSecs && beat <= atSecs), atSecs];
    return before.some((beat, index) => index > 0 && beat - (before[index - 1] ?? 0) > intervalSecs + 1);
  }

  private missedOn(channel: string, plan: WatchedPlan, spell: Spell): string[] {
    // A single outage of what is called unstable, or of what depends on it, is told once it has lasted five minutes.
    const concerned = new Set([plan.id, ...this.above(plan.id)]);
    const isGathered = this.lived.received.some(
      ({ event, subject, atSecs }) =>
        event === 'unstable' && concerned.has(subject ?? '') && atSecs <= spell.toSecs,
    );
    const needed = this.neededSecs(plan, spell) + (isGathered ? 300 : 0);
    const clear = this.clearSpans(channel, plan, spell).filter(([from, to]) => to - from >= needed);
    return clear
      .filter(([from, to]) => {
        // What is watched anew is notified anew.
        const sinceSecs = this.absences(plan.id).reduce(
          (latest, [, end]) => (end <= from ? Math.max(latest, end) : latest),
          spell.fromSecs,
        );
        return !this.wasNotified(channel, plan.id, [sinceSecs, to]);
      })
      .map(
        ([from, to]) =>
          `${plan.id} ${spell.truth} from ${spell.fromSecs} to ${spell.toSecs}, and nothing stood in the way from ` +
          `${from.toFixed(1)} to ${to.toFixed(1)} s (${needed} s are enough): ${channel} was not notified`,
      );
  }

  /** How long a clear view takes at most until the message is out. */
  private neededSecs(plan: WatchedPlan, { truth }: Spell): number {
    const { windowSecs, monitors } = this.history;
    const hasDependents = monitors.some(({ upstreams }) => upstreams.includes(plan.id));
    const held =
      plan.upstreams.length > 0
        ? boundSecs(windowSecs) + windowSecs
        : windowSecs + (hasDependents ? dependentsSecs : 0);
    const gathered = Math.min(windowSecs, 5) + windowSecs;
    const confirmed =
      plan.kind === 'push'
        ? plan.intervalSecs + plan.graceSecs
        : (plan.failThreshold + 1) * (plan.intervalSecs + (truth === 'hangs' ? 5 : 0)) +
          (truth === 'hangs' ? 35 : 0);
    return confirmed + held + gathered + slackSecs;
  }

  /** The parts of an outage in which nothing but the product itself could hold its message back. */
  private clearSpans(channel: string, plan: WatchedPlan, { fromSecs, toSecs, truth }: Spell): Span[] {
    const { faults } = this.history;
    const above = this.above(plan.id);
    let spans: Span[] = this.lived.running.flatMap(([from, to]) => within([from, to], [fromSecs, toSecs]));
    for (const span of this.absences(plan.id)) spans = without(spans, span);
    for (const fault of faults) {
      const isInTheWay =
        fault.kind === 'cut' ||
        fault.kind === 'resolver' ||
        fault.kind === 'step' ||
        // Silence, of a host or of a sender, is believed when others answer, so they have to be asked.
        (fault.kind === 'blocked' &&
          (truth === 'hangs' ||
            plan.kind === 'push' ||
            fault.monitors.some((id) => id === plan.id || above.has(id)))) ||
        (fault.kind === 'silence' && fault.monitors.some((id) => id === plan.id || above.has(id)));
      if (isInTheWay) spans = without(spans, [fault.fromSecs, fault.toSecs + slackSecs]);
      // A heartbeat that could not be stored is no silence: senders get another interval and grace afterwards.
      if (fault.kind === 'disk' && plan.kind === 'push')
        spans = without(spans, [fault.fromSecs, fault.toSecs + listeningSecs]);
      // What was refused is tried again after a pause that grows to a quarter of an hour.
      if (fault.kind === 'channel' && fault.channel === channel)
        spans = without(spans, [fault.fromSecs, fault.toSecs + 930]);
      // Under other settings it may begin anew.
      if (fault.kind === 'edit') spans = without(spans, [fault.fromSecs, fault.fromSecs]);
      // A change of the clock is a standstill to those who watch it.
      if (fault.kind === 'step') {
        spans = without(spans, [fault.fromSecs, fault.fromSecs]);
        spans = without(spans, [fault.toSecs, fault.toSecs]);
      }
    }
    for (const span of this.coveredByUpstream(channel, above)) spans = without(spans, span);
    if (truth === 'hangs') for (const span of this.silentSpans(plan.id)) spans = without(spans, span);
    return spans;
  }

  /** While a sent message about an upstream lasts, it covers what depends on it. */
  private coveredByUpstream(channel: string, above: ReadonlySet<string>): Span[] {
    const spans: Span[] = [];
    for (const id of above) {
      let fromSecs: number | null = null;
      for (const message of this.lived.received) {
        if (message.channel !== channel || !message.named.includes(id)) continue;
        if (message.event === 'down') fromSecs ??= message.atSecs;
        if (message.event === 'recovered' && fromSecs !== null) {
          spans.push([fromSecs, message.atSecs]);
          fromSecs = null;
        }
      }
      if (fromSecs !== null) spans.push([fromSecs, this.history.endSecs]);
    }
    return spans;
  }

  /** When every other host hangs as well: then this node suspects itself, and rightly so. */
  private silentSpans(own: string): Span[] {
    const { spells, faults } = this.history;
    const edges = [...spells, ...faults.filter(({ kind }) => kind === 'edit')].flatMap(
      ({ fromSecs, toSecs }) => [fromSecs, toSecs],
    );
    const times = [...new Set([0, ...edges, this.history.endSecs])].sort((a, b) => a - b);
    return times.flatMap((from, index): Span[] => {
      const to = times[index + 1];
      const hosts = plansAt(this.history, from).filter(({ kind }) => kind === 'http');
      const others = hosts.filter(({ id }) => id !== own);
      if (to === undefined || hosts.length < fewestHosts) return [];
      if (others.some(({ id }) => this.truthAt(id, from) !== 'hangs')) return [];
      return [[from, to]];
    });
  }

  private isWatched(id: string, atSecs: number): boolean {
    return plansAt(this.history, atSecs).some((plan) => plan.id === id);
  }

  /** While a monitor was left out of the configuration. */
  private absences(id: string): Span[] {
    const { faults, endSecs } = this.history;
    const edits = faults.filter(({ kind }) => kind === 'edit').map(({ fromSecs }) => fromSecs);
    return [...edits, endSecs].flatMap((from, index, all): Span[] =>
      from === endSecs || this.isWatched(id, from) ? [] : [[from, all[index + 1] ?? endSecs]],
    );
  }

  /** It was called down meanwhile, or before and not called up since: the outage may be part of a longer one. */
  private wasNotified(channel: string, id: string, [fromSecs, toSecs]: Span): boolean {
    const about = this.lived.received.filter(
      (message) => message.channel === channel && message.named.includes(id) && message.atSecs <= toSecs,
    );
    if (about.some(({ event, atSecs }) => event === 'down' && atSecs >= fromSecs)) return true;
    // That it can be checked again says nothing of its outage.
    const said = about.filter(({ event }) => event !== 'checks_again');
    return said.findLast(({ atSecs }) => atSecs < fromSecs)?.event === 'down';
  }

  /** The same delivery again: the process died before it knew, or no answer came. */
  private mayRepeat(first: Received, second: Received): boolean {
    // The recovery in between was under way when the channel came back: it failed, and what was sent after it did not.
    if (first.deliveryId !== second.deliveryId) return this.isJustBack(second);
    return first.life !== second.life || !first.isAcknowledged;
  }

  /** Whether the channel stopped refusing, or limiting, within the time that one of its refusals takes. */
  private isJustBack({ channel, atSecs }: Received): boolean {
    return this.history.faults.some(
      (fault) =>
        fault.kind === 'channel' &&
        fault.channel === channel &&
        fault.how !== 'hangs' &&
        fault.toSecs <= atSecs &&
        atSecs < this.runningFrom(fault.toSecs) + refusalSecs[fault.how],
    );
  }

  /** The first moment from then on at which the daemon does not stand still. */
  private runningFrom(secs: number): number {
    const stall = this.history.faults.find(
      ({ kind, fromSecs, toSecs }) => kind === 'stall' && fromSecs <= secs && secs < toSecs,
    );
    return stall?.toSecs ?? secs;
  }

  private byChannelAndSubject(): Map<string, Received[]> {
    const about = this.lived.received.filter(({ subject }) => subject !== null);
    return grouped(about, ({ channel, subject }) => `${channel} ${subject ?? ''}`);
  }

  /** A step of the clock meanwhile may make a silence end at another time than was meant. */
  private silencedUntil(fromSecs: number, toSecs: number): number {
    const isStepped = this.history.faults.some(
      (fault) => fault.kind === 'step' && fault.fromSecs < toSecs && fault.toSecs > fromSecs,
    );
    return isStepped ? fromSecs : toSecs;
  }

  private above(id: string): ReadonlySet<string> {
    const all = new Set<string>();
    const visit = (each: string): void => {
      for (const upstream of this.planOf(each).upstreams) {
        if (all.has(upstream)) continue;
        all.add(upstream);
        visit(upstream);
      }
    };
    visit(id);
    return all;
  }

  private truthAt(id: string, atSecs: number): Spell['truth'] | 'up' {
    const spell = this.history.spells.find(
      ({ monitor, fromSecs, toSecs }) => monitor === id && fromSecs <= atSecs && atSecs < toSecs,
    );
    return spell?.truth ?? 'up';
  }

  private planOf(id: string): WatchedPlan {
    const plan = this.history.monitors.find((each) => each.id === id);
    if (plan === undefined) throw new Error(`a message names ${id}, which is not watched`);
    return plan;
  }
}

/** The monitors that are watched at an instant, as they are set then. */
function plansAt({ monitors, faults }: History, atSecs: number): readonly WatchedPlan[] {
  const edit = faults.findLast((fault) => fault.kind === 'edit' && fault.fromSecs <= atSecs);
  return edit?.kind === 'edit' ? edit.monitors : monitors;
}

/** Every monitor with all the upstreams that it ever has, and the longest of its intervals. */
function plansThroughout({ monitors, faults }: History): readonly WatchedPlan[] {
  const edits = faults.flatMap((fault) => (fault.kind === 'edit' ? [fault.monitors] : []));
  return monitors.map((first) => {
    const plans = [first, ...edits.flatMap((edit) => edit.filter(({ id }) => id === first.id))];
    return {
      ...first,
      intervalSecs: Math.max(...plans.map(({ intervalSecs }) => intervalSecs)),
      upstreams: [...new Set(plans.flatMap(({ upstreams }) => upstreams))],
    };
  });
}

/** Enough failures in a row, and not enough answers since to end them. */
function isConfirmed(known: readonly Checked[], { failThreshold, recoverThreshold }: WatchedPlan): boolean {
  let failures = 0;
  let answers = 0;
  let isDown = false;
  for (const { heard } of known) {
    if (heard === 'good') {
      failures = 0;
      answers += 1;
      if (answers >= recoverThreshold) isDown = false;
    } else {
      answers = 0;
      failures += 1;
      if (failures >= failThreshold) isDown = true;
    }
  }
  return isDown;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function within([from, to]: Span, [least, most]: Span): Span[] {
  const start = Math.max(from, least);
  const end = Math.min(to, most);
  return start < end ? [[start, end]] : [];
}

function without(spans: readonly Span[], [from, to]: Span): Span[] {
  return spans.flatMap((span) => [...within(span, [-Infinity, from]), ...within(span, [to, Infinity])]);
}

function at({ atSecs, channel }: Received): string {
  return `${atSecs.toFixed(1)} s on ${channel}`;
}
