/** Words of the API, of stored rows and of webhooks: another word for one of them breaks whoever reads them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { verdicts } from '../../../src/engine/alerting/reasons.ts';
import { errorCodes } from '../../../src/engine/core/errors.ts';
import { categories } from '../../../src/engine/core/probe.ts';
import {
  deliveryStates,
  incidentImpacts,
  incidentStates,
  recentChangeMs,
} from '../../../src/engine/core/record.ts';
import { overallStates, statuses } from '../../../src/engine/core/status.ts';

it('the words that others store and read stay as they are', () => {
  const words = { statuses, overallStates, deliveryStates, incidentImpacts, incidentStates };
  assert.deepEqual(Object.entries({ ...words, categories, errorCodes, verdicts }).map(textOf), [
    'statuses: up degraded down unknown',
    'overallStates: up degraded partial_outage major_outage maintenance unknown',
    'deliveryStates: waiting sent given_up dropped',
    'incidentImpacts: degraded partial major maintenance none',
    'incidentStates: investigating identified monitoring resolved',
    'categories: timeout dns connection tls certificate_key status content redirect protocol plugin heartbeat address_family own_fault',
    'errorCodes: usage config_missing config_unreadable config_invalid store_unusable store_in_use store_full store_failing address_unusable daemon_unreachable not_found conflict refused interrupted',
    'verdicts: queued held told spared undelivered',
  ]);
});

it('what was changed half an hour before the first failure may have caused it', () => {
  assert.equal(recentChangeMs, 30 * 60_000);
});

function textOf([name, words]: readonly [string, readonly string[]]): string {
  return `${name}: ${words.join(' ')}`;
}
