/** What starts of the daemon had to give up of the database: kept in it until an operator has seen it. */
import { aNumber, aText, document, readList } from '../../engine/core/decode.ts';
import type { Operation } from '../store/operation.ts';
import type { SqlReader } from '../store/sql.ts';
import { meta } from './meta.ts';

// A type, not an interface: it is stored as JSON.
export type Loss = {
  /** When it was found, epoch ms. */
  readonly at: number;
  /** A sentence that names the file, or the shared log. */
  readonly message: string;
};

const name = 'losses';

/** A disk that goes on failing adds some at each start. */
const mostKept = 50;

const aLoss = document({ at: aNumber, message: aText });

export const losses = {
  /** The oldest first; none: nothing was lost, or everything was seen. */
  list: (sql: SqlReader): readonly Loss[] => readList(meta.get(sql, name), aLoss),

  /** The operations that add these; none: all of them are kept already. */
  add: (sql: SqlReader, found: readonly Loss[]): readonly Operation[] => {
    const kept = losses.list(sql);
    const isNew = ({ message }: Loss) => kept.every((loss) => loss.message !== message);
    const added = found.filter(isNew).map(({ at, message }) => ({ at, message }));
    return added.length === 0 ? [] : [meta.set({ name, value: [...kept, ...added].slice(-mostKept) })];
  },

  /** The operation that forgets these, and keeps what was found meanwhile. */
  forget: (sql: SqlReader, seen: readonly Loss[]): Operation =>
    meta.set({
      name,
      value: losses.list(sql).filter(({ message }) => seen.every((loss) => loss.message !== message)),
    }),
};
