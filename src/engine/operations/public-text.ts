/** Refuses texts for the public that name what strangers are not shown. */
import { type NamedThings, type PrivateMention, privateMentions } from '../config/private-names.ts';
import { StatusdError } from '../core/errors.ts';
import { cleanLine } from '../core/text.ts';
import { counted } from '../core/words.ts';

/** How an operator writes for the public. */
export interface Publishing {
  readonly config: NamedThings;
  /** The text is published as it is. */
  readonly isForced: boolean;
}

/** A text, by what it is called in errors: `title`, `message`. */
type PublicTexts = Readonly<Record<string, string>>;

/**
 * Throws `usage` for texts that name a private monitor, a channel or the host of a target, with their lines, unless it is
 * forced. `about`: the monitors that the texts concern; none: everything. Texts that concern private monitors alone are
 * read by nobody who may not know of these.
 */
export function refusePrivateNames(
  texts: PublicTexts,
  about: readonly string[],
  { config, isForced }: Publishing,
): void {
  if (isForced || !isPublic(about, config.monitors)) return;
  const faults = Object.entries(texts).flatMap(([what, text]) => {
    const isSingle = !text.includes('\n');
    return privateMentions(text, config).map(
      ({ line, kind, name }) =>
        `${isSingle ? `the ${what}` : `line ${line} of the ${what}`} names ${nounOf(kind)} ${named(name)}`,
    );
  });
  if (faults.length === 0) return;
  const shown = faults.slice(0, mostFaults);
  const rest = faults.length - shown.length;
  const more = rest === 0 ? '' : `, and ${counted(rest, 'more such line', 'more such lines')}`;
  throw new StatusdError('usage', `strangers would read this: ${shown.join(', ')}${more}`, {
    hint: 'Change the text, or publish it as it is: `--force` for a command, `force=true` over HTTP, `!` before the text in `statusd top`.',
  });
}

const mostFaults = 20;

/** Whether strangers read what concerns these monitors. One that is no longer configured does not say: assume the most. */
function isPublic(
  about: readonly string[],
  monitors: readonly { readonly id: string; readonly public: boolean }[],
): boolean {
  if (about.length === 0) return true;
  const configured = monitors.filter(({ id }) => about.includes(id));
  return configured.length === 0 || configured.some((one) => one.public);
}

function nounOf(kind: PrivateMention['kind']): string {
  return kind === 'target host' ? 'the host of a target,' : `the ${kind}`;
}

function named(name: string): string {
  return `'${cleanLine(name)}'`;
}
