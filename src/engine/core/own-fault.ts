/** Names the faults of this host that keep it from checking a target, with the remedy of each. */

export const ownFaultKinds = [
  'resolver',
  'descriptors',
  'memory',
  'ports',
  'address',
  'permission',
  'network',
  'ping',
  'ping_denied',
  'plugin',
  'plugin_folder',
  'plugin_unknown',
  'ca_file',
  'clock',
  'standstill',
  'node_network',
  'node_absent',
  'node_fault',
  'program',
] as const;
export type OwnFaultKind = (typeof ownFaultKinds)[number];

/** A fault; `about` names the plugin or the file where every one of them is a cause of its own. */
export interface OwnFault {
  readonly kind: OwnFaultKind;
  readonly about: string | null;
}

const longestAbout = 120;

/** `resolver`, `plugin check_disk`: what monitors with the same cause share, as it is stored. */
export function ownFaultKey(kind: OwnFaultKind, about: string | null = null): string {
  return about === null ? kind : `${kind} ${about.slice(0, longestAbout)}`;
}

/** What a key says; one that this version does not know is taken as a fault of the program. */
export function readOwnFault(key: string): OwnFault {
  const [word = '', ...rest] = key.split(' ');
  const kind = ownFaultKinds.find((known) => known === word) ?? 'program';
  return { kind, about: rest.length === 0 ? null : rest.join(' ') };
}

/** How many checks in a row it has to prevent, at the least: a single standstill, as of a suspended laptop, is none. */
export function leastChecks(key: string): number {
  return readOwnFault(key).kind === 'standstill' ? 2 : 1;
}

/** The cause as the second half of a sentence: `the resolver does not answer`. */
export function problemOf(key: string): string {
  const { kind, about } = readOwnFault(key);
  const plugin = about === null ? 'the plugin' : `the plugin ${about}`;
  switch (kind) {
    case 'resolver':
      return 'the resolver does not answer';
    case 'descriptors':
      return 'no file descriptors are left';
    case 'memory':
      return 'no memory or processes are left';
    case 'ports':
      return 'no local ports are left';
    case 'address':
      return 'this host has no address to reach them from';
    case 'permission':
      return 'this host does not allow the connection';
    case 'network':
      return 'the network of this host is down';
    case 'ping':
      return 'ping is missing or fails';
    case 'ping_denied':
      return 'ping is not allowed to send';
    case 'plugin':
      return `${plugin} cannot be run`;
    case 'plugin_folder':
      return 'the plugin folder cannot be used';
    case 'plugin_unknown':
      return `${plugin} reports that it does not know`;
    case 'ca_file':
      return about === null ? 'tls_ca_file cannot be read' : `tls_ca_file ${about} cannot be read`;
    case 'clock':
      return 'the clock of this host is wrong';
    case 'standstill':
      return 'this host keeps standing still';
    case 'node_network':
      return about === null ? 'a node has lost its network' : `${about} lost the network`;
    case 'node_absent':
      return about === null ? 'no node can check them' : `no node that may check them is there (${about})`;
    case 'node_fault':
      return about === null ? 'a node cannot check them' : `the node ${about} cannot check them`;
    case 'program':
      return 'the check itself fails';
  }
}

/** What the operator can do about it, as a sentence without its full stop. */
export function remedyOf(key: string): string {
  switch (readOwnFault(key).kind) {
    case 'resolver':
      return 'Check the name servers in /etc/resolv.conf, and that this host reaches them';
    case 'descriptors':
      return 'Raise LimitNOFILE (systemd) or ulimit -n, then restart statusd';
    case 'memory':
      return 'Free memory, or raise the memory and task limits of the service';
    case 'ports':
      return 'Widen net.ipv4.ip_local_port_range, or check fewer targets at once';
    case 'address':
      return 'Give this host an address of the family that the target uses, or watch the target by another address';
    case 'permission':
      return 'Check the firewall and the sandbox of the service (IPAddressDeny, SELinux, seccomp)';
    case 'network':
      return 'Bring the network interface of this host up';
    case 'ping':
      return 'Install iputils-ping, and check that ping works on this host';
    case 'ping_denied':
      return 'Give ping the capability cap_net_raw, or widen net.ipv4.ping_group_range';
    case 'plugin':
      return 'Check that the plugin exists in exec_dir of [probes], is executable and ends by itself';
    case 'plugin_folder':
      return 'Name the folder that holds the plugins in exec_dir of [probes], or in STATUSD_EXEC_DIR';
    case 'plugin_unknown':
      return 'Run the plugin with its arguments by hand: exit status 3 means that it could not check its target';
    case 'ca_file':
      return 'Check that the file exists, holds PEM certificates and can be read by statusd';
    case 'clock':
      return 'Set the clock of this host (timedatectl, NTP)';
    case 'standstill':
      return 'Give statusd processor time (CPU limits, a busy or paused virtual machine), or run it on a host that is not suspended';
    case 'node_network':
      return 'Check the network of that node: other nodes reach other targets meanwhile';
    case 'node_absent':
      return 'Start a node that may check them (statusd nodes lists them), or name others in nodes of the monitor';
    case 'node_fault':
      return 'Run statusd probe with the id of the monitor on that node: it says what is missing there';
    case 'program':
      return 'Run statusd probe with the id of the monitor, and look at the log';
  }
}
