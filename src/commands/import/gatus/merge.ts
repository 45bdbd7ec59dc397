/** Merges the files of a configuration folder as Gatus does, and remembers which file said what. */
import { StatusdError } from '../../../engine/core/errors.ts';
import { isRecord, type Loose } from '../record.ts';

export interface FilePart {
  /** Its path within the folder. */
  readonly file: string;
  readonly value: Loose;
}

export interface Merged {
  readonly root: Loose;
  /** The file that a record stands in, or those that its keys are spread over; null: none of these. */
  readonly fileOf: (value: unknown) => string | null;
}

/**
 * Maps are merged at any depth, lists are joined in the order of the files, and anything else may be given once:
 * Gatus does not start otherwise, and so this throws a usage error, which names both files.
 */
export function mergeParts(parts: readonly FilePart[]): Merged {
  const files = new Map<unknown, readonly string[]>();
  const givenIn = new Map<string, string>();
  const claim = (record: Loose, others: readonly string[]) =>
    files.set(record, [...new Set([...others, ...(files.get(record) ?? [])])]);
  const joined = (base: unknown, more: unknown, at: Place): unknown => {
    if (isRecord(more)) return merged(isRecord(base) ? base : refuseOther(base, at), more, at);
    if (!Array.isArray(more)) return base === undefined ? more : refuseTwice(at);
    for (const one of more as unknown[]) if (isRecord(one)) claim(one, [at.file]);
    return Array.isArray(base) ? [...(base as unknown[]), ...(more as unknown[])] : more;
  };
  const refuseTwice = ({ file, path }: Place): never => {
    throw twice({ file, path }, givenIn.get(path) ?? 'another file');
  };
  const refuseOther = (base: unknown, at: Place): Loose => (base === undefined ? {} : refuseTwice(at));
  const merged = (base: Loose, more: Loose, { file, path }: Place): Loose => {
    const keys = new Map(Object.entries(base));
    for (const [key, value] of Object.entries(more)) {
      const at = { file, path: path === '' ? key : `${path}.${key}` };
      keys.set(key, joined(keys.get(key), value, at));
      if (!givenIn.has(at.path)) givenIn.set(at.path, file);
    }
    const record = Object.fromEntries(keys);
    claim(record, [...(files.get(base) ?? []), file]);
    return record;
  };
  const root = parts.reduce<Loose>((base, { file, value }) => merged(base, value, { file, path: '' }), {});
  return { root, fileOf: (value) => files.get(value)?.join(', ') ?? null };
}

interface Place {
  readonly file: string;
  /** `ui.title`. */
  readonly path: string;
}

function twice({ file, path }: Place, before: string): StatusdError {
  return new StatusdError('usage', `${file}: ${path} is given in ${before} already`, {
    hint: 'Of several files, Gatus joins maps and lists alone, and does not start with this either.',
  });
}
