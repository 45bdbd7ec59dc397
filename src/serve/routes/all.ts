/** Every route there is. */
import { alert } from './alert.ts';
import { announce, clearAnnouncements } from './announce.ts';
import { healthz } from './healthz.ts';
import { incidents } from './incidents.ts';
import { latency } from './latency.ts';
import { push } from './push.ts';
import type { Route } from './route.ts';
import { silence } from './silence.ts';
import { summary } from './summary.ts';

export const routes: readonly Route[] = [
  healthz,
  summary,
  incidents,
  latency,
  push,
  alert,
  silence,
  announce,
  clearAnnouncements,
];
