/** Works out the turns of rotations and prints them. */
import { onCallOf } from '../../engine/alerting/route.ts';
import type { Config, Rotation } from '../../engine/config/config.ts';
import { durationText } from '../../engine/core/duration.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { minuteText, rfc3339 } from '../../engine/core/instant.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { turnAt } from '../../engine/core/rotation.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { instantArgument, quoted } from '../../engine/operations/arguments.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';

export interface OncallRun extends RunOptions {
  /** Null: all of them. */
  readonly rotation: string | null;
  /** Null: now. */
  readonly at: string | null;
}

/** Instants are epoch ms. */
interface ShownTurn {
  /** Null: no member can be reached. */
  readonly onCall: string | null;
  /** Who would have the turn, where their channel is disabled; null: who is on call. */
  readonly passedOver: string | null;
  readonly fromAt: number;
  readonly untilAt: number;
}

interface ShownRotation {
  readonly name: string;
  readonly timezone: string;
  /** The one that the instant lies in, and those that follow. */
  readonly turns: readonly [ShownTurn, ShownTurn, ...ShownTurn[]];
}

/** Turns after the present one. */
const followingTurns = 7;

export async function performOncall(run: OncallRun, context: Context): Promise<ExitCode> {
  const { config } = await openConfig(run.configFile, context);
  const nowAt = context.clock.now();
  const at = run.at === null ? nowAt : instantArgument(run.at, nowAt);
  const shown = chosenOf(run.rotation, config).map((rotation) => shownRotation(rotation, config, at));
  if (run.isJson) {
    context.stdout.write(`${toJson({ at: rfc3339(at), rotations: shown.map(rotationJson) })}\n`);
  } else {
    const names = shown.flatMap(({ name, turns }) => [name, ...turns.map(({ onCall }) => onCall ?? '')]);
    const output = await openTerminalOutput(context, run.isColourRefused, names.map(cleanLine));
    context.stdout.write(
      run.rotation === null
        ? allText(shown, { at, isQuiet: run.isQuiet }, output)
        : turnsText(shown, run, output),
    );
  }
  return shown.some(({ turns: [{ onCall }] }) => onCall === null) ? exitCodes.wrong : exitCodes.ok;
}

function chosenOf(name: string | null, { rotations }: Config): readonly Rotation[] {
  if (name === null) return rotations;
  const found = rotations.find((rotation) => rotation.name === name);
  if (found !== undefined) return [found];
  const known = rotations.map((rotation) => rotation.name);
  const guess = nearest(name, known);
  const all =
    known.length === 0 ? 'The configuration has none.' : `There are: ${cleanLine(known.join(', '))}.`;
  throw new StatusdError('not_found', `there is no rotation ${quoted(name)}`, {
    hint: guess === null ? all : `Did you mean ${cleanLine(guess)}?`,
  });
}

function shownRotation(rotation: Rotation, { channels }: Config, at: number): ShownRotation {
  const turnOf = (instant: number): ShownTurn => {
    const { index, sinceAt, untilAt } = turnAt(rotation, instant);
    const member = rotation.members[index] ?? null;
    const onCall = onCallOf(rotation, channels, instant);
    return { onCall, passedOver: member === onCall ? null : member, fromAt: sinceAt, untilAt };
  };
  const first = turnOf(at);
  const second = turnOf(first.untilAt);
  const turns: [ShownTurn, ShownTurn, ...ShownTurn[]] = [first, second];
  for (let last = second; turns.length <= followingTurns; turns.push(last)) last = turnOf(last.untilAt);
  return { name: rotation.name, timezone: rotation.timezone, turns };
}

function allText(
  rotations: readonly ShownRotation[],
  { at, isQuiet }: { readonly at: number; readonly isQuiet: boolean },
  output: TerminalOutput,
): string {
  if (rotations.length === 0) return isQuiet ? '' : 'No rotations: add [[rotations]] to the configuration.\n';
  const { bold, dim } = output.paint;
  const columns = [
    { heading: 'ROTATION', least: 8 },
    { heading: 'ON CALL', least: 8 },
    { heading: 'UNTIL (UTC)' },
    { heading: 'LEFT', spare: 1 },
    { heading: 'NEXT', least: 8, spare: 2 },
  ];
  const rows = rotations.map(({ name, turns: [now, next] }) => [
    { text: cleanLine(name) },
    { text: whoText(now), paint: bold },
    { text: minuteText(now.untilAt) },
    { text: durationText(now.untilAt - at), paint: dim },
    { text: whoText(next) },
  ]);
  return `${tableLines({ columns, rows }, output, { hasHeading: !isQuiet }).join('\n')}\n`;
}

function turnsText(
  rotations: readonly ShownRotation[],
  { isQuiet }: OncallRun,
  output: TerminalOutput,
): string {
  const columns = [{ heading: 'FROM (UTC)' }, { heading: 'UNTIL (UTC)' }, { heading: 'ON CALL', least: 8 }];
  const rows = rotations.flatMap(({ turns }) =>
    turns.map((turn, index) => [
      { text: minuteText(turn.fromAt) },
      { text: minuteText(turn.untilAt) },
      { text: whoText(turn), ...(index === 0 && { paint: output.paint.bold }) },
    ]),
  );
  return `${tableLines({ columns, rows }, output, { hasHeading: !isQuiet }).join('\n')}\n`;
}

function whoText({ onCall, passedOver }: ShownTurn): string {
  if (onCall === null) return 'nobody: the channels of all members are disabled';
  return passedOver === null ? cleanLine(onCall) : cleanLine(`${onCall} (${passedOver} is disabled)`);
}

function rotationJson({ name, timezone, turns }: ShownRotation) {
  const [now, next] = turns;
  return {
    name,
    timezone,
    on_call: now.onCall,
    since: rfc3339(now.fromAt),
    until: rfc3339(now.untilAt),
    next: next.onCall,
    turns: turns.map(({ onCall, passedOver, fromAt, untilAt }) => ({
      on_call: onCall,
      passed_over: passedOver,
      from: rfc3339(fromAt),
      until: rfc3339(untilAt),
    })),
  };
}
