/** Keeps in a shared database that it went back to an earlier state: once a node leads, since only that one writes. */
import { isWentBack } from '../../db/shared/log.ts';
import type { Store } from '../../db/store/store.ts';
import { losses } from '../../db/tables/losses.ts';
import { reasonOf } from './opening.ts';

export class SharedLosses {
  private found: string[] = [];

  /** Notes why the store of this node ended, or was read anew. */
  readonly note = (why: unknown): void => {
    if (isWentBack(why)) this.found.push(reasonOf(why));
  };

  /** Writes what was noted. `store` is that of a node that leads. */
  async keep({ sql, write }: Pick<Store, 'sql' | 'write'>, at: number): Promise<void> {
    const operations = losses.add(
      sql,
      this.found.map((message) => ({ at, message })),
    );
    if (operations.length > 0) await write(operations);
    this.found = [];
  }
}
