import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { runCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { makeFolder } from '../support/tiny-store.ts';
import { skipWithout } from '../support/tool.ts';

const token = 'a-token-of-the-tests';

describe('a daemon that writes to Prometheus', { skip: skipWithout('prometheus') }, () => {
  const folder = makeFolder();
  let prometheus: Prometheus;
  let target: Target;
  let daemon: Daemon;
  let isUp = true;

  const configure = (ids: readonly string[], settings = '') => {
    const monitors = ids.map(
      (id) => `
[[monitors]]
id = "${id}"
name = 'The "${id}" \\ of the shop – 監視'
group = "shop"
target = "${target.origin}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
fail_threshold = 1
`,
    );
    writeFileSync(
      folder.at('statusd.toml'),
      `[server]
bind = "127.0.0.1:0"
auth_token = "${token}"
[[outputs]]
type = "remote_write"
url = "${prometheus.origin}/api/v1/write"
interval_secs = 5
labels = { site = "paris" }
${settings}
${monitors.join('')}`,
    );
  };
  const finds = async (expression: string, count: number) =>
    until(
      async () => {
        const found = await prometheus.query(expression);
        return found.length === count ? found : null;
      },
      () => `${expression}: ${JSON.stringify(daemon.lines.slice(-5))}`,
    );

  before(async () => {
    prometheus = await startPrometheus();
    target = await startHttp((_, response) => response.writeHead(isUp ? 200 : 503).end());
    configure(['web', 'api']);
    daemon = await startDaemon(folder.path);
  });
  after(async () => {
    await daemon.end('SIGKILL');
    await target.close();
    await prometheus.stop();
    folder.remove();
  });

  it('is found there by the names and values of /metrics', async () => {
    const [up] = await finds('statusd_monitor_up{id="web"} == 1', 1);
    assert.deepEqual(up?.labels, {
      __name__: 'statusd_monitor_up',
      id: 'web',
      name: 'The "web" \\ of the shop – 監視',
      group: 'shop',
      site: 'paris',
    });
    await finds('histogram_quantile(0.5, sum by (le) (statusd_probe_duration_seconds_bucket)) > 0', 1);
    await finds('statusd_monitor_status{id="api",status="up"} == 1', 1);
    await finds('statusd_build_info{site="paris"}', 1);
    const scraped = await fetch(`${daemon.url}metrics`, { headers: { authorization: `Bearer ${token}` } });
    const names = [...(await scraped.text()).matchAll(/^(statusd_\w+)(?:\{| )/gm)].map(([, name]) => name);
    // What is to be seen by now is there with the next sending.
    for (const name of new Set(names)) await finds(`count({__name__="${name ?? ''}"})`, 1);
  });

  it('counts what it sent', async () => {
    await finds('statusd_output_samples_total{output="remote_write",outcome="sent"} > 50', 1);
    for (const outcome of ['failed', 'dropped'])
      await finds(`statusd_output_samples_total{output="remote_write",outcome="${outcome}"} == 0`, 1);
    await finds('statusd_output_queued_samples', 1);
  });

  it('shows an outage', async () => {
    isUp = false;
    await finds('statusd_monitor_up{id="web"} == 0', 1);
    isUp = true;
    await finds('statusd_monitor_up{id="web"} == 1', 1);
  });

  it('is what doctor asks', async () => {
    const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.path });
    const { checks } = JSON.parse(stdout) as { checks: { check: string; message: string }[] };
    assert.deepEqual(
      checks.filter(({ check }) => check === 'outputs').map(({ message }) => message),
      ['remote_write (remote_write) accepts metrics'],
    );
  });

  it('ends the series of a monitor that a reload removes', async () => {
    configure(['web']);
    daemon.child.kill('SIGHUP');
    await daemon.says('config.reloaded');
    await finds('statusd_monitor_up', 1);
    assert.deepEqual(
      daemon.lines.filter(({ event }) => event.startsWith('output.')),
      [],
    );
  });

  it('goes on after it was killed', async () => {
    await daemon.end('SIGKILL');
    daemon = await startDaemon(folder.path);
    const [before] = await prometheus.query('timestamp(statusd_monitor_up{id="web"})');
    await finds(`timestamp(statusd_monitor_up{id="web"}) > ${before?.value ?? 0}`, 1);
    assert.deepEqual(
      daemon.lines.filter(({ event }) => event.startsWith('output.')),
      [],
    );
  });

  it('stays healthy, and says so once, when Prometheus is gone', async () => {
    await prometheus.stop();
    await daemon.says('output.failing');
    assert.equal((await fetch(`${daemon.url}healthz`)).status, 200);
    const { status } = (await (await fetch(`${daemon.url}healthz`)).json()) as { status: string };
    assert.equal(status, 'ok');
    const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.path });
    assert.match(stdout, /"check": ?"outputs",\s*"verdict": ?"warn"/);
    assert.equal(daemon.lines.filter(({ event }) => event === 'output.failing').length, 1);
  });
});
