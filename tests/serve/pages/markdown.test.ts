import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderMarkdown } from '../../../src/serve/pages/markdown.ts';
import { hostileTexts } from './hostile.ts';
import { printedSeed } from '../../support/random.ts';

const drawn = (text: string) => renderMarkdown(text).text.replace(/^<div class="md">|<\/div>$/g, '');

describe('Markdown', () => {
  it('has headings that skip no level, whatever the text begins with', () => {
    assert.equal(drawn('# A\n### C\n## B'), '<h3>A</h3><h4>C</h4><h4>B</h4>');
    assert.equal(drawn('#### A\n##### B'), '<h3>A</h3><h4>B</h4>');
    assert.equal(drawn('#no heading'), '<p class="text">#no heading</p>');
  });

  it('has paragraphs, lists and code', () => {
    assert.equal(
      drawn('One\nline.\r\n\r\n- a\n  goes on\n- [ ] b\n* [x] c\n\n1. x\n2) y'),
      '<p class="text">One\nline.</p><ul><li>a goes on</li><li>☐ b</li><li>☑ c</li></ul><ol><li>x</li><li>y</li></ol>',
    );
    assert.equal(
      drawn('    HTTP/1.1 503\n    <b>\n\n```sh\n# no heading\n```\nend'),
      '<pre class="snap" tabindex="0">HTTP/1.1 503\n&lt;b&gt;</pre><pre class="snap" tabindex="0"># no heading</pre><p class="text">end</p>',
    );
    assert.equal(drawn('```\nnever closed'), '<pre class="snap" tabindex="0">never closed</pre>');
  });

  it('has emphasis, code and links within a line, and leaves names as they are', () => {
    assert.equal(
      drawn('**a** _b_ *c* `d_e_f` [g](https://h.example/?i=j&k)'),
      '<p class="text"><b>a</b> <em>b</em> <em>c</em> <code>d_e_f</code> <a href="https://h.example/?i=j&amp;k" rel="nofollow">g</a></p>',
    );
    for (const text of [
      'snake_case_name',
      '2 * 3 * 4',
      'a[0](b)',
      '[x](javascript:alert(1))',
      '[x](//h.example)',
    ])
      assert.equal(drawn(text), `<p class="text">${text}</p>`);
  });

  it('lets no markup of the text through', () => {
    for (const text of hostileTexts(printedSeed())) {
      for (const written of [
        text,
        `# ${text}`,
        `- ${text}`,
        `**${text}**`,
        `[${text}](https://a.example/${text})`,
      ])
        assert.doesNotMatch(drawn(written), /<(?!\/?(?:h[3-6]|p|ul|ol|li|b|em|code|pre|a)[ >])/);
    }
  });

  it('takes no longer for a text that was made to take long', () => {
    for (const piece of ['[', '*', '_a', '**a', '`', '- ', '#', '[a](', '```\n']) {
      // Processor time: what else the machine is doing is not what is measured.
      const start = process.cpuUsage();
      drawn(piece.repeat(400_000 / piece.length));
      const ms = process.cpuUsage(start).user / 1000;
      assert.ok(ms < 2000, `${piece} took ${ms} ms`);
    }
  });
});
