import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { type FeedFacts, renderFeed } from '../../../src/serve/feed/atom.ts';
import { english } from '../../../src/serve/pages/words/speech.ts';
import { dayIncidents, dayNow } from '../../support/made-up-day.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly published: string;
  readonly updated: string;
  readonly content: { readonly '#text': string; readonly '@type': string };
  readonly link: { readonly '@href': string };
}

interface Feed {
  readonly '@xmlns': string;
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly author: { readonly name: string };
  readonly link: readonly { readonly '@rel': string; readonly '@href': string }[];
  readonly entry?: readonly Entry[];
}

const uuid = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const facts: FeedFacts = {
  title: 'Harbour & Co',
  databaseUid: 'a-database',
  origin: 'https://Status.Example.org:8443',
  now: dayNow,
  nameOf: (id) => id,
  speech: english,
  incidents: dayIncidents.map((incident) => ({
    incident,
    updatedAt: incident.ended_at ?? incident.confirmed_at,
  })),
};

function read(part: Partial<FeedFacts> = {}): Feed {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    isArray: (name) => name === 'entry',
  });
  return (parser.parse(renderFeed({ ...facts, ...part })) as { feed: Feed }).feed;
}

describe('the feed', () => {
  it('has what RFC 4287 asks for', () => {
    const feed = read();
    assert.equal(feed['@xmlns'], 'http://www.w3.org/2005/Atom');
    assert.match(feed.id, uuid);
    assert.equal(feed.title, 'Harbour & Co: History');
    assert.equal(feed.author.name, 'Harbour & Co');
    assert.deepEqual(
      feed.link.map((link) => [link['@rel'], link['@href']]),
      [
        ['self', 'https://Status.Example.org:8443/history.atom'],
        ['alternate', 'https://Status.Example.org:8443/history'],
        ['related', 'https://Status.Example.org:8443/maintenance.ics'],
      ],
    );
    assert.equal(feed.updated, '2026-11-21T14:03:10Z');
    for (const entry of feed.entry ?? []) {
      assert.match(entry.published, /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);
      assert.ok(entry.title !== '' && entry.content['@type'] === 'text' && entry.link['@href'] !== '');
    }
  });

  it('names an entry by its incident, and keeps the name when it is over', () => {
    const ids = read().entry?.map(({ id }) => id);
    assert.equal(new Set(ids).size, 4);
    for (const id of ids ?? []) assert.match(id, uuid);
    const [first] = facts.incidents;
    assert.ok(first);
    const ended = { ...first.incident, ended_at: '2026-11-21T15:00:00Z', duration_secs: 3530 };
    const [entry] = read({ incidents: [{ incident: ended, updatedAt: '2026-11-21T15:00:00Z' }] }).entry ?? [];
    assert.ok(entry);
    assert.equal(entry.id, ids?.[0]);
    assert.equal(entry.updated, '2026-11-21T15:00:00Z');
    assert.equal(entry.title, 'Outgoing mail was down, lasted 59 min');
  });

  it('does not change while nothing happens', () => {
    const later = facts.incidents.map(({ incident, updatedAt }) => ({
      incident:
        incident.ended_at === null ? { ...incident, duration_secs: incident.duration_secs + 60 } : incident,
      updatedAt,
    }));
    assert.equal(renderFeed({ ...facts, incidents: later, now: '2026-11-22T00:00:00Z' }), renderFeed(facts));
  });

  it('has the ids of its database, whatever host it is asked for at', () => {
    const idsOf = (part: Partial<FeedFacts>) => {
      const feed = read(part);
      return [feed.id, ...(feed.entry ?? []).map(({ id }) => id)];
    };
    assert.deepEqual(idsOf({ origin: 'http://[::1]:8787' }), idsOf({}));
    const others = idsOf({ databaseUid: 'another' });
    for (const id of idsOf({})) assert.ok(!others.includes(id));
  });

  it('is a feed without an incident too', () => {
    assert.equal(read({ incidents: [] }).updated, `${dayNow.slice(0, 10)}T00:00:00Z`);
  });
});
