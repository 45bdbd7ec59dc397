/** Reports the changes that starts of the daemon could not restore, until an operator has seen them. */
import type { Store } from '../../../db/store/store.ts';
import { losses } from '../../../db/tables/losses.ts';
import { instantText } from '../../../engine/core/instant.ts';
import { counted } from '../../../engine/core/words.ts';
import { openConfigured } from '../../open-store.ts';
import { type DoctorFinding, type Examined, fail, ok } from '../finding.ts';

const cure =
  'Restore a backup if something is missing. `statusd doctor --seen` removes this report from the database.';

/** The reports in `store`, which is closed; with `--seen` they are removed from the database. */
export async function lossFindings(
  store: Pick<Store, 'sql' | 'close'>,
  { config, ctx, isSeen }: Examined,
): Promise<readonly DoctorFinding[]> {
  const found = losses.list(store.sql);
  await store.close();
  const shown = found.map(({ at, message }) => `found ${instantText(at)}: ${message}`);
  if (!isSeen || found.length === 0) return shown.map((message) => fail(message, cure));
  const writer = await openConfigured(config, 'writer', ctx.clock);
  try {
    await writer.write([losses.forget(writer.sql, found)]);
  } finally {
    await writer.close();
  }
  return [
    ...shown.map((message) => ok(message)),
    ok(`removed ${counted(found.length, 'report')} of lost changes`),
  ];
}
