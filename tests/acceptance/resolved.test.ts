/** What opens an alert at PagerDuty or Alertmanager resolves it, once, when the last monitor it was about is up. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { runHere } from '../support/operator-world.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { alertmanagerRules, pagerdutyRules } from '../support/vendor-alerts.ts';
import { startVendor, type Vendor } from '../support/vendor-server.ts';

const key = '0123456789abcdef0123456789abcdef';
const crowd = Array.from({ length: 12 }, (_, index) => `m${index}`);

/** What one of the two said of an alert: which one, and whether it opens or resolves it. */
interface Said {
  readonly alert: string;
  readonly isEnd: boolean;
}

describe('an alert that its vendor resolves', { concurrency: false }, () => {
  let folder = makeFolder();
  let daemon: Daemon | null = null;
  let pager: Vendor;
  let manager: Vendor;
  let target: Target;
  let down: ReadonlySet<string> = new Set();

  before(async () => {
    pager = await startVendor(pagerdutyRules(key));
    manager = await startVendor(alertmanagerRules('secret-token'));
    target = await startHttp((request, response) =>
      response.writeHead(down.has((request.url ?? '/').slice(1)) ? 503 : 200).end(),
    );
  });
  after(() => Promise.all([pager.close(), manager.close(), target.close()]));
  beforeEach(() => {
    folder = makeFolder();
    pager.forget();
    manager.forget();
    down = new Set();
  });
  afterEach(async () => {
    await daemon?.end('SIGTERM');
    daemon = null;
    folder.remove();
  });

  const config = (monitors: readonly (readonly [id: string, more: string])[]) =>
    [
      '[server]\nbind = "127.0.0.1:0"\n[alerts]\nfail_threshold = 1\ngroup_window_secs = 4',
      `[[channels]]\nname = "pager"\ntype = "pagerduty"\nrouting_key = "${key}"\napi_url = "${pager.origin}"`,
      `[[channels]]\nname = "manager"\ntype = "alertmanager"\nurl = "${manager.origin}"\ntoken = "secret-token"`,
      ...monitors.map(
        ([id, more]) =>
          `[[monitors]]\nid = "${id}"\ntarget = "${target.origin}/${id}"\ninterval_secs = 1\ntimeout_secs = 1\nprobe_retries = 0\n${more}`,
      ),
    ].join('\n\n');

  const start = async () => (daemon = await startDaemon(folder.path));
  /** As a power cut does, in the middle of whatever it did. */
  const killAndStart = async () => {
    await daemon?.end('SIGKILL');
    await start();
  };

  const fromPager = (): Said[] =>
    pager.requests
      .filter(({ path }) => path === '/v2/enqueue')
      .map(({ body }) => JSON.parse(body) as { event_action: string; dedup_key: string })
      .map(({ event_action: action, dedup_key: alert }) => ({ alert, isEnd: action === 'resolve' }));
  const fromManager = (): Said[] =>
    manager.requests
      .filter(({ path }) => path === '/api/v2/alerts')
      .flatMap(
        ({ body }) =>
          JSON.parse(body) as { labels: Record<string, string>; endsAt: string; startsAt: string }[],
      )
      .map(({ labels, endsAt }) => ({
        alert: JSON.stringify(Object.entries(labels).sort()),
        isEnd: Date.parse(endsAt) <= Date.now() + 5000,
      }));
  const both = () => [fromPager(), fromManager()] as const;
  /** Alerts that were opened and are not resolved. */
  const open = (said: readonly Said[]) => {
    const alerts = new Set<string>();
    for (const { alert, isEnd } of said)
      if (isEnd) alerts.delete(alert);
      else alerts.add(alert);
    return [...alerts];
  };
  const ends = (said: readonly Said[]) => said.filter(({ isEnd }) => isEnd).length;
  const eachOf = (is: (said: readonly Said[]) => boolean, what: string) =>
    until(
      () => both().every(is),
      () => `${what}: ${JSON.stringify(both())}`,
    );
  const recovered = (count: number) => daemon?.says('monitor.recovered', count);

  /** Until it is on record that the message about an upstream named its two dependents, at both vendors. */
  const recorded = () =>
    until(
      async () => {
        const { stdout } = await runHere(['outbox', '--json'], { cwd: folder.path });
        const { deliveries } = JSON.parse(stdout) as { deliveries: readonly { folded_into?: unknown }[] };
        return deliveries.length === 4 && deliveries.every((each) => each.folded_into !== undefined);
      },
      () => 'no dependent is on record as named',
    );

  /** Until everything that is known by now went out, or was left out: what is not sent then is not sent. */
  const settled = () =>
    until(
      async () => {
        const { stdout } = await runHere(['outbox', '--json'], { cwd: folder.path });
        const { deliveries } = JSON.parse(stdout) as { deliveries: readonly { state: string }[] };
        return deliveries.every(({ state }) => state !== 'waiting' && state !== 'retrying');
      },
      () => 'messages are still waiting',
    );

  it('is resolved by the last of a group, and by none before it, over kill -9 and a restart', async () => {
    writeFileSync(folder.at('statusd.toml'), config(crowd.map((id) => [id, ''])));
    await start();
    down = new Set(crowd);
    await eachOf((said) => open(said).length === 1, 'not opened, or not one alert');
    const opened = both().map(open);
    await killAndStart();
    down = new Set(['m3', 'm7']);
    await recovered(crowd.length - 2);
    await settled();
    await killAndStart();
    down = new Set(['m7']);
    await recovered(1);
    await settled();
    // The outage goes on, and so does the alert.
    assert.deepEqual(both().map(open), opened);
    assert.deepEqual(both().map(ends), [0, 0]);
    await killAndStart();
    down = new Set();
    await eachOf((said) => open(said).length === 0, 'not resolved');
    await settled();
    assert.deepEqual(both().map(ends), [1, 1]);
  });

  it('is resolved with an upstream that took others along, and not while one of them is down by itself', async () => {
    writeFileSync(
      folder.at('statusd.toml'),
      config([
        ['db', ''],
        ['api', 'depends_on = ["db"]'],
        ['web', 'depends_on = ["api"]'],
      ]),
    );
    await start();
    down = new Set(['db', 'api', 'web']);
    await eachOf((said) => open(said).length === 1, 'not opened, or not one alert');
    // Not before the message is recorded: it goes again as things are then.
    await recorded();
    await killAndStart();
    // What it was folded into is over; what goes on is opened for itself.
    const [first] = both().map(open);
    down = new Set(['api']);
    await eachOf(
      (said) => ends(said) === 1 && open(said).length === 1,
      'the upstream not resolved, or what goes on not opened',
    );
    await settled();
    assert.ok(
      !both()
        .flatMap(open)
        .some((alert) => first?.includes(alert)),
    );
    await killAndStart();
    await settled();
    assert.deepEqual(
      both().map((said) => open(said).length),
      [1, 1],
    );
    down = new Set();
    await eachOf((said) => open(said).length === 0, 'not resolved');
    await settled();
    assert.deepEqual(both().map(ends), [2, 2]);
  });
});
