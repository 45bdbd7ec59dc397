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
