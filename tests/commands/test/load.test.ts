import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { base, fileOf, loadText, problemsOf, verdictOf } from './world.ts';

const one = '[[tests]]\nname = "x"\n';

describe('a test file', () => {
  it('loads with the configuration in it', async () => {
    const { tests } = await fileOf(`${base}${one}series.api = "up"\n`);
    assert.deepEqual(
      tests.map(({ name, config }) => [name, config.monitors.map(({ id }) => id)]),
      [['x', ['db', 'api']]],
    );
  });

  it('loads with the configuration that it names, relative to it', async () => {
    const files = { '/etc/conf/statusd.toml': base };
    const { tests } = await fileOf(`config = "conf/statusd.toml"\n${one}`, { files });
    assert.deepEqual(tests[0]?.config.alerts.fail_threshold, 3);
  });

  it('has channels without their secrets, for nothing is sent', async () => {
    const channel = '[[channels]]\nname = "tg"\ntype = "telegram"\ntoken = "${TOKEN}"\nchat_id = 1\n';
    const { tests } = await fileOf(`${base}${channel}${one}`);
    assert.deepEqual(
      tests[0]?.config.channels.map(({ name }) => name),
      ['ops', 'tg'],
    );
  });

  it('lays settings of a test over the configuration, table by table and monitor by monitor', async () => {
    const { tests } = await fileOf(
      `${base}${one}settings.alerts.fail_threshold = 1
settings.monitors = [{ id = "api", interval_secs = 5 }, { id = "web", target = "https://web.example/" }]
[[tests]]
name = "y"
`,
    );
    const [first, second] = tests.map(({ config }) => ({
      window: config.alerts.group_window_secs,
      monitors: config.monitors.map(({ id, interval_secs, fail_threshold }) => [
        id,
        interval_secs,
        fail_threshold,
      ]),
    }));
    assert.deepEqual(first, {
      window: 30,
      monitors: [
        ['db', 60, 1],
        ['api', 5, 1],
        ['web', 60, 1],
      ],
    });
    assert.deepEqual(second?.monitors, [
      ['db', 60, 3],
      ['api', 60, 3],
    ]);
  });

  it('changes nothing else by that, whatever the configuration holds', async () => {
    const odd = `[page]
title = """
A "title" \\\\ $$ with \${NOPE:-default} 'quotes'"""
[server]
auth_token = "0123456789abcdef0123456789abcdef"
group_tokens = { "My Group" = "fedcba9876543210fedcba9876543210" }
[[maintenance]]
title = "x"
start = 2026-01-01T00:05:00Z
end = 2026-01-01T00:10:00+00:00
[[channels]]
name = "ops"
type = "webhook"
url = "https://x.example/"
[[monitors]]
id = "api"
target = "https://api.example.com/"
headers = { "X-A" = "b", "User-Agent" = 'c\\d' }
json_query = "$.a[?(@.b == 'c')]"
group = "My Group"
number_min = 1.5
number_regex = 'a (\\d+)'
expected_status = [200, "300-302"]
`;
    const [plain, laid] = (
      await fileOf(`${odd}${one}[[tests]]\nname = "y"\nsettings.alerts.fail_threshold = 4\n`)
    ).tests;
    assert.ok(plain !== undefined && laid !== undefined);
    const monitors = plain.config.monitors.map((monitor) => ({ ...monitor, fail_threshold: 4 }));
    assert.deepEqual(laid.config.monitors, monitors);
    assert.deepEqual(laid.config.maintenance, plain.config.maintenance);
    assert.deepEqual(laid.config.page, plain.config.page);
    assert.equal(laid.config.page.title, 'A "title" \\ $ with default \'quotes\'');
  });

  it('sends a message without a channel through the only one there is', async () => {
    const expect = '[[tests.expect]]\nat = "1m"\nevent = "down"\n';
    const { tests } = await fileOf(`${base}${one}${expect}`);
    assert.deepEqual(
      tests[0]?.expectations.map((each) => each.kind === 'message' && each.channel),
      ['ops'],
    );
    const second = '[[channels]]\nname = "chat"\ntype = "ntfy"\nurl = "https://ntfy.example.com/chat"\n';
    assert.deepEqual(await problemsOf(`${second}${base}${one}${expect}`), [
      '24:1 test "x": expect[0] does not say through which channel; there is chat, ops',
    ]);
  });
});

