import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { certificates } from '../../../src/db/tables/certificates.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { openWorld, startAt, type World } from '../world.ts';

const config = `
auth_token = "operator-token"

[[monitors]]
id = "web"
name = 'A "name" with \\ and {braces}'
group = "front line"
target = "https://example.com"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"

[[monitors]]
id = "hidden"
target = "https://hidden.example.com"
public = false
`;

const operator = { authorization: 'Bearer operator-token' };
const openMetrics = {
  accept: 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
};

async function fill({ store, engine }: World): Promise<void> {
  const sample = (monitor: string, secondsAgo: number, latencyMs: number | null) =>
    samples.add({
      monitor,
      at: startAt - secondsAgo * 1000,
      status: latencyMs === null ? 'down' : 'up',
      latencyMs,
      holdSecs: 60,
      isHeartbeat: monitor === 'job',
      category: null,
      message: null,
    });
  await store.write([
    sample('web', 300, 5),
    sample('web', 240, 80),
    sample('web', 180, null),
    sample('web', 120, 20_000),
    sample('hidden', 60, 80),
    sample('job', 60, 7),
    certificates.see({
      monitor: 'web',
      subject: 'example.com',
      issuer: 'a CA',
      validFromAt: startAt,
      validToAt: startAt + 1_000_000,
      spkiSha256: 'ab',
      isTrusted: true,
      at: startAt,
    }),
    incidents.open({
      uid: 'u1',
      monitor: 'web',
      name: 'web',
      startedAt: startAt - 180_000,
      confirmedAt: startAt - 180_000,
      category: 'timeout',
      reason: null,
      cause: null,
      impacted: [],
      snapshot: null,
      vantage: null,
    }),
    decisions.log({
      at: startAt,
      monitor: 'web',
      incident: 'u1',
      channel: 'ops',
      event: 'down',
      verdict: 'spared',
      reason: 'flap',
      detail: null,
    }),
    decisions.log({
      at: startAt,
      monitor: 'web',
      incident: 'u1',
      channel: 'ops',
      event: 'down',
      verdict: 'told',
      reason: 'sent',
      detail: null,
    }),
    ...(
      [
        ['queued', 'escalated'],
        ['queued', 'escalated'],
        ['queued', 'handed_over'],
        ['spared', 'step_known'],
        ['held', 'quiet_hours'],
        ['queued', 'reminder'],
      ] as const
    ).map(([verdict, reason]) =>
      decisions.log({
        ...{ at: startAt, monitor: 'web', incident: 'u1', channel: 'ops', event: 'down', detail: null },
        verdict,
        reason,
      }),
    ),
    outbox.put({
      deliveryId: 'd1',
      channel: 'a "channel"',
      event: 'down',
      monitor: 'web',
      incident: 'u1',
      payload: {},
      createdAt: startAt,
      nextAt: startAt,
    }),
    outbox.sent({ deliveryId: 'd1', at: startAt }),
  ]);
  engine.statuses.set('web', 'down').set('job', 'up').set('hidden', 'degraded');
}

