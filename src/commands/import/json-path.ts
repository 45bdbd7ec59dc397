/** Writes JSONPath (RFC 9535). */

/** A member by name, or an element by index. */
export type PathStep = string | number;

const maxSteps = 50;

const step = /^\.(?:([\p{L}_][\p{L}\p{N}_]*)|`([^`]*)`)/u;

/** Reads the paths of JSONata, `user.name`, `data[0].id` or `$.status`; null when it is more than a plain path. */
export function readPath(text: string): readonly PathStep[] | null {
  const steps: PathStep[] = [];
  let rest = text
    .trim()
    .replace(/^\$(?=[.[]|$)/, '')
    .replace(/^(?=[^.[])/, '.');
  while (rest !== '' && steps.length < maxSteps) {
    const index = /^\[\s*(-?\d{1,9})\s*\]/.exec(rest);
    const found = index ?? step.exec(rest);
    if (found === null) return null;
    steps.push(index === null ? (found[1] ?? found[2] ?? '') : Number(index[1]));
    rest = rest.slice(found[0].length);
  }
  return rest === '' && !constants.has(steps[0] ?? '') ? steps : null;
}

/** Values of JSONata, not names. */
const constants: ReadonlySet<PathStep> = new Set(['true', 'false', 'null']);

/** `$.user['first-name'][0]`. */
export function pathText(steps: readonly PathStep[]): string {
  const texts = steps.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `.${step}` : `[${literal(step)}]`;
  });
  return `$${texts.join('')}`;
}

/** A query that finds something when every test holds. A test is an expression over absolute paths. */
export function whenAll(tests: readonly string[]): string {
  return `$[?${tests.join(' && ')}]`;
}

/** A text, number or boolean in an expression: between apostrophes where the text needs no escapes. */
export function literal(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const text = value.replace(/\p{Cs}/gu, '\ufffd');
  return /^[^'"\\\p{Cc}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text);
}

/** Tests whether a path finds this text, also as the number or boolean that is written like it. */
export function equals(path: string, text: string): string {
  const forms = [
    literal(text),
    ...(/^(?:true|false|-?\d{1,15}(?:\.\d{1,15})?)$/.test(text) ? [jsonNumber(text)] : []),
  ];
  const tests = forms.map((form) => `${path} == ${form}`);
  return tests.length === 1 ? (tests[0] ?? '') : `(${tests.join(' || ')})`;
}

/** A text as a pattern of match() and search() that stands for itself (RFC 9485). */
export function quotePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (mark) => (mark === '/' ? '/' : `\\${mark}`));
}

/** JSON knows no leading zeros. */
function jsonNumber(text: string): string {
  return /^(?:true|false)$/.test(text) ? text : String(Number(text));
}
