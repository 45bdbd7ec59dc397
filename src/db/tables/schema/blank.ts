/** An empty database as a file of dist/, which the build makes: opening it takes a tenth of what the migrations do. */
import { readFile } from 'node:fs/promises';
import type { StoreSchema } from '../../store/operation.ts';
import { openReplica } from '../../store/replica.ts';

/** Null: it was not made, as in the sources. */
export function blankPages(): Promise<Uint8Array | null> {
  return readFile(new URL('./blank.db', import.meta.url)).catch(() => null);
}

/** An empty database of `schema`, made by its migrations. */
export async function makeBlank(schema: Omit<StoreSchema, 'blankPages'>): Promise<Uint8Array> {
  const { version, operations, migrate } = schema;
  const { sql } = await openReplica(null, { version, operations, migrate }, '');
  const pages = sql.exportPages();
  sql.close();
  return pages;
}