/** The values of the series of a metric, by what stands in the braces. */
function seriesOf(text: string, name: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').flatMap((line) => {
    const [, labels = '', value = ''] = new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`).exec(line) ?? [];
    return value === '' ? [] : [[labels, Number(value)] as const];
  });
  return new Map(lines);
}

const web = String.raw`id="web",name="A \"name\" with \\ and {braces}",group="front line"`;

describe('the metrics', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config);
    await fill(world);
  });
  after(() => world.close());

  const get = async (headers: Readonly<Record<string, string>> = {}) => world.ask('/metrics', { headers });

  it('report how monitors are, with labels that hold what they hold', async () => {
    const { text, headers } = await get();
    assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert.deepEqual(seriesOf(text, 'statusd_monitor_up').get(web), 0);
    assert.deepEqual([...seriesOf(text, 'statusd_monitor_status')].slice(0, 4), [
      [`${web},status="up"`, 0],
      [`${web},status="degraded"`, 0],
      [`${web},status="down"`, 1],
      [`${web},status="unknown"`, 0],
    ]);
    assert.equal(seriesOf(text, 'statusd_monitor_uptime_ratio').get(web), 0.75);
    assert.equal(seriesOf(text, 'statusd_cert_expiry_timestamp_seconds').get(web), startAt / 1000 + 1000);
    assert.equal(seriesOf(text, 'statusd_incidents_total').get(web), 1);
  });

  it('count checks and how long they took, and no heartbeats', async () => {
    const { text } = await get();
    const probes = seriesOf(text, 'statusd_probes_total');
    assert.deepEqual(
      ['up', 'degraded', 'down', 'unknown'].map((result) => probes.get(`${web},result="${result}"`)),
      [3, 0, 1, 0],
    );
    const buckets = [...seriesOf(text, 'statusd_probe_duration_seconds_bucket')];
    assert.deepEqual(
      buckets.map(([labels, value]) => [/le="(.*)"/.exec(labels)?.[1], value]),
      [
        ['0.005', 1],
        ['0.01', 1],
        ['0.025', 1],
        ['0.05', 1],
        ['0.1', 2],
        ['0.25', 2],
        ['0.5', 2],
        ['1.0', 2],
        ['2.5', 2],
        ['5.0', 2],
        ['10.0', 2],
        ['+Inf', 3],
      ],
    );
    assert.equal(seriesOf(text, 'statusd_probe_duration_seconds_sum').get(web), 20.085);
    assert.equal(seriesOf(text, 'statusd_probe_duration_seconds_count').get(web), 3);
    assert.doesNotMatch(text, /probes_total\{id="job"/);
  });

  it('report how the process is', async () => {
    const { text } = await get();
    assert.deepEqual(
      [...seriesOf(text, 'statusd_scheduler_lateness_seconds').values()],
      [0.001, 0.02, 0.0455],
    );
    assert.deepEqual([...seriesOf(text, 'statusd_event_loop_lag_seconds').values()], [0.00025, 0.003, 0.012]);
    assert.equal(seriesOf(text, 'statusd_build_info').get('version="0.0.0"'), 1);
  });

  it('show channels, what was suppressed and private monitors to the access token alone', async () => {
    const [anybody, insider] = [(await get()).text, (await get(operator)).text];
    const own = [
      'notifications',
      'alerts_suppressed',
      'alerts_escalated',
      'alert_decisions',
      'database_bytes',
    ];
    for (const inside of [...own, 'hidden']) {
      assert.ok(!anybody.includes(inside), inside);
      assert.ok(insider.includes(inside), inside);
    }
    assert.equal(
      seriesOf(insider, 'statusd_notifications_total').get(
        String.raw`channel="a \"channel\"",outcome="sent"`,
      ),
      1,
    );
    assert.deepEqual(
      [...seriesOf(insider, 'statusd_alerts_suppressed_total')],
      [
        ['reason="flap"', 1],
        ['reason="step_known"', 1],
      ],
    );
    assert.ok((seriesOf(insider, 'statusd_database_bytes').get('') ?? 0) > 10_000);
  });

  it('count what escalations and rotations added, by reason, from 0 on', async () => {
    const { text } = await get(operator);
    assert.deepEqual(
      [...seriesOf(text, 'statusd_alerts_escalated_total')],
      [
        ['reason="escalated"', 2],
        ['reason="handed_over"', 1],
        ['reason="last_resort"', 0],
      ],
    );
  });

  it('count every decision by what was decided and why, in the words of the page', async () => {
    const { text } = await get(operator);
    assert.deepEqual(
      [...seriesOf(text, 'statusd_alert_decisions_total')],
      [
        ['decision="held",reason="quiet_hours"', 1],
        ['decision="queued",reason="escalated"', 2],
        ['decision="queued",reason="handed_over"', 1],
        ['decision="queued",reason="reminder"', 1],
        ['decision="sent",reason="sent"', 1],
        ['decision="suppressed",reason="flap"', 1],
        ['decision="suppressed",reason="step_known"', 1],
      ],
    );
  });

  it('come as OpenMetrics to clients that ask for it', async () => {
    const { text, headers } = await get(openMetrics);
    assert.equal(headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8');
    assert.match(text, /\n# TYPE statusd_probes counter\nstatusd_probes_total\{/);
    assert.match(text, /\n# TYPE statusd_build info\nstatusd_build_info\{version="0.0.0"\} 1\n# EOF\n$/);
  });

  it('hold no control code and nothing but samples and comments', async () => {
    for (const headers of [{}, operator, openMetrics]) {
      const { text } = await get(headers);
      assert.doesNotMatch(text, /[^\n\P{Cc}]/u);
      const names = new Set<string>();
      let family = '';
      for (const line of text.trimEnd().split('\n')) {
        const [, head] = /^# TYPE (\S+) (?:gauge|counter|histogram|summary|info)$/.exec(line) ?? [];
        if (head !== undefined) {
          assert.ok(!names.has(head), `${head} stands in two places`);
          names.add((family = head));
        } else if (!line.startsWith('# HELP ') && line !== '# EOF') {
          assert.match(line, /^[a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})? \S+$/);
          assert.ok(line.startsWith(family), `${line} is not under ${family}`);
        }
      }
    }
  });

  it('are the same for two scrapers in the same second', async () => {
    assert.equal((await get()).text, (await get()).text);
  });
});
