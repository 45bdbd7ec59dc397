import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPageFiles } from '../../../src/engine/config/page-files.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

const files = new Map([
  ['/etc/logo.png', bytes('\x89PNG\r\n\x1a\n')],
  ['/etc/logo.webp', bytes('RIFF....WEBPVP8 ')],
  ['/etc/logo.jpg', bytes('\xff\xd8\xff\xe0')],
  ['/etc/logo.svg', bytes('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['/etc/icon.ico', bytes('\0\0\x01\0\x01\0')],
  ['/etc/page.html', bytes('<!DOCTYPE html><title>x</title>')],
  ['/etc/good.css', bytes('h1{color:red}')],
  ['/etc/bad.css', bytes('h1{color:red}</style><b>')],
  ['/etc/large.css', Buffer.alloc(1024 * 1024 + 1, 32)],
]);

const tools = {
  folder: '/etc',
  readFile: (path: string) => {
    const found = files.get(path);
    return found === undefined
      ? Promise.reject(Object.assign(new Error('no such file'), { code: 'ENOENT' }))
      : Promise.resolve(found);
  },
};

describe('the files of the page', () => {
  it('are known by their content', async () => {
    for (const [name, type] of [
      ['logo.png', 'image/png'],
      ['logo.webp', 'image/webp'],
      ['logo.jpg', 'image/jpeg'],
      ['/etc/logo.svg', 'image/svg+xml; charset=utf-8'],
    ] as const) {
      const { files: read, findings } = await readPageFiles({ logo: name, logo_dark: name }, tools);
      assert.deepEqual([read.logo?.type, read.logoDark?.type, findings], [type, type, []]);
    }
    const { files: read } = await readPageFiles({ favicon: 'icon.ico', css_file: 'good.css' }, tools);
    assert.deepEqual([read.favicon?.type, read.css], ['image/x-icon', 'h1{color:red}']);
  });

  it('are left out with a warning when they are of no use', async () => {
    for (const [page, message] of [
      [{ logo: 'none.png' }, 'names "/etc/none.png", which does not exist; the page is shown without it'],
      [
        { logo: 'page.html' },
        'names "/etc/page.html", which is not a picture: SVG, PNG, WebP or JPEG; the page is shown without it',
      ],
      [
        { logo: 'icon.ico' },
        'names "/etc/icon.ico", which is not a picture: SVG, PNG, WebP or JPEG; the page is shown without it',
      ],
      [
        { css_file: 'bad.css' },
        'names "/etc/bad.css", which is not a style sheet; the page is shown without it',
      ],
      [
        { css_file: 'large.css' },
        'names "/etc/large.css", which is larger than 1 MiB; the page is shown without it',
      ],
    ] as const) {
      const { files: read, findings } = await readPageFiles(page, tools);
      assert.deepEqual(read, { logo: null, logoDark: null, favicon: null, css: null });
      assert.deepEqual(
        findings.map((finding) => [finding.severity, finding.message]),
        [['warning', message]],
      );
    }
  });
});
