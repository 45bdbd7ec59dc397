import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pageLanguages } from '../../../../src/engine/config/rows/page.ts';
import { categories } from '../../../../src/engine/core/probe.ts';
import { errorText, sentenceOf } from '../../../../src/engine/views/page-wording.ts';
import { languages, speechFor } from '../../../../src/serve/pages/words/all.ts';
import { en } from '../../../../src/serve/pages/words/en.ts';
import { Speech, type Words } from '../../../../src/serve/pages/words/speech.ts';
import { html } from '../../../../src/serve/pages/html.ts';
import { renderAllWith } from '../hostile.ts';

const places = (text: string) => text.split('{}').length - 1;

describe('the words of a language', () => {
  it('have a place for everything that the English ones have one for, in every form', () => {
    for (const language of pageLanguages) {
      for (const [key, text] of Object.entries(languages[language])) {
        const english = en[key as keyof typeof en];
        const wanted = places(typeof english === 'string' ? english : english.other);
        for (const form of typeof text === 'string' ? [text] : Object.values(text)) {
          assert.equal(places(form), wanted, `${language}.${key}: ${form}`);
          assert.ok(form.trim() === form && form !== '', `${language}.${key}`);
        }
      }
    }
  });

  it('say that acknowledging stops reminders and escalations, in every language', () => {
    const escalation = /es[ck]al|升级|エスカレーション/i;
    for (const language of pageLanguages)
      assert.match(languages[language].acknowledgeHint, escalation, language);
  });

  it('say in English why something failed as plain text and the terminal do', () => {
    const speech = speechFor('en', 'UTC');
    for (const category of categories)
      assert.equal(speech.reason(category), sentenceOf(errorText(category) ?? ''), category);
  });

  it('count as the language does', () => {
    const speech = speechFor('pl', 'UTC');
    assert.deepEqual(
      [1, 3, 5, 22].map((count) => speech.count('incidents', count)),
      ['1 incydent', '3 incydenty', '5 incydentów', '22 incydenty'],
    );
    assert.equal(speechFor('en', 'UTC').count('more', 2000), '2,000 more');
  });

  it('name several, the last with "and", and how many more there are', () => {
    const named = ['A', 'B'].map((name) => html`<bdi>${name}</bdi>`);
    const { text } = speechFor('de', 'UTC').aboutHtml('isDown', named);
    assert.equal(text, '<bdi>A</bdi> und <bdi>B</bdi> sind ausgefallen');
    assert.equal(speechFor('en', 'UTC').about('isDown', ['A']), 'A is down');
    assert.equal(speechFor('en', 'UTC').about('isDown', ['A', 'B'], 3), 'A, B and 3 more are down');
  });
});

describe('the words of a page', () => {
  it('all come from the table of its language', () => {
    const without = (text: string) => text.split('{}').fill('·').join('{}');
    const words = Object.fromEntries(
      Object.entries(en).map(([key, text]) => [
        key,
        typeof text === 'string' ? without(text) : { other: without(text.other) },
      ]),
    ) as Words;
    // Neither its dates nor its units have a letter of English.
    const drawn = renderAllWith('§', new Speech('ja', 'UTC', words));
    const shown = [...drawn].filter(([name]) => /\.(?:html|atom)$/.test(name));
    assert.ok(shown.length > 8);
    for (const [name, text] of shown) {
      const read = text
        .replace(/<style>[^]*?<\/style>/g, '')
        .replace(/<(\w+)[^>]*lang="en"[^]*?<\/\1>/g, '')
        .replace(/<(?:id|generator|published|updated|category)[^]*?<\/?/g, '<');
      const texts = read.replace(/<[^>]*>/g, ' ');
      const labels = [...read.matchAll(/ (?:aria-label|title|alt)="([^"]*)"/g)].map(([, label]) => label);
      const english = `${texts} ${labels.join(' ')}`.match(/[A-Za-z]{3,}/g) ?? [];
      const known = [
        'UTC',
        'SVG',
        'Atom',
        'iCalendar',
        'JSON',
        'SLO',
        'api',
        'badge',
        'status',
        'uptime',
        'monitor',
        'web',
      ];
      assert.deepEqual(
        english.filter((word) => !known.includes(word)),
        [],
        name,
      );
    }
  });
});

describe('the times of a page', () => {
  it('are those of its zone and language', () => {
    const instant = '2026-11-21T23:30:00Z';
    assert.equal(speechFor('en', 'UTC').time(instant), 'Sat 21 Nov 2026, 23:30 UTC');
    assert.equal(speechFor('en', 'Europe/Berlin').time(instant), 'Sun 22 Nov 2026, 00:30 CET');
    assert.match(speechFor('de', 'Europe/Berlin').date(instant), /^So\., 22\. Nov\. 2026$/);
    assert.equal(speechFor('en', 'Europe/Berlin').isoDay(instant), '2026-11-22');
    assert.equal(speechFor('en', 'UTC').shortTime(instant, '2026-11-21T00:00:00Z'), '23:30 UTC');
  });

  it('are spans in whole minutes, of two units, never none', () => {
    const speech = speechFor('en', 'UTC');
    const of = (minutes: number) => speech.span(minutes * 60_000);
    assert.deepEqual([0, 1, 12, 65, 1440, 1500, 2880].map(of), [
      '1 min',
      '1 min',
      '12 min',
      '1 hr 5 min',
      '24 hr',
      '1 day 1 hr',
      '2 days',
    ]);
  });

  it('are from one minute that is shown to another, never none', () => {
    const speech = speechFor('en', 'UTC');
    const of = (from: string, to: string) => speech.spanBetween(`2026-11-21T${from}Z`, `2026-11-21T${to}Z`);
    assert.equal(of('14:05:50', '14:08:10'), '3 min');
    assert.equal(of('14:05:10', '14:08:50'), '3 min');
    assert.equal(of('14:05:10.500', '14:05:50'), '1 min');
    assert.equal(of('13:05:50', '14:08:10'), '1 hr 3 min');
  });

  it('are parts of a whole, in the form of the whole, or of the one that works', () => {
    const speech = speechFor('en', 'UTC');
    assert.equal(speech.countOf('working', 1, 1), '1 of 1 service works normally');
    assert.equal(speech.countOf('working', 1, 2000), '1 of 2,000 services works normally');
    assert.equal(speech.countOf('working', 0, 2), '0 of 2 services work normally');
    assert.equal(speech.countOf('working', 15, 20), '15 of 20 services work normally');
    assert.equal(speech.countOf('nodesHeard', 1, 2), '1 of 2 other monitoring nodes responds.');
    assert.equal(speechFor('de', 'UTC').countOf('working', 1, 3), '1 von 3 Diensten arbeitet normal');
    assert.equal(speech.countOf('nodesHeard', 0, 1), '0 of 1 other monitoring node responds.');
    assert.equal(speechFor('pl', 'UTC').countOf('working', 1, 3), '1 z 3 usług działa normalnie');
  });

  it('are shares that are never too good', () => {
    const speech = speechFor('en', 'UTC');
    assert.deepEqual(
      [10_000, 9994, 0, null].map((share) => speech.percent(share)),
      ['100 %', '99.94 %', '0.00 %', '–'],
    );
    assert.equal(speechFor('de', 'UTC').percent(9994), '99,94 %');
  });
});
