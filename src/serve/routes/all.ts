/** Every route there is. */
import { ackByLink, acknowledgeIncident, ackPage, unacknowledgeIncident } from './acknowledge.ts';
import { alert } from './alert.ts';
import { announce, clearAnnouncements } from './announce.ts';
import { event } from './event.ts';
import { healthz } from './healthz.ts';
import { calendar, feed, history } from './history.ts';
import { incidentByName, incidents, openIncident, updateIncident } from './incidents.ts';
import { latency } from './latency.ts';
import { live } from './live.ts';
import { cancelledMaintenance, listedMaintenance, planMaintenance } from './maintenance.ts';
import { metrics } from './metrics.ts';
import { incidentPage, monitorPage } from './monitor.ts';
import { openapiRoute } from './openapi.ts';
import { bitmapIcon, darkLogo, heatmap, icon, logo, statusBadge, touchIcon, uptimeBadge } from './picture.ts';
import { nodeChecks } from './node-checks.ts';
import { peerProbe } from './peer-probe.ts';
import { push, pushByGet } from './push.ts';
import { report } from './report.ts';
import type { Route } from './route.ts';
import {
  askForMails,
  changeSubscription,
  subscribePage,
  subscriptionPage,
  unsubscribe,
  unsubscribePage,
} from './subscribe.ts';
import { checkNow, explainMonitor } from './check.ts';
import { endSilence, silence } from './silence.ts';
import { groupPage, statusPage } from './status.ts';
import { statuspage } from './statuspage.ts';
import { summary } from './summary.ts';

export const routes: readonly Route[] = [
  statusPage,
  groupPage,
  monitorPage,
  incidentPage,
  history,
  feed,
  subscribePage,
  askForMails,
  subscriptionPage,
  changeSubscription,
  unsubscribePage,
  unsubscribe,
  ackPage,
  ackByLink,
  calendar,
  report,
  icon,
  bitmapIcon,
  touchIcon,
  logo,
  darkLogo,
  healthz,
  metrics,
  summary,
  ...statuspage,
  incidents,
  openIncident,
  incidentByName,
  updateIncident,
  acknowledgeIncident,
  unacknowledgeIncident,
  event,
  latency,
  live,
  checkNow,
  explainMonitor,
  heatmap,
  statusBadge,
  uptimeBadge,
  push,
  pushByGet,
  alert,
  peerProbe,
  nodeChecks,
  silence,
  endSilence,
  planMaintenance,
  listedMaintenance,
  cancelledMaintenance,
  announce,
  clearAnnouncements,
  openapiRoute(() => routes),
];