describe('a broken test file', () => {
  it('is reported whole: every problem at its place, with the nearest word', async () => {
    const text = `[alerts]
fail_treshold = 3
${base.replace('[alerts]\nfail_threshold = 3', '')}
[[tests]]
nam = "x"
series.apii = "up"
series.api = "up, dwon"
settings = 3
[[tests.expect]]
at = "3"
event = "dwn"
[[tests.expect]]
between = ["3m", "2m"]
event = "down"
[[tests.expect]]
at = 5
monitor = "api"
nothing = false
[[tests.events]]
at = "2m"
silence = "api"
`;
    const [first, ...rest] = await problemsOf(text);
    assert.equal(first, '2:1 alerts.fail_treshold: is an unknown key; did you mean fail_threshold?');
    assert.deepEqual(
      rest.map((line) => line.replace(/ down, degraded.* test;/, ' …;')),
      [
        '20:1 tests[0].name: is required; for example name = "a flap stays silent"',
        '21:1 tests[0].nam: is an unknown key; did you mean name?',
        '23:14 tests[0].series.api: has the unknown word "dwon"; did you mean down?',
        '24:12 tests[0].settings: must be a table of settings, not an integer',
        '26:6 tests[0].expect[0].at: has no unit; write numbers with a unit (s, m, h or d), joined: 90s, 10m, 1h30m',
        '27:9 tests[0].expect[0].event: must be one of …; did you mean down?',
        '29:11 tests[0].expect[1].between: ends before it begins',
        '32:6 tests[0].expect[2].at: must be a time from the start such as "2m30s", not a number; write numbers with a unit (s, m, h or d), joined: 90s, 10m, 1h30m',
        '35:1 tests[0].events[0]: needs a for; for example for = "10m"',
      ],
    );
  });

  it('names monitors and channels that the configuration has', async () => {
    const text = `${base}${one}series.apii = "up"
[[tests.events]]
at = "1m"
channel_fails = "opps"
for = "1m"
[[tests.events]]
at = "1m"
silence = ["db", "apy"]
for = "1m"
[[tests.expect]]
at = "1m"
channel = "ops"
event = "down"
monitor = "dv"
impacted = ["api", "web"]
cause = "db2"
`;
    assert.deepEqual(await problemsOf(text), [
      '20:15 test "x": series.apii names a monitor that the configuration does not have; did you mean api?',
      '23:17 test "x": events[0].channel_fails names a channel that the configuration does not have; did you mean ops?',
      '27:11 test "x": events[1].silence names a monitor that the configuration does not have; did you mean api?',
      '33:11 test "x": expect[0].monitor names a monitor that the configuration does not have; did you mean db?',
      '34:12 test "x": expect[0].impacted names a monitor that the configuration does not have; there is db, api',
      '35:9 test "x": expect[0].cause names a monitor that the configuration does not have; did you mean db?',
    ]);
  });

  it('reports what is wrong with settings, at their place', async () => {
    const text = `${base}${one}settings.alerts.fail_threshold = 101
settings.monitors = [{ id = "api", intervl_secs = 3 }]
[[tests]]
name = "y"
[[tests.events]]
at = "1m"
reload = { monitors = [{ id = "db", depends_on = ["api"] }] }
`;
    const [first, second, third = '', ...rest] = await problemsOf(text);
    assert.deepEqual(
      [first, second],
      [
        '20:34 test "x": settings.alerts.fail_threshold must be an integer from 1 to 100, not 101',
        '21:51 test "x": monitor "api": intervl_secs is an unknown key; did you mean interval_secs?',
      ],
    );
    assert.match(
      third,
      /^26:10 test "y": events\[0\]\.reload makes the configuration invalid: monitor "api": depends_on\[0\] .*cycle/,
    );
    assert.deepEqual(rest, []);
  });

  it('reports what cannot be meant', async () => {
    const push = '[[monitors]]\nid = "job"\nkind = "push"\npush_token = "token-of-a-job-of-a-test"\n';
    const text = `${base}${push}${one}until = "5m"
series.db = "slow"
series.job = "timeout"
[[tests.events]]
at = "6m"
restart = true
[[tests.events]]
at = "1m"
restart = false
[[tests.events]]
at = "1m"
restart = true
clear_silences = true
[[tests.expect]]
between = ["5m", "6m"]
event = "down"
status = "up"
[[tests.expect]]
at = "7m"
monitor = "db"
incident = true
[[tests.expect]]
at = "7m"
`;
    assert.deepEqual(await problemsOf(text), [
      '25:13 test "x": series.db says slow; without degraded_over_ms the monitor is never slow; degraded is a warning of its own',
      '26:14 test "x": series.job says timeout; nobody asks a push monitor: write - for no heartbeat',
      '27:1 test "x": events[0] comes after the end of the test; which is at 5m, by its until',
      '32:11 test "x": events[1].restart must be true; or remove it',
      '33:1 test "x": events[2] does clear_silences and restart; write an event for each',
      '40:10 test "x": expect[0].status does not go with the rest; this one expects a message',
      '41:1 test "x": expect[1] comes after the end of the test; which is at 5m, by its until',
      '45:1 test "x": expect[2] expects nothing in particular; give it an event, nothing = true, or a status',
    ]);
  });

  it('may have its tests in an array', async () => {
    const { tests } = await fileOf(`tests = [\n  { name = "x" },\n  { name = "y" },\n]\n${base}`);
    assert.equal(tests.length, 2);
  });

  it('has no test, or none of the right form', async () => {
    assert.deepEqual(await problemsOf(base), ['1:1 there is no test; write [[tests]] with a name']);
    assert.deepEqual(await problemsOf('tests = 3\n'), [
      '1:9 tests: must be an array of tables, not an integer; write [[tests]]',
    ]);
    assert.match((await problemsOf('[[tests]\nname = "x"\n')).join(), /^1:\d+ /);
    assert.match((await problemsOf('\u0000')).join(), /^1:1 the file contains a NUL byte/);
  });

  it('has a configuration of its own or names one, not both', async () => {
    const files = { '/etc/statusd.toml': base };
    assert.deepEqual(
      await problemsOf(`config = "statusd.toml"\n[alerts]\nfail_threshold = 1\n${one}`, { files }),
      [
        '2:1 alerts: is set together with config; keep one of the two; a test may differ from it by its settings',
      ],
    );
  });

  it('reports problems in the configuration that it names, with that file', async () => {
    const files = { '/etc/statusd.toml': base.replace('fail_threshold = 3', 'fail_threshold = 101') };
    const loaded = await loadText(`config = "statusd.toml"\n${one}`, { files });
    assert.ok('problems' in loaded);
    assert.deepEqual(
      loaded.problems.map(({ file, line, path }) => [file, line, path]),
      [['/etc/statusd.toml', 3, 'alerts.fail_threshold']],
    );
  });
});

