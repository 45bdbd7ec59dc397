/** Plain text, within bounds and patterns. */
import { replaceHidden } from '../../core/text.ts';
import { bad, good, notA, type ValueType } from './value.ts';

interface TextBounds {
  readonly name?: string;
  /** The most UTF-16 units it may have. */
  readonly max?: number;
  readonly canBeEmpty?: boolean;
  readonly canBreakLines?: boolean;
  /** People read it: it needs a character that can be seen. */
  readonly isShown?: boolean;
}

/** Text of one line (several with `canBreakLines`) without control codes, not empty unless allowed. */
export function text(bounds: TextBounds = {}): ValueType<string> {
  const { name = 'text', max = 10_000, canBeEmpty = false, canBreakLines = false, isShown = false } = bounds;
  return {
    name,
    schema: { type: 'string', maxLength: max, ...(canBeEmpty ? {} : { minLength: 1 }) },
    isSecret: false,
    read: (raw) => {
      if (typeof raw !== 'string') return notA(name, raw);
      if (raw === '' && !canBeEmpty) return bad('must not be empty');
      if (raw.length > max) return bad(`must have at most ${max} characters, not ${raw.length}`);
      if (hasControlCode(raw, canBreakLines)) return bad('must not contain control codes');
      return isShown && replaceHidden(raw, () => '').trim() === ''
        ? bad('must have a visible character')
        : good(raw);
    },
  };
}

const shownName = text({ max: 200, isShown: true });

/** The name of a group, which has a page at `/status/{group}`. Browsers take "." and ".." in an address for folders. */
export const groupName: ValueType<string> = {
  ...shownName,
  read: (raw) =>
    raw === '.' || raw === '..'
      ? bad(`must not be ${JSON.stringify(raw)}: no address can hold it, and a group has a page of its own`)
      : shownName.read(raw),
};

/** Text that also may be written as a whole number, such as the id of a chat. */
export const textOrInteger: ValueType<string> = {
  ...text(),
  name: 'text or an integer',
  schema: { type: ['string', 'integer'] },
  read: (raw) =>
    typeof raw === 'bigint' || Number.isInteger(raw)
      ? good(String(raw))
      : text({ name: 'text or an integer' }).read(raw),
};

/** A text, a number or a boolean: what a JSON value can be compared with. */
export const scalar: ValueType<string | number | boolean> = {
  name: 'text, a number or a boolean',
  schema: { type: ['string', 'number', 'boolean'] },
  isSecret: false,
  read: (raw) => {
    if (typeof raw === 'string' || typeof raw === 'boolean') return good(raw);
    if (typeof raw === 'number' && Number.isFinite(raw)) return good(raw);
    return notA('text, a number or a boolean', raw);
  },
};

/** Text that matches a pattern; `rule` says in words what the pattern allows. */
function matching(
  pattern: RegExp,
  { name, rule }: { readonly name: string; readonly rule: string },
): ValueType<string> {
  return {
    name,
    schema: { type: 'string', pattern: pattern.source },
    isSecret: false,
    read: (raw) => {
      if (typeof raw !== 'string') return notA(name, raw);
      return pattern.test(raw) ? good(raw) : bad(`must be ${name}: ${rule}`);
    },
  };
}

/** The id of a monitor or a node: it stands in URLs as it is. */
export const identifier = matching(/^[A-Za-z0-9_-]{1,128}$/, {
  name: 'an id',
  rule: '1 to 128 letters, digits, hyphens and underscores',
});

/** Whether a text holds C0 or C1 control codes; tabs pass, and line breaks too when allowed. */
export function hasControlCode(value: string, canBreakLines = false): boolean {
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x09 || (canBreakLines && (code === 0x0a || code === 0x0d))) continue;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
