/** Writes the pictures of the demo into a folder: SVG by itself, PNG by a browser where there is one. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { makePictures } from './pictures.ts';

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** A picture takes a second or two. */
const browserMs = 60_000;
const pageSize = { width: 1000, height: 820 };

interface Source {
  readonly name: string;
  readonly extension: 'svg' | 'html';
  readonly text: string;
  readonly size: { readonly width: number; readonly height: number };
}

/** What each picture is made from: the pictures of a terminal are SVG, that of the page is HTML. */
export async function pictureSources(): Promise<readonly Source[]> {
  const { svg, page } = await makePictures();
  return [
    ...Object.entries(svg).map(([name, text]) => ({
      name,
      extension: 'svg' as const,
      text,
      size: sizeOf(text),
    })),
    { name: 'page', extension: 'html', text: page, size: pageSize },
  ];
}

export async function performRecord(
  typed: string,
  { cwd, env, stdout, stderr }: Pick<Context, 'cwd' | 'env' | 'stdout' | 'stderr'>,
): Promise<ExitCode> {
  const folder = resolve(cwd, typed);
  await refuseNoFolder(folder);
  const sources = await pictureSources();
  const write = async (name: string, content: string | Buffer) => {
    const file = join(folder, name);
    try {
      await writeFile(file, content);
    } catch (cause) {
      throw new StatusdError('usage', `${cleanLine(file)} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
    stdout.write(`${cleanLine(file)}\n`);
  };
  for (const { name, extension, text } of sources) if (extension === 'svg') await write(`${name}.svg`, text);
  const home = await mkdtemp(join(tmpdir(), 'statusd-record-'));
  try {
    for (const source of sources) {
      const png = await photograph(source, home, env);
      if (png === null) {
        stderr.write(`statusd: no PNG was made: none of ${browsers.join(', ')} is installed\n`);
        break;
      }
      await write(`${source.name}.png`, withDigest(png, source.text));
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return exitCodes.ok;
}

/** Throws the usage error where no pictures could be written, before they are made. */
async function refuseNoFolder(folder: string): Promise<void> {
  const there = await stat(folder).catch(() => null);
  const name = cleanLine(folder);
  if (there === null)
    throw new StatusdError('usage', `the folder ${name} does not exist`, {
      hint: 'Create it first, or name another one.',
    });
  if (!there.isDirectory())
    throw new StatusdError('usage', `${name} is no folder`, { hint: 'Name a folder for the pictures.' });
}

/** Null: there is no browser. */
async function photograph(
  { name, extension, text, size }: Source,
  home: string,
  { PATH }: Context['env'],
): Promise<Buffer | null> {
  const from = join(home, `${name}.${extension}`);
  const to = join(home, `${name}.png`);
  await writeFile(from, text);
  for (const browser of browsers) {
    const args = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--hide-scrollbars',
      '--default-background-color=00000000',
      `--user-data-dir=${join(home, 'profile')}`,
      `--window-size=${size.width},${size.height}`,
      `--screenshot=${to}`,
      pathToFileURL(from).href,
    ];
    try {
      await promisify(execFile)(browser, args, { timeout: browserMs, env: { PATH, HOME: home } });
      return await readFile(to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return null;
}

function sizeOf(svg: string): Source['size'] {
  const [, width = '0', height = '0'] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  return { width: Number(width), height: Number(height) };
}

const keyword = 'statusd-source\0';
/** The signature and the header of a PNG. */
const headBytes = 33;

/** Adds the digest of its source to a PNG, so that an outdated one is found without drawing it again. */
function withDigest(png: Buffer, source: string): Buffer {
  const data = Buffer.from(`tEXt${keyword}${digestOf(source)}`, 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length - 4);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(data));
  return Buffer.concat([png.subarray(0, headBytes), length, data, check, png.subarray(headBytes)]);
}

/** Whether a picture was made from this text. */
export function isMadeFrom(png: Buffer, source: string): boolean {
  return png.subarray(0, 200).includes(Buffer.from(`${keyword}${digestOf(source)}`, 'latin1'));
}

function digestOf(source: string): string {
  return createHash('sha256').update(source).digest('hex');
}
