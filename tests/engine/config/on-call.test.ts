import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load } from '../../support/config.ts';

const toml = (keys: string) => `
[[channels]]
name = "ops"
type = "webhook"
url = "http://127.0.0.1:1/"
${keys}

[[monitors]]
id = "web"
group = "front"
target = "https://example.com"
`;

async function problemOf(keys: string): Promise<string> {
  const error = await load(toml(keys)).then(
    () => assert.fail('it was loaded'),
    (thrown: unknown) => thrown,
  );
  return JSON.stringify((error as { readonly problems: readonly unknown[] }).problems);
}

describe('the on-call settings of a channel', () => {
  it('leave everything in by default', async () => {
    const [channel] = (await load(toml(''))).config.channels;
    const { events, min_severity, monitors, groups, quiet_hours, timezone, quiet, repeat_every_secs } =
      channel ?? {};
    assert.deepEqual(
      { events, min_severity, monitors, groups, quiet_hours, timezone, quiet, repeat_every_secs },
      {
        events: null,
        min_severity: 'info',
        monitors: null,
        groups: null,
        quiet_hours: null,
        timezone: 'UTC',
        quiet: 'hold',
        repeat_every_secs: null,
      },
    );
  });

  it('refuse monitors, groups, events and severities that there are none of, with the nearest there is', async () => {
    assert.match(await problemOf('monitors = ["wbe"]'), /names no monitor.*did you mean.*web/);
    assert.match(await problemOf('groups = ["fornt"]'), /names no group.*did you mean.*front/);
    assert.match(await problemOf('events = ["dwon"]'), /must be one of down, .*did you mean down/);
    assert.match(await problemOf('min_severity = "eror"'), /did you mean error/);
  });

  it('refuse hours and time zones that are none', async () => {
    for (const hours of ['22-7', '25:00-07:00', '07:00-07:00', ''])
      assert.match(await problemOf(`quiet_hours = "${hours}"`), /quiet_hours.*22:00-07:00/, hours);
    assert.match(await problemOf('timezone = "Europe/Nowhere"'), /must be a time zone.*Europe\/Berlin/);
    assert.match(await problemOf('quiet = "hodl"'), /did you mean hold/);
    assert.match(await problemOf('repeat_every_secs = 5'), /an integer from 60 to/);
  });

  it('are warned about where nothing gets through', async () => {
    const { warnings } = await load(toml('events = ["recovered"]'));
    assert.match(JSON.stringify(warnings), /leaves nothing: a recovery goes to who got the alert/);
  });
});

const teams = (keys: string) => `
[[channels]]
name = "ann"
type = "webhook"
url = "http://127.0.0.1:1/"

[[channels]]
name = "off"
type = "webhook"
url = ""

${keys}

[[monitors]]
id = "web"
target = "https://example.com"
notify = ["primary"]
`;
const rotation = (keys: string) => `[[rotations]]\nname = "primary"\n${keys}`;
const weekly = 'every = "7d"\nfrom = "2026-01-05T09:00:00+01:00"';
const page = (steps: string) =>
  `[alerts]\nescalation = "page"\n[[escalations]]\nname = "page"\nsteps = [${steps}]`;

async function faultsOf(text: string): Promise<string> {
  const error = await load(text).then(
    () => assert.fail('it was loaded'),
    (thrown: unknown) => thrown,
  );
  const { problems } = error as { readonly problems: readonly { subject: string; message: string }[] };
  return problems.map(({ subject, message }) => `${subject} ${message}`).join('; ');
}

describe('rotations and escalations', () => {
  it('load, and a monitor takes the escalation of [alerts] unless it names one or none', async () => {
    const text = teams(
      `${page('{ after_secs = 600, notify = ["primary", "off"] }')}\n${rotation(`members = ["ann", "off"]\n${weekly}`)}`,
    );
    const { config } = await load(text);
    assert.deepEqual(config.rotations[0], {
      name: 'primary',
      members: ['ann', 'off'],
      every: 7 * 86_400_000,
      from: Date.parse('2026-01-05T08:00:00Z'),
      timezone: 'UTC',
    });
    assert.deepEqual(config.escalations[0]?.steps, [{ after_secs: 600, notify: ['primary', 'off'] }]);
    assert.equal(config.monitors[0]?.escalation, 'page');
    assert.equal((await load(`${text}escalation = false`)).config.monitors[0]?.escalation, null);
  });

  it('refuse names that there are none of, with the rotation, the step and the nearest there is', async () => {
    assert.match(
      await faultsOf(teams(rotation(`members = ["an"]\n${weekly}`))),
      /rotation "primary": members\[0\] names no channel: "an"/,
    );
    assert.match(await faultsOf(teams('')), /monitor "web": notify\[0\] names no channel: "primary"/);
    const members = rotation(`members = ["ann"]\n${weekly}`);
    const steps = '{ after_secs = 60, notify = ["ann"] }, { after_secs = 90, notify = ["bob"] }';
    assert.match(
      await faultsOf(teams(`${page(steps)}\n${members}`)),
      /escalation "page": steps\[1\]\.notify\[0\] names no channel: "bob"/,
    );
    assert.match(
      await faultsOf(`${teams(members)}escalation = "pge"`),
      /monitor "web": escalation names no escalation: "pge"/,
    );
    const same = members.replace('"primary"', '"ann"');
    assert.match(
      await faultsOf(teams(`${members}\n${same}`)),
      /rotation "ann": name is also the name of a channel/,
    );
    assert.match(
      await faultsOf(teams(`${members}\n${members}`)),
      /name is used by an earlier rotation: "primary"/,
    );
  });

  it('refuse steps that do not follow each other, and what is no step', async () => {
    const members = rotation(`members = ["ann"]\n${weekly}`);
    const faults = (steps: string) => faultsOf(teams(`${page(steps)}\n${members}`));
    const same = '{ after_secs = 60, notify = ["ann"] }, { after_secs = 60, notify = ["ann"] }';
    assert.match(
      await faults(same),
      /steps\[1\]\.after_secs must be more than that of the step before it, 60/,
    );
    assert.match(await faults('{ after_secs = 60 }'), /steps\[0\]\.notify is required/);
    assert.match(await faults('{ after_secs = 60, notify = [] }'), /notify must have at least 1 element/);
    assert.match(await faults('{ after = 60, notify = ["ann"] }'), /steps\[0\]\.after is an unknown key/);
    assert.match(await faults('"ann"'), /must be a step such as/);
    assert.match(await faults(''), /steps must have at least 1 element/);
  });

  it('warn where one is used nowhere', async () => {
    const unused = rotation(`members = ["ann"]\n${weekly}`).replace('primary', 'second');
    const text = teams(
      `${unused}\n${rotation(`members = ["ann"]\n${weekly}`)}\n[[escalations]]\nname = "page"\nsteps = [{ after_secs = 1, notify = ["ann"] }]`,
    );
    const { warnings } = await load(text);
    const said = warnings.map(({ subject, message }) => `${subject} ${message}`).join('; ');
    assert.match(said, /rotation "second": is used nowhere/);
    assert.match(said, /escalation "page": is used nowhere/);
    assert.doesNotMatch(said, /rotation "primary": is used nowhere/);
  });
});
