import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { registryOf } from '../../../src/engine/probes/domain-rdap.ts';

describe('the registry of a domain', () => {
  const services = [
    { suffixes: ['com'], urls: ['ftp://a.example/', 'http://a.example/', 'https://a.example/'] },
    { suffixes: ['uk'], urls: ['http://b.example/'] },
    { suffixes: ['co.uk'], urls: ['https://c.example/'] },
    { suffixes: ['net'], urls: ['nonsense'] },
  ];

  it('is asked over https where it can be', () => {
    assert.equal(registryOf('example.com', services), 'https://a.example/');
    assert.equal(registryOf('example.uk', services), 'http://b.example/');
  });

  it('is that of the longest match, in whole labels', () => {
    assert.equal(registryOf('a.example.co.uk', services), 'https://c.example/');
    assert.equal(registryOf('example.xco.uk', services), 'http://b.example/');
    assert.equal(registryOf('co.uk', services), 'https://c.example/');
  });

  it('is none where none is listed, or none that can be asked', () => {
    assert.equal(registryOf('example.org', services), null);
    assert.equal(registryOf('example.net', services), null);
    assert.equal(registryOf('', services), null);
  });
});
