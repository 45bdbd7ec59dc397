import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressClass, type AddressClass, hostClass } from '../../../src/engine/net/address-class.ts';

const written: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    '8.8.8.8',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '169.253.0.1',
    '192.167.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '[2606:4700::1111]',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ],
  loopback: [
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '::127.0.0.1',
    '2002:7f00:1::1',
  ],
  link_local: ['169.254.1.1', 'fe80::1', 'fe80::1%eth0', '[fe80::1%25eth0]', 'febf::1', '::ffff:169.254.1.1'],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.127.255.255',
    '198.18.0.1',
    'fc00::1',
    'fdff::1',
    'fec0::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::8.8.8.8',
    '2002:a00:1::1',
    '2001:0:0:0:0:0:f5ff:fffe',
  ],
  metadata: [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'FD00:EC2:0::254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
  ],
  reserved: ['224.0.0.1', '255.255.255.255', '240.0.0.1', 'ff02::1', '100::1', '4000::1', 'no address'],
};

describe('the class of an address', () => {
  for (const [named, addresses] of Object.entries(written))
    it(`is ${named} however the address is written`, () => {
      for (const address of addresses) assert.equal(addressClass(address), named, address);
    });

  it('is read from a name where nothing else is known of it', () => {
    const names: Readonly<Record<string, AddressClass>> = {
      'example.com': 'public',
      'internal.example.com': 'public',
      localhost: 'loopback',
      'a.localhost.': 'loopback',
      intranet: 'private',
      'nas.local': 'private',
      'a.b.HOME.ARPA': 'private',
      'metadata.google.internal': 'metadata',
      'metadata.google.internal.': 'metadata',
      '[::1]': 'loopback',
      '10.0.0.1': 'private',
      '8.8.8.8': 'public',
    };
    for (const [name, named] of Object.entries(names)) assert.equal(hostClass(name), named, name);
  });
});