describe('a verdict', () => {
  const outage = `${base}${one}series.api = "up, down x5, up"\n`;
  const failuresOf = async (expect: string) => {
    const [test] = (await fileOf(`${outage}${expect}`)).tests;
    assert.ok(test !== undefined);
    return (await verdictOf(test)).failures.map(({ kind }) => kind);
  };
  const down = '[[tests.expect]]\nat = "3m30s"\nevent = "down"\nmonitor = "api"\n';
  const up = '[[tests.expect]]\nbetween = ["5m59s", "6m1s"]\nevent = "recovered"\n';

  it('is good when exactly what is expected was sent', async () => {
    assert.deepEqual(await failuresOf(down + up), []);
  });

  it('finds what is missing, what is too much and what came at another time', async () => {
    assert.deepEqual(await failuresOf(down), ['unexpected']);
    assert.deepEqual(await failuresOf(down + down + up), ['missing']);
    assert.deepEqual(await failuresOf(down.replace('3m30s', '3m29s') + up), ['missing']);
    assert.deepEqual(await failuresOf(down.replace('3m30s', '3m31s') + up), ['missing']);
    assert.deepEqual(await failuresOf(`${down}impacted = ["db"]\n${up}`), ['missing']);
    assert.deepEqual(await failuresOf(`${down}cause = "db"\n${up}`), ['missing']);
    assert.deepEqual(await failuresOf(`${down}${up}late = true\n`), ['missing']);
    assert.deepEqual(await failuresOf(`${down}impacted = []\n${up}`), []);
  });

  it('finds a message where there should be none', async () => {
    const nothing = '[[tests.expect]]\nnothing = true\n';
    assert.deepEqual(await failuresOf(`${down}${up}${nothing}`), ['not_nothing']);
    assert.deepEqual(await failuresOf(`${down}${up}${nothing}monitor = "db"\n`), []);
    assert.deepEqual(await failuresOf(`${down}${up}${nothing}between = ["0s", "3m29s"]\n`), []);
    assert.deepEqual(await failuresOf(`${down}${up}${nothing}between = ["3m30s", "4m"]\n`), ['not_nothing']);
  });

  it('finds another status, and an incident that should or should not be', async () => {
    const state = (rest: string) => `[[tests.expect]]\nat = "3m"\nmonitor = "api"\n${rest}\n`;
    assert.deepEqual(await failuresOf(down + up + state('status = "down"\nincident = true')), []);
    assert.deepEqual(await failuresOf(down + up + state('status = "up"')), ['state']);
    assert.deepEqual(await failuresOf(down + up + state('incident = false')), ['state']);
  });
});
