/** Adds a row that people address by its number, so that its number outlives damage to the records before. */
import { fixNumber, type RowIdentity, type NumberedTable } from './mutations/numbers.ts';
import type { Json, Operation } from '../store/operation.ts';

export interface NumberedWrite {
  /** One transaction; resolves with its answers once it is durable. */
  readonly write: (operations: readonly Operation[]) => Promise<readonly Json[]>;
  /** The number and the uid that the row is to have. */
  readonly identity: RowIdentity;
}

/**
 * Writes `operation`, which adds the row and answers its number. Another process may have been given the wanted
 * number a moment before: then the one it got is written down behind it. Rejects when the row is not durable.
 */
export async function addNumbered(
  operation: Operation,
  table: NumberedTable,
  { write, identity: { id: wanted, uid } }: NumberedWrite,
): Promise<number> {
  const [answer] = await write([operation]);
  const id = Number(answer);
  // The row is durable by now; without this its number is as good as those of earlier versions were.
  if (id !== wanted) await write([fixNumber({ table, uid, id })]).catch(() => undefined);
  return id;
}
