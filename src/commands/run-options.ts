/** The options that commands share, as plain values. */
import type { StatusdCommand } from './base.ts';
import { setFlagsFromString } from 'node:v8';
import { Option } from 'clipanion';

export interface RunOptions {
  /** Null: looked for in the usual places. */
  readonly configFile: string | null;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isColourRefused: boolean;
}

export function runOptions(command: StatusdCommand): RunOptions {
  return {
    configFile: command.configFile ?? null,
    isJson: command.json,
    isQuiet: command.quiet,
    isColourRefused: command.noColor,
  };
}

/**
 * Has WebAssembly compiled once, quickly. Otherwise V8 begins to optimise undici's HTTP parser after the first
 * response, and the process cannot end before that is done: 100 ms and more on Node 20. To be called before
 * anything loads WebAssembly, and after the modules of a command are loaded: with flags set, Node compiles its own anew.
 * SQLite is compiled in a fifth of a second less, and then several times slower: it suits a command that asks it a few
 * questions, and no other.
 */
export function expectShortRun(): void {
  setFlagsFromString('--liftoff-only');
}

/** For what may be set before the first start. */
export const offlineMakes =
  'Change the database directly, without looking for its daemon; create it if it is missing.';

/** `what`: what it does without a daemon, where that is more than leaving the check out. */
export function offlineOption(
  what = 'Change the database directly, without looking for its daemon.',
): boolean {
  return Option.Boolean('--offline', false, { description: what });
}

/** For texts that strangers read. */
export function forceOption(): boolean {
  return Option.Boolean('--force', false, {
    description:
      'Publish the text even if it names a private monitor, a channel or the host of a target. The bare words ' +
      '`localhost` and `127.0.0.1` are refused only with the port of a target, or the path of one without.',
  });
}

/** How a list is printed. */
export interface ListingOptions {
  /** Epoch ms. */
  readonly nowAt: number;
  readonly isQuiet: boolean;
}
