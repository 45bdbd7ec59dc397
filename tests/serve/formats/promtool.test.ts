import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { printedSeed } from '../../support/random.ts';
import { hostileTexts } from '../pages/hostile.ts';
import { openWorld, startAt, type World } from '../world.ts';
import { skipWithout } from '../../support/tool.ts';

const operator = { authorization: 'Bearer operator-token' };
const openMetrics = { accept: 'application/openmetrics-text;version=1.0.0' };

/** Names as a configuration can hold them: without control codes. */
const names = hostileTexts(printedSeed())
  .slice(0, 60)
  .map((text) =>
    Buffer.from(text)
      .toString()
      .replace(/\p{Cc}/gu, '')
      .replaceAll('$', '$$$$')
      .slice(0, 200),
  );

const config = `auth_token = "operator-token"
${names
  .map(
    (name, index) => `
[[monitors]]
id = "m${index}"
name = ${JSON.stringify(name)}
group = ${JSON.stringify(names.at(-1 - index))}
target = "https://m${index}.example.com"
`,
  )
  .join('')}`;

async function fill({ store, engine }: World): Promise<void> {
  await store.write([
    samples.add({
      monitor: 'm0',
      at: startAt - 60_000,
      status: 'up',
      latencyMs: 42,
      holdSecs: 60,
      isHeartbeat: false,
      category: null,
      message: null,
    }),
    decisions.log({
      at: startAt,
      monitor: 'm0',
      incident: null,
      channel: 'ops',
      event: 'down',
      verdict: 'spared',
      reason: 'flap',
      detail: null,
    }),
    outbox.put({
      deliveryId: 'd1',
      channel: names[3] ?? '',
      event: 'down',
      monitor: 'm0',
      incident: null,
      payload: {},
      createdAt: startAt,
      nextAt: startAt,
    }),
    outbox.sent({ deliveryId: 'd1', at: startAt }),
  ]);
  engine.statuses.set('m0', 'up').set('m1', 'down');
}

/** What promtool says of a text in the format 0.0.4; empty: nothing. */
function complaintsOf(text: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  });
  return status === 0 ? '' : stdout + stderr;
}

/** The same of OpenMetrics, through the parser of Prometheus itself, which wants an instant on every sample here. */
function openComplaintsOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'statusd-openmetrics-'));
  try {
    const file = join(folder, 'metrics');
    writeFileSync(file, text.replace(/^(?!#).+$/gm, `$& ${startAt / 1000}`));
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet', file, join(folder, 'data')],
      { encoding: 'utf8' },
    );
    return status === 0 ? '' : stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('promtool', { skip: skipWithout('promtool') }, () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await fill(world);
  });
  after(() => world.close());

  const metrics = async (headers: Readonly<Record<string, string>>) =>
    (await world.ask('/metrics', { headers })).text;

  it('accepts the metrics as text, whatever monitors and channels are called', async () => {
    for (const headers of [{}, operator]) assert.equal(complaintsOf(await metrics(headers)), '');
  });

  it('accepts them as OpenMetrics', async () => {
    for (const headers of [openMetrics, { ...openMetrics, ...operator }]) {
      assert.equal(openComplaintsOf(await metrics(headers)), '');
    }
  });

  it('would not accept a wrong name, a wrong label, or an end that is missing', async () => {
    const [text, open] = [await metrics({}), await metrics(openMetrics)];
    assert.notEqual(complaintsOf(text.replaceAll('statusd_probes_total', 'statusd_probes')), '');
    assert.notEqual(complaintsOf(text.replace('id="m0"', 'id="m"0"')), '');
    assert.notEqual(openComplaintsOf(open.replace('id="m0"', 'id="m"0"')), '');
    assert.notEqual(openComplaintsOf(open.replace('# EOF\n', '')), '');
    assert.notEqual(openComplaintsOf(open.replace(/^# TYPE (\S+) histogram$/m, '# TYPE $1 histo')), '');
  });
});
