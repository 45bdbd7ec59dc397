/** Reads the JSON that Uptime Kuma 1.x exported as a backup. */
import type { KumaData } from './data.ts';
import { monitorFrom, notificationFrom, proxyFrom, tagText } from './from-record.ts';
import { isRecord, recordsIn, textIn } from '../record.ts';

/** Null when the value is no such backup. */
export function readKumaBackup(value: unknown): KumaData | null {
  if (!isRecord(value) || (!Array.isArray(value['monitorList']) && !isRecord(value['monitorList'])))
    return null;
  const version = textIn(value, 'version');
  return {
    program: version === '' ? 'a backup of Uptime Kuma' : `a backup of Uptime Kuma ${version}`,
    monitors: recordsIn(value['monitorList']).map((record) => {
      const routes = isRecord(record['notificationIDList']) ? record['notificationIDList'] : {};
      return monitorFrom(record, {
        notificationIds: Object.keys(routes)
          .filter((id) => routes[id] === true)
          .map(Number),
        tags: recordsIn(record['tags']).map(tagText),
      });
    }),
    notifications: recordsIn(value['notificationList']).map(notificationFrom),
    proxies: recordsIn(value['proxyList']).map(proxyFrom),
    maintenance: [],
    notices: [],
    pageTitles: [],
    settings: new Map(),
  };
}
