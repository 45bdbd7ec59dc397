import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filled, templateFault } from '../../../src/engine/core/template.ts';

const fields = {
  message: 'a "quoted"\nline \\ é',
  incident_id: 42,
  cause: null,
  late: false,
  snapshot: { status_line: 'HTTP/1.1 503' },
  impacted: [{ id: 'a"b' }],
};

describe('a template', () => {
  it('escapes a text in a JSON string, and writes JSON outside of one', () => {
    const template =
      '{"a": "say \\"{{message}}\\"", "b": {{message}}, "c": {{incident_id}}, "d": "#{{incident_id}}", "e": {{cause}}, "f": "{{cause}}", "g": {{impacted}}, "h": "{{ impacted }}", "i": {{late}}}';
    assert.deepEqual(JSON.parse(filled(template, fields)), {
      a: `say "${fields.message}"`,
      b: fields.message,
      c: 42,
      d: '#42',
      e: null,
      f: '',
      g: fields.impacted,
      h: JSON.stringify(fields.impacted),
      i: false,
    });
  });

  it('writes a field as it is, or for a URL, where it is told to', () => {
    assert.equal(filled('{{message|raw}}!', fields), `${fields.message}!`);
    assert.equal(
      filled('m={{message|url}}&n={{cause | url}}', fields),
      `m=${encodeURIComponent(fields.message)}&n=`,
    );
    assert.equal(filled('{{message|url}}', { message: 'half \ud83d' }), 'half%20%EF%BF%BD');
  });

  it('leads into tables, and to nothing where there is none', () => {
    assert.equal(
      filled('"{{snapshot.status_line}}"{{snapshot.body}}{{nothing.at.all}}', fields),
      '"HTTP/1.1 503"nullnull',
    );
    assert.equal(filled('{{snapshot.toString}}', fields), 'null');
    assert.equal(filled('{{message.length}} {{cause.at}} {{incident_id.x}}', fields), 'null null null');
    assert.equal(filled('{{headers.x-request-id}}', { headers: { 'x-request-id': 'a' } }), '"a"');
  });

  it('puts no field of a field in', () => {
    assert.equal(filled('{{message|raw}}', { message: '{{secret}}', secret: 'x' }), '{{secret}}');
  });

  it('is refused with what is wrong in it', () => {
    const known = Object.keys(fields);
    assert.equal(templateFault('{"a": {"b": "{{message}}"}}', known), null);
    assert.deepEqual(templateFault('{{mesage}}', known), { kind: 'unknown_field', word: 'mesage' });
    assert.deepEqual(templateFault('{{message|upper}}', known), { kind: 'unknown_filter', word: 'upper' });
    assert.deepEqual(templateFault('{{ }}', known), { kind: 'malformed', word: '' });
    assert.deepEqual(templateFault('{{7*7}}', known), { kind: 'malformed', word: '7*7' });
    assert.deepEqual(templateFault('{{message}', known), { kind: 'open' });
    assert.deepEqual(templateFault('{{message}} {{late', known), { kind: 'open' });
    for (const word of ['7 message', 'message 7', 'Message', 'message.', 'message||raw', 'message|raw|url'])
      assert.deepEqual(templateFault(`{{ ${word} }}`, known), { kind: 'malformed', word });
    assert.deepEqual(templateFault('{{message|}}', known), { kind: 'unknown_filter', word: '' });
    assert.deepEqual(templateFault('{{late}} {{ snap.status_line }}', known), {
      kind: 'unknown_field',
      word: 'snap',
    });
    assert.equal(templateFault('{{ snapshot.status-line | raw }}', known), null);
    assert.equal(templateFault('{ {message} } }}', known), null);
  });
});
