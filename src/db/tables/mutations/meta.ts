/** The changes to the few values that stand alone: the last digest slot, and the like. */
import { text } from './fields.ts';
import { document } from './names.ts';
import { declareWrite } from './write.ts';

export const setMeta = declareWrite(
  'meta.set',
  { name: text(100), value: document },
  (sql, { name, value }) => {
    sql.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, JSON.stringify(value));
    return null;
  },
);
