/** Reads the files of the page's design. */
import { resolve } from 'node:path';
import type { Page } from './config.ts';
import { type ConfigFinding, quote, warning } from './finding.ts';
import { maxFileBytes } from './read-file.ts';
import type { FileTools } from './secret-files.ts';
import { decode, systemCode, whyNot } from './source.ts';

/** A picture as it is served. */
export interface PagePicture {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Null: not configured, or of no use. */
export interface PageFiles {
  readonly logo: PagePicture | null;
  readonly logoDark: PagePicture | null;
  readonly favicon: PagePicture | null;
  readonly css: string | null;
}

export interface PageFilesReading {
  readonly files: PageFiles;
  /** A page without its logo is better than none, so that nothing here is an error. */
  readonly findings: readonly ConfigFinding[];
}

type FileKeys = Partial<Pick<Page, 'logo' | 'logo_dark' | 'favicon' | 'css_file'>>;

export async function readPageFiles(page: FileKeys, tools: FileTools): Promise<PageFilesReading> {
  const findings: ConfigFinding[] = [];
  const read = async <T>(key: keyof FileKeys, use: (bytes: Uint8Array) => T | null, wanted: string) => {
    const named = page[key] ?? null;
    if (named === null) return null;
    const file = resolve(tools.folder, named);
    const complain = (why: string) => {
      findings.push(
        warning(['page', key], `names ${quote(file)}, which ${why}; the page is shown without it`),
      );
      return null;
    };
    try {
      const bytes = await tools.readFile(file);
      if (bytes.length > maxFileBytes) return complain('is larger than 1 MiB');
      return use(bytes) ?? complain(`is not ${wanted}`);
    } catch (error) {
      return complain(whyNot(systemCode(error)));
    }
  };
  const picture = 'a picture: SVG, PNG, WebP or JPEG';
  const files = {
    logo: await read('logo', logoOf, picture),
    logoDark: await read('logo_dark', logoOf, picture),
    favicon: await read('favicon', pictureOf, 'an icon: ICO, SVG or PNG'),
    css: await read('css_file', styleOf, 'a style sheet'),
  };
  return { files, findings };
}

function logoOf(bytes: Uint8Array): PagePicture | null {
  const picture = pictureOf(bytes);
  return picture?.type === 'image/x-icon' ? null : picture;
}

/** What a file is, by how it begins: its name says nothing for certain. */
function pictureOf(bytes: Uint8Array): PagePicture | null {
  const start = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
  const of = (type: string) => ({ bytes, type });
  if (start.startsWith('\x89PNG\r\n')) return of('image/png');
  if (start.startsWith('\xff\xd8\xff')) return of('image/jpeg');
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return of('image/webp');
  if (start.startsWith('\0\0\x01\0')) return of('image/x-icon');
  return /<svg[\s>]/.test(start) ? of('image/svg+xml; charset=utf-8') : null;
}

/** Styles stand in the page, which they must not end. */
function styleOf(bytes: Uint8Array): string | null {
  const text = decode(bytes);
  return typeof text !== 'string' || /<\/style/i.test(text) ? null : text;
}
