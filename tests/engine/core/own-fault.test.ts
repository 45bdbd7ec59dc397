/** What an operator reads of a fault of this host, and what monitors that share it are grouped by. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ownFaultKey,
  type OwnFaultKind,
  ownFaultKinds,
  problemOf,
  readOwnFault,
  remedyOf,
} from '../../../src/engine/core/own-fault.ts';

/** The problem as the half of a sentence, and what the remedy has to name. */
const said: Readonly<Record<OwnFaultKind, readonly [problem: string, remedy: RegExp]>> = {
  resolver: ['the resolver does not answer', /^Check the name servers in \/etc\/resolv\.conf/],
  descriptors: ['no file descriptors are left', /^Raise LimitNOFILE \(systemd\) or ulimit -n/],
  memory: ['no memory or processes are left', /^Free memory, or raise the memory and task limits/],
  ports: ['no local ports are left', /^Widen net\.ipv4\.ip_local_port_range/],
  address: ['this host has no address to reach them from', /^Give this host an address of the family/],
  permission: ['this host does not allow the connection', /^Check the firewall .*IPAddressDeny/],
  network: ['the network of this host is down', /^Bring the network interface of this host up$/],
  ping: ['ping is missing or fails', /^Install iputils-ping/],
  ping_denied: ['ping is not allowed to send', /^Give ping the capability cap_net_raw/],
  plugin: ['the plugin cannot be run', /^Check that the plugin exists in exec_dir of \[probes\]/],
  plugin_folder: [
    'the plugin folder cannot be used',
    /^Name the folder that holds the plugins in exec_dir of \[probes\]/,
  ],
  plugin_unknown: ['the plugin reports that it does not know', /^Run the plugin with its arguments by hand/],
  ca_file: ['tls_ca_file cannot be read', /^Check that the file exists, holds PEM certificates/],
  clock: ['the clock of this host is wrong', /^Set the clock of this host \(timedatectl, NTP\)$/],
  standstill: ['this host keeps standing still', /^Give statusd processor time/],
  node_network: ['a node has lost its network', /^Check the network of that node/],
  node_absent: ['no node can check them', /^Start a node that may check them \(statusd nodes lists them\)/],
  node_fault: ['a node cannot check them', /^Run statusd probe .* on that node/],
  program: ['the check itself fails', /^Run statusd probe with the id of the monitor, and look at the log$/],
};

describe('a fault of this host', () => {
  for (const kind of ownFaultKinds)
    it(`is said with its remedy: ${kind}`, () => {
      const [problem, remedy] = said[kind];
      assert.equal(problemOf(kind), problem);
      assert.match(remedyOf(kind), remedy);
      assert.doesNotMatch(remedyOf(kind), /\.$/, 'the full stop is added where it is shown');
    });

  it('names the plugin, the file or the node where each is a cause of its own', () => {
    const named = ['plugin check disk', 'ca_file /etc/ca.pem', 'node_network oslo', 'node_absent eu, us'];
    assert.deepEqual([...named, 'node_fault oslo', 'resolver 10.0.0.1'].map(problemOf), [
      'the plugin check disk cannot be run',
      'tls_ca_file /etc/ca.pem cannot be read',
      'oslo lost the network',
      'no node that may check them is there (eu, us)',
      'the node oslo cannot check them',
      'the resolver does not answer',
    ]);
    assert.equal(remedyOf('plugin check_disk'), remedyOf('plugin'));
  });

  it('is stored under a key that is read back as it was', () => {
    assert.equal(ownFaultKey('resolver'), 'resolver');
    assert.deepEqual(readOwnFault('resolver'), { kind: 'resolver', about: null });
    assert.equal(ownFaultKey('plugin', 'check disk -w 5'), 'plugin check disk -w 5');
    assert.deepEqual(readOwnFault('plugin check disk -w 5'), { kind: 'plugin', about: 'check disk -w 5' });
  });

  it('has a key of a bounded length, however long the name of the plugin is', () => {
    assert.equal(ownFaultKey('plugin', 'x'.repeat(500)), `plugin ${'x'.repeat(120)}`);
  });

  it('of a later version is taken for one of the program', () => {
    assert.deepEqual(readOwnFault('quota of eu'), { kind: 'program', about: 'of eu' });
    assert.equal(problemOf('quota'), 'the check itself fails');
  });
});
