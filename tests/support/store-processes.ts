/** Starts processes with a store, built once so that each starts in a moment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { shortLived } from './cli.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A folder of its own for one test, and the program that its processes run. */
export interface Workshop {
  readonly folder: string;
  readonly program: string;
  readonly remove: () => void;
}

/** `where`: a folder on the disk that is to be tested; the system's temporary one when absent. */
export async function openWorkshop(where = tmpdir()): Promise<Workshop> {
  const folder = mkdtempSync(join(where, 'statusd-store-'));
  const sqlite = createRequire(import.meta.url).resolve('sql.js');
  await build({
    entryPoints: [here('../programs/store-process.ts'), here('../programs/tiny-checkpoint.ts')],
    outdir: join(folder, 'program'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
    banner: {
      js: "import { createRequire as __r } from 'node:module'; const require = __r(import.meta.url);",
    },
    plugins: [
      {
        name: 'sql.js stays outside',
        setup: (builder) => {
          builder.onResolve({ filter: /^sql\.js$/ }, () => ({ path: sqlite, external: true }));
        },
      },
    ],
    logLevel: 'warning',
  });
  return {
    folder,
    program: join(folder, 'program', 'store-process.mjs'),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One running process and what it has said so far. */
export interface Running {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly errors: string[];
  /** Resolves with the exit code; null for a process that was killed. */
  readonly ended: Promise<number | null>;
  /** Resolves once a line begins with `start`, or the process has ended. */
  readonly says: (start: string) => Promise<void>;
}

export function run(workshop: Workshop, args: readonly string[]): Running {
  const child = spawn(process.execPath, [...shortLived, workshop.program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const waiting: { start: string; resolve: () => void }[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const { start, resolve } of waiting) if (parts.some((line) => line.startsWith(start))) resolve();
  });
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => errors.push(text));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      for (const { resolve: stop } of waiting) stop();
      resolve(code);
    });
  });
  return {
    child,
    lines,
    errors,
    ended,
    says: (start) =>
      new Promise((resolve) => {
        if (lines.some((line) => line.startsWith(start)) || child.exitCode !== null) resolve();
        else waiting.push({ start, resolve });
      }),
  };
}

export interface Ack {
  readonly id: number;
  readonly content: string;
}

/** The notes a process was told are durable. */
export function acksOf(lines: readonly string[]): Ack[] {
  return lines.flatMap((line) => {
    const match = /^ack (\d+) (.*)$/.exec(line);
    return match?.[2] === undefined ? [] : [{ id: Number(match[1]), content: match[2] }];
  });
}
