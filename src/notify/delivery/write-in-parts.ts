/** Writes in parts, so that a storm delays nothing else. */
import type { Operation } from '../../db/store/operation.ts';
import type { Yielder } from '../../engine/core/yielding.ts';

export interface PartsWriter {
  readonly yielder: Yielder;
  readonly write: (operations: readonly Operation[]) => Promise<void>;
}

/** Operations that need not be written together, but can be. */
const atOnce = 50;

/** Writes what `operationsOf` answers for each of `subjects`, which is asked one after the other. */
export async function writeEach<Subject>(
  subjects: Iterable<Subject>,
  operationsOf: (subject: Subject) => readonly Operation[],
  { yielder, write }: PartsWriter,
): Promise<void> {
  let operations: Operation[] = [];
  for (const subject of subjects) {
    await yielder.pass();
    operations.push(...operationsOf(subject));
    if (operations.length < atOnce) continue;
    await write(operations);
    operations = [];
  }
  if (operations.length > 0) await write(operations);
}

/** Lets several writes be under way at once: the failure of the first must not count as unhandled meanwhile. */
export function begun(writing: Promise<void>): Promise<void> {
  writing.catch(() => undefined);
  return writing;
}
