import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { eventParts } from '../../man/events.ts';
import { manualPages } from '../../man/pages.ts';
import { allCommands } from '../../src/commands/all.ts';
import { describe as read } from '../../src/commands/help/describe.ts';
import { parseConfig } from '../../src/engine/config/load.ts';
import { type EventName, eventNames, type Message } from '../../src/engine/alerting/events/catalogue.ts';
import { readSmallFile } from '../../src/engine/config/read-file.ts';
import { configReference, topReference } from '../../src/engine/config/reference.ts';
import { eventFields } from '../../src/engine/config/types/template.ts';
import { documentOf } from '../../src/notify/channels/webhook.ts';
import { messages, plainDown } from '../notify/wording/messages.ts';

const folder = new URL('../../man/', import.meta.url).pathname;
const pages = manualPages();
const committed = readdirSync(folder).filter((file) => /\.[1-9]$/.test(file));
/** The characters that literal mdoc lines stand for. */
const typed = (lines: string) =>
  lines
    .replaceAll('\\-', '-')
    .replaceAll('\\&', '')
    .replaceAll('\\(dq', '"')
    .replaceAll('\\(aq', "'")
    .replaceAll('\\(ti', '~')
    .replaceAll('\\e', '\\');

const isMandocThere = spawnSync('mandoc', ['-Tlint', '/dev/null']).error === undefined;

describe('the manual pages', () => {
  it('are those that the commands and the configuration make', () => {
    assert.deepEqual(committed.sort(), [...pages.keys()].sort(), 'run `npm run man`');
    for (const [file, text] of pages) {
      assert.equal(readFileSync(join(folder, file), 'utf8'), text, `${file} is old: run \`npm run man\``);
    }
  });

  it('are all listed in package.json, so that npm installs them', () => {
    const manifest = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')) as { man: string[] };
    assert.deepEqual(manifest.man.sort(), [...pages.keys()].map((file) => `man/${file}`).sort());
  });

  it('are plain ASCII', () => {
    for (const [file, text] of pages) assert.match(text, /^[\n -~]+\n$/, file);
  });

  it('have an entry for every command and every option', () => {
    for (const { words, options } of read(allCommands).pages) {
      const text = pages.get(`statusd-${words[0] ?? ''}.1`) ?? '';
      assert.ok(text.includes(`.Cm ${words.join(' ').replaceAll('-', '\\-')}\n`), words.join(' '));
      for (const { names } of options) {
        const entry = `Fl ${(names.at(-1) ?? '').slice(1).replaceAll('-', '\\-')}`;
        assert.ok(text.includes(`.It ${entry}`) || text.includes(`, ${entry}`), names.join());
      }
    }
  });

  it('show how a setting is written whose type does not tell', () => {
    const text = (pages.get('statusd.toml.5') ?? '').replaceAll(/\\f.|\\&/g, '').replaceAll('\n', ' ');
    for (const [type, example] of [
      ['hours of the day', '"22:00\\-07:00"'],
      ['a colour', '"#0b6650"'],
      ['a duration', '"7d"'],
      ['an array of steps', '[{ after_secs = 900, notify = ["primary"] },'],
    ] as const) {
      assert.ok(typed(text).includes(`Value: ${type}. Example: ${typed(example)}`), type);
    }
    assert.ok(!text.includes('true or false. Example'));
  });

  it('list every event with the fields that its document has', () => {
    const [, text = ''] = (pages.get('statusd.toml.5') ?? '').split('.Sh EVENTS\n');
    const always = ['event', 'monitor', 'monitor_id', 'at', 'delivery_id', 'severity', 'message'];
    const sometimes = ['link', 'acknowledge_url', 'repeat', 'simulates'];
    const step = { number: 2, of: 'everybody', isRelief: false };
    const change = { title: 'deploy v2.3', at: plainDown.startedAt };
    const changed = Object.values(messages).flatMap((message: Message): Message[] => {
      if (message.event === 'unstable') return [{ ...message, step }];
      return message.event === 'degraded' ? [{ ...message, change }] : [];
    });
    const samples: readonly Message[] = [...Object.values(messages), { ...plainDown, step }, ...changed];
    const fields = new Map<EventName, Set<string>>();
    for (const message of samples) {
      const own = Object.keys(documentOf(message)).filter((key) => ![...always, ...sometimes].includes(key));
      fields.set(message.event, new Set([...(fields.get(message.event) ?? []), ...own]));
    }
    for (const event of eventNames) {
      assert.ok(text.includes(`\n.It Cm ${event}\n`), event);
      const listed = eventParts[event].fields.filter((field) => field !== 'simulates');
      assert.deepEqual([...listed].sort(), [...(fields.get(event) ?? [])].sort(), event);
    }
    for (const field of eventFields) assert.match(text, new RegExp(`\\\\fB${field}\\\\f`), field);
  });

  it('have an entry for every setting of every section', () => {
    const text = pages.get('statusd.toml.5') ?? '';
    for (const { key } of topReference()) assert.ok(text.includes(`\n.It Cm ${key}\n`), key);
    for (const { name, settings } of configReference()) {
      const [, section = ''] = text.split(`.Sh ${name.toUpperCase()} SECTION\n`);
      const own = section.split('\n.Sh ')[0] ?? '';
      for (const { key } of settings) assert.ok(own.includes(`\n.It Cm ${key}\n`), `${name}.${key}`);
    }
  });

  it('hold examples of configurations that load', async () => {
    const [, section = ''] = (pages.get('statusd.toml.5') ?? '').split('.Sh EXAMPLES\n');
    const blocks = [...section.matchAll(/\.Bd -literal -offset indent\n([\s\S]*?)\n\.Ed/g)];
    assert.equal(blocks.length, 4);
    const text = blocks.map(([, lines = '']) => typed(lines)).join('\n');
    const env = Object.fromEntries(
      ['NTFY_TOKEN', 'API_TOKEN', 'BACKUP_TOKEN'].map((name) => [name, name.repeat(3)]),
    );
    const { config, warnings } = await parseConfig(text, {
      file: 'statusd.toml',
      env,
      readFile: readSmallFile,
    });
    assert.deepEqual(warnings, []);
    assert.deepEqual([config.monitors.length, config.channels.length, config.maintenance.length], [4, 1, 1]);
  });

  it('satisfy mandoc', { skip: !isMandocThere && process.env['CI'] !== 'true' }, () => {
    const { stdout, stderr, status } = spawnSync('mandoc', ['-Tlint', ...pages.keys()], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.deepEqual([stdout, stderr, status], ['', '', 0]);
  });
});
