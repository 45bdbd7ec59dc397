import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configReference, type SettingReference } from '../../../src/engine/config/reference.ts';
import { allSections, tablesOf } from '../../../src/engine/config/sections.ts';

function settings(section: string): readonly SettingReference[] {
  return configReference().find(({ name }) => name === section)?.settings ?? [];
}

function setting(section: string, key: string): SettingReference | undefined {
  return settings(section).find((one) => one.key === key);
}

describe('the reference', () => {
  it('has every key of every section, for every kind it fits', () => {
    for (const section of allSections) {
      for (const [variant, rows] of tablesOf(section)) {
        for (const key of Object.keys(rows)) {
          const found = settings(section.name).filter(
            ({ key: other, fits }) => other === key && (fits === null || fits.includes(variant ?? '')),
          );
          assert.equal(found.length, 1, `${section.name} ${variant ?? ''} ${key}`);
        }
      }
    }
  });

  it('says type, default and what it fits in words', () => {
    assert.deepEqual(setting('alerts', 'fail_threshold'), {
      key: 'fail_threshold',
      type: 'an integer from 1 to 100',
      default: '3',
      doc: 'Failed checks in a row that confirm a monitor is down.',
      example: '3',
      fits: null,
      isSecret: false,
    });
    const defaults = (keys: readonly string[]) => keys.map((key) => setting('monitors', key)?.default);
    assert.deepEqual(defaults(['id', 'name', 'kind', 'fail_threshold', 'proxy', 'headers', 'method']), [
      'required',
      'same as id',
      '"http"',
      'from [alerts].fail_threshold',
      'none',
      '{}',
      '"GET"',
    ]);
    assert.deepEqual(setting('monitors', 'cert_pin')?.fits, ['http', 'tcp']);
    assert.deepEqual(setting('monitors', 'notify')?.fits, null);
    assert.equal(setting('monitors', 'kind')?.type, 'one of http, tcp, icmp, dns, push, exec');
    assert.equal(setting('monitors', 'push_token')?.isSecret, true);
    assert.equal(setting('channels', 'type')?.default, 'required');
  });

  it('lists a key that means something else in another kind again', () => {
    const targets = settings('monitors').filter(({ key }) => key === 'target');
    assert.deepEqual(
      targets.map(({ fits }) => fits),
      [['http'], ['tcp'], ['icmp'], ['dns']],
    );
  });
});
