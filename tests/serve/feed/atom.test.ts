import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { type FeedFacts, renderFeed } from '../../../src/serve/feed/atom.ts';
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

const facts: FeedFacts = {
  title: 'Harbour & Co',
  origin: 'https://Status.Example.org:8443',
  now: dayNow,
  nameOf: (id) => id,
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
    assert.equal(feed.id, 'tag:status.example.org,2026:history');
    assert.equal(feed.title, 'Harbour & Co: incidents');
    assert.equal(feed.author.name, 'Harbour & Co');
    assert.deepEqual(
      feed.link.map((link) => [link['@rel'], link['@href']]),
      [
        ['self', 'https://Status.Example.org:8443/history.atom'],
        ['alternate', 'https://Status.Example.org:8443/history'],
      ],
    );
    assert.equal(feed.updated, '2026-11-21T14:03:10Z');
    for (const entry of feed.entry ?? []) {
      assert.match(entry.published, /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/);
      assert.ok(entry.title !== '' && entry.content['@type'] === 'text' && entry.link['@href'] !== '');
    }
  });

  it('names entries by the uid of the incident and the day it began, and keeps the name when it is over', () => {
    const ids = read().entry?.map(({ id }) => id);
    assert.deepEqual(ids, [
      'tag:status.example.org,2026-11-21:incident/i-08',
      'tag:status.example.org,2026-11-21:incident/i-07',
      'tag:status.example.org,2026-11-18:incident/i-06',
      'tag:status.example.org,2026-11-02:incident/i-05',
    ]);
    const [first] = facts.incidents;
    assert.ok(first);
    const ended = { ...first.incident, ended_at: '2026-11-21T15:00:00Z', duration_secs: 3530 };
    const [entry] = read({ incidents: [{ incident: ended, updatedAt: '2026-11-21T15:00:00Z' }] }).entry ?? [];
    assert.ok(entry);
    assert.equal(entry.id, ids[0]);
    assert.equal(entry.updated, '2026-11-21T15:00:00Z');
    assert.equal(entry.title, 'Outgoing mail was down for 58m 50s');
  });

  it('does not change while nothing happens', () => {
    const later = facts.incidents.map(({ incident, updatedAt }) => ({
      incident:
        incident.ended_at === null ? { ...incident, duration_secs: incident.duration_secs + 60 } : incident,
      updatedAt,
    }));
    assert.equal(renderFeed({ ...facts, incidents: later, now: '2026-11-22T00:00:00Z' }), renderFeed(facts));
  });

  it('is a feed without an incident too, and with any host', () => {
    assert.equal(read({ incidents: [] }).updated, `${dayNow.slice(0, 10)}T00:00:00Z`);
    assert.equal(read({ origin: 'http://[::1]:8787' }).id, 'tag:1,2026:history');
    assert.equal(read({ origin: 'nonsense' }).id, 'tag:localhost,2026:history');
  });
});
