/** Files of other programs, tests and configurations with hostile texts in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTaken, jobs, names, toml } from '../support/hostile-config.ts';
import { barrage, volleys } from '../support/hostile-text.ts';
import type { HostileWorld } from '../support/hostile-world.ts';
import { horaDatabase } from '../support/hora-database.ts';
import { kumaDatabase } from '../support/kuma-database.ts';

export async function writeHostileFiles({ cwd, write }: HostileWorld): Promise<void> {
  const text = readFileSync(join(cwd, 'statusd.toml'), 'utf8');
  write('serve.toml', text.replace('"statusd.db"', '"serve.db"'));
  write(
    'other.toml',
    text
      .replaceAll('name = "name', 'name = "other name')
      .replaceAll('fail_threshold = 1', 'fail_threshold = 3'),
  );
  write('broken.toml', brokenConfig());
  write('torn.toml', Buffer.from(`[[monitors]]\nid = "torn" \u009b2J\u001b[2J\u202e oops\n`));
  write('hostile.test.toml', alertTests());
  write('kuma.db', await kumaDatabase('1.23', kumaRows()));
  write('past.db', await kumaDatabase('1.23', pastRows()));
  write('hora.db', await horaDatabase('0.11', horaRows()));
  write('gatus.yaml', gatusText());
  write('gatus/\u001b[2J\u202e.yaml', gatusText());
}

/** Every value is one that an error quotes. */
function brokenConfig(): string {
  return volleys('typed', 200)
    .map((text) => {
      const value = toml(text);
      return [
        `[[monitors]]\nid = ${value}\nkind = ${value}\ntarget = ${value}\nnotify = [${value}]\nmethod = ${value}`,
        `[[monitors]]\nid = "x"\ntarget = ${value}\ndepends_on = [${value}]\nschedule = ${value}\n${value} = 1`,
        `[[channels]]\nname = ${value}\ntype = ${value}`,
        `[[maintenance]]\ntitle = ${value}\nstart = ${value}\nend = ${value}`,
      ].join('\n');
    })
    .join('\n');
}

function alertTests(): string {
  const name = toml(names[0] ?? '');
  const scenes = volleys('scene', 60, isTaken).map((text) => {
    const value = toml(text);
    return `[[tests]]\nname = ${value}\nseries.web = "up, down x3, up"\n[[tests.expect]]\nat = "1s"\nchannel = ${name}\nevent = "down"\nmonitor = "web"`;
  });
  return [
    `[[channels]]\nname = ${name}\ntype = "webhook"\nurl = "http://127.0.0.1:1/"`,
    `[[monitors]]\nid = "web"\nname = ${name}\ntarget = "http://127.0.0.1:1/"`,
    ...scenes,
  ].join('\n');
}

function kumaRows() {
  const texts = volleys('kuma', 150);
  const first = { id: 1, active: 1, interval: 60, retry_interval: 60, timeout: 48 };
  const at = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19).replace('T', ' ');
  return {
    monitor: [
      ...texts.map((text, index) => ({
        ...first,
        id: index + 1,
        name: text,
        type: index % 2 === 0 ? 'keyword' : text.slice(0, 20),
        url: 'https://one.example.com/',
        keyword: text,
        headers: text,
        description: text,
      })),
      { ...first, id: 90, name: 'the job', type: 'push', push_token: 'x' },
    ],
    heartbeat: [...texts.keys(), 89].map((index) => ({
      monitor_id: index + 1,
      status: 1,
      msg: barrage('beat'),
      time: at,
      ping: 3,
    })),
    notification: texts.map((text, index) => ({
      id: index + 1,
      name: text,
      config: JSON.stringify({ type: index % 2 === 0 ? text : 'ntfy', ntfytopic: text, ntfyserverurl: text }),
    })),
    tag: texts.map((text, index) => ({ id: index + 1, name: text, color: text })),
    monitor_tag: texts.map((text, index) => ({
      id: index + 1,
      monitor_id: 1,
      tag_id: index + 1,
      value: text,
    })),
    maintenance: texts.map((text, index) => ({ id: index + 1, title: text, strategy: text, timezone: text })),
    setting: [{ id: 1, key: 'title', value: barrage('title') }],
  };
}

/** Outages of monitors that are in the configuration, where they have hostile names. */
function pastRows() {
  const time = (minutes: number) =>
    new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  const watched = [...jobs, 'm0', 'm1', 'm2'];
  return {
    monitor: watched.map((name, index) => ({ id: index + 1, name, type: 'push', interval: 60 })),
    heartbeat: watched.flatMap((_, index) =>
      [0, 1].map((status) => ({
        monitor_id: index + 1,
        status,
        important: 1,
        msg: barrage('outage'),
        time: time(30_000 - index * 10 - status),
      })),
    ),
  };
}

/** Monitors that the configuration has, with hostile reasons and notes, and others whose ids are hostile. */
function horaRows() {
  const secs = Math.floor(Date.now() / 1000) - 2_000_000;
  const watched = [...jobs, 'm0', 'm1', 'm2'];
  return {
    checks: volleys('hora', 150).map((text, index) => ({ monitor_id: text, time: secs + index, status: 1 })),
    incidents: watched.map((monitor, index) => ({
      monitor_id: monitor,
      started_at: secs + index,
      ended_at: secs + index + 60,
      error: barrage('outage'),
      note: barrage('note'),
      cause: barrage('cause'),
      impacted: JSON.stringify([barrage('impacted')]),
      created_at: secs,
    })),
  };
}

/** YAML takes the strings of JSON. */
function gatusText(): string {
  const endpoints = volleys('gatus', 150).map((text) => ({
    name: text,
    group: text,
    url: 'https://one.example.com/',
    method: text,
    interval: text,
    headers: { [text]: text },
    conditions: [text, `[BODY].x == ${text}`, '[STATUS] == 200'],
    alerts: [{ type: text, description: text }],
    [text]: text,
  }));
  const title = barrage('gatus');
  return JSON.stringify({
    endpoints,
    ui: { title },
    alerting: { [title]: {} },
    announcements: [{ message: title, type: title }],
  });
}
