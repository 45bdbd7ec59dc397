import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pastUid, programName, recordedBy } from '../../../src/engine/core/past-uid.ts';

describe('an incident that another program recorded', () => {
  it('has a uid that says which program and which outage it was', () => {
    assert.equal(pastUid('kuma', 'web-1', 1700), 'kuma-web-1-1700');
    assert.equal(recordedBy(pastUid('kuma', 'web-1', 1700)), 'Uptime Kuma');
    assert.equal(recordedBy(pastUid('hora', 'db', 5)), 'Hora');
    assert.equal(programName('hora'), 'Hora');
  });

  it('is not taken for one that was watched here, nor the other way round', () => {
    const own = ['6f9619ff-8b86-4011-b42d-00c04fc964ff', 'kuma-web-', 'kuma-5', 'xkuma1-web-5', '', 'web'];
    for (const uid of [
      ...own,
      'nagios-web-5',
      'kuma-web-5x',
      'Kuma-web-5',
      'toString-a-5',
      'constructor-a-5',
    ])
      assert.equal(recordedBy(uid), null, uid);
  });
});
