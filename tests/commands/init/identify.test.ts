import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { identify } from '../../../src/commands/init/identify.ts';
import { wantedFrom } from '../../../src/commands/init/target.ts';
import { anyCharacter, checkProperty } from '../../support/property.ts';

const idsOf = (...targets: string[]) =>
  identify(
    targets.map((target) => {
      const { questions, host } = wantedFrom(target);
      return { ...questions[0], host };
    }),
  );

describe('identify', () => {
  it('makes an id of the host, without www', () => {
    assert.deepEqual(idsOf('https://www.example.com/x', 'api.example.com', 'tcp://[2001:db8::1]:22'), [
      'example-com',
      'api-example-com',
      '2001-db8-1',
    ]);
  });

  it('adds what distinguishes a target from those before it', () => {
    assert.deepEqual(
      idsOf(
        'https://example.com',
        'http://example.com',
        'https://example.com/health/live',
        'https://example.com:8443/',
        'example.com:5432',
        'icmp://example.com',
        'dns://example.com',
      ),
      [
        'example-com',
        'example-com-http',
        'example-com-health-live',
        'example-com-8443',
        'example-com-5432',
        'example-com-icmp',
        'example-com-dns',
      ],
    );
  });

  it('counts where nothing else helps', () => {
    assert.deepEqual(idsOf('icmp://a', 'icmp://a', 'icmp://a', 'icmp://a'), ['a', 'a-icmp', 'a-2', 'a-3']);
  });

  it('never puts a query into an id: ids are public', () => {
    const ids = idsOf('https://a.example/x?token=hunter2', 'https://a.example/x?token=hunter2');
    assert.ok(!ids.join().includes('hunter2'), ids.join());
  });

  it('gives every target an id of its own that a configuration accepts', () => {
    const host = fc.constantFrom('a', 'www.a', 'a.b', 'x'.repeat(63), `${'long.'.repeat(40)}example`);
    const letter = fc.stringMatching(/^[a-zA-Z0-9\-._~!$&'()*+,;=:@]$/);
    const unit = fc.oneof(
      { weight: 10, arbitrary: letter },
      { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
    );
    const path = fc.array(fc.string({ unit }).map((segment) => `/${segment}`)).map((parts) => parts.join(''));
    const target = fc.oneof(
      fc.tuple(host, path).map(([name, rest]) => `https://${name}${rest}`),
      fc.tuple(host, fc.integer({ min: 1, max: 9 })).map(([name, port]) => `tcp://${name}:${port}`),
      host.map((name) => `icmp://${name}`),
    );
    checkProperty(
      fc.property(fc.array(target, { maxLength: 30 }), (targets) => {
        const ids = idsOf(...targets);
        assert.equal(new Set(ids).size, targets.length);
        for (const id of ids) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
      }),
      300,
    );
  });
});
