/** Takes what the store finds wrong with its files into the log. */
import type { Store } from '../../db/store/store.ts';
import type { Log } from '../../engine/core/log.ts';

/** What was found when opening, and after that whatever the files come to show. */
export function watchStore(store: Pick<Store, 'warnings' | 'onChange'>, log: Log): void {
  let notified = 0;
  const report = () => {
    const warnings = store.warnings();
    for (const { file, message } of warnings.slice(notified)) {
      log({ level: 'warning', event: 'store.warning', message, fields: { file } });
    }
    notified = warnings.length;
  };
  report();
  store.onChange(report);
}
