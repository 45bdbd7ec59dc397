/** Looks at the routes of this host. */
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok, warn } from '../finding.ts';
import { hostsOf, isLoopback } from '../hosts.ts';

export const networkLook: DoctorCheck = { name: 'network', patienceMs: 10_000, run: lookAtRoutes };

type Family = 'IPv4' | 'IPv6';

/** Name servers of the root zone, whose addresses do not change. Nothing is sent to them. */
const farAway = { IPv4: ['udp4', '198.41.0.4'], IPv6: ['udp6', '2001:503:ba3e::2:30'] } as const;

async function lookAtRoutes({ config }: Examined): Promise<readonly DoctorFinding[]> {
  const [hasV4, hasV6] = await Promise.all([hasRoute('IPv4'), hasRoute('IPv6')]);
  if (hasV4 && hasV6) return [ok('there are routes over IPv4 and IPv6')];
  if (!hasV4 && !hasV6) return [withoutRoute(config)];
  const [has, lacks]: [Family, Family] = hasV4 ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
  const both = config.monitors
    .filter((monitor) => 'dual_stack' in monitor && monitor.dual_stack)
    .map(({ id }) => id);
  if (both.length === 0)
    return [ok(`there is a route over ${has} and none over ${lacks}, which no monitor insists on`)];
  return [
    fail(
      `there is no route over ${lacks}, which ${both.slice(0, 5).join(', ')} need (dual_stack)`,
      `Give this host an ${lacks} address and a default route, or take dual_stack out.`,
    ),
  ];
}

function withoutRoute({ monitors, channels }: Examined['config']): DoctorFinding {
  const isAtHome = channels.length === 0 && hostsOf(monitors).every(isLoopback);
  if (isAtHome) return ok('there is no route to other hosts, and no monitor needs one');
  const isAlone = Object.values(networkInterfaces())
    .flat()
    .every((address) => address === undefined || address.internal);
  if (isAlone) return fail('this host has no network beside itself', 'Connect it.');
  return warn('there is no default route: only hosts of its own networks can be reached', 'Add one.');
}

/** Connecting a UDP socket sends nothing: the kernel only looks for a route and an address to send from. */
function hasRoute(family: Family): Promise<boolean> {
  const [type, address] = farAway[family];
  return new Promise((resolve) => {
    const socket = createSocket(type);
    const settle = (isThere: boolean) => {
      socket.close();
      resolve(isThere);
    };
    socket.once('error', () => {
      settle(false);
    });
    socket.once('connect', () => {
      settle(true);
    });
    socket.connect(53, address);
  });
}
