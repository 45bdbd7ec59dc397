/** `statusd completion words`: the live words that completion scripts ask for. It has no usage, so help leaves it out. */
import { Option } from 'clipanion';
import type { Config } from '../../engine/config/config.ts';
import { type Selectable, selectablePeer } from '../../engine/operations/select-monitors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { StatusdCommand } from '../base.ts';
import { exitCodes, type ExitCode } from '../exit.ts';

export class CompletionWordsCommand extends StatusdCommand {
  static override paths = [['completion', 'words']];

  /** `monitor`, `group`, `rotation`, or `subject`: monitors and peers. */
  sort = Option.String();

  /** Prints one word a line. Whatever goes wrong, a shell in the middle of a line is not the place to say so. */
  async run(): Promise<ExitCode> {
    try {
      const { openConfig } = await import('../open-config.ts');
      const { config } = await openConfig(this.configFile ?? null, this.context);
      const words = wordsOf(this.sort, config);
      this.context.stdout.write([...new Set(words)].map((word) => `${cleanLine(word)}\n`).join(''));
    } catch {
      return exitCodes.ok;
    }
    return exitCodes.ok;
  }
}

function wordsOf(sort: string, { monitors, peers, rotations }: Config): readonly string[] {
  const named = (some: readonly Selectable[]) => [...some.map(({ id }) => id), ...namesOf(some)];
  switch (sort) {
    case 'group':
      return monitors.flatMap(({ group }) => group ?? []);
    case 'rotation':
      return rotations.map(({ name }) => name);
    case 'monitor':
      return named(monitors);
    case 'subject':
      return named([...monitors, ...peers.map(selectablePeer)]);
    default:
      return [];
  }
}

/** The display names by which one monitor alone is found; a shell quotes those that need it. */
function namesOf(known: readonly Selectable[]): readonly string[] {
  const taken = new Map<string, number>();
  for (const { name } of known) if (name !== undefined) taken.set(name, (taken.get(name) ?? 0) + 1);
  const ids = new Set(known.map(({ id }) => id));
  return [...taken].flatMap(([name, count]) => (count > 1 || ids.has(name) ? [] : [name]));
}
