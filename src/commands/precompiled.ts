/**
 * Parts of the program that are one script each in dist/, with what V8 made of them when the program was built. That is
 * taken by the Node that made it, for the flags it was made under; any other compiles the script anew, and nothing else
 * changes.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

export interface LoadedScript<T> {
  readonly script: Script;
  readonly exports: T;
}

/** Runs the script at `url`, which is ASCII: a function of what a CommonJS module has around it and of its own address. */
export function loadScript<T>(url: URL): LoadedScript<T> {
  const filename = fileURLToPath(url);
  const source = read(filename).toString('latin1');
  const cachedData = readIfPresent(compiledName(filename));
  // What was compiled keeps the name it was given then: one that is the same wherever the script is.
  const name = { filename: basename(filename) };
  const script = new Script(source, cachedData === null ? name : { ...name, cachedData });
  const module = { exports: {} as T };
  const run = script.runInThisContext() as (...parts: readonly unknown[]) => void;
  run(module.exports, createRequire(url), module, url.href);
  return { script, exports: module.exports };
}

/** What was compiled is bytecode: of one version of Node, on one system and kind of processor. */
export function compiledName(filename: string): string {
  return `${filename}.${process.version}-${process.platform}-${process.arch}`;
}

function readIfPresent(file: string): Buffer | null {
  try {
    return read(file);
  } catch {
    return null;
  }
}

/**
 * A whole file, in memory that V8 gets from the system by itself, as for every buffer that may grow. Where malloc gives as
 * much, glibc takes the first time it is freed for a sign that much of it comes and goes, and each thread keeps twice as
 * much from then on: that which compiles SQLite, 6 MB.
 */
function read(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.from(Reflect.construct(ArrayBuffer, [size, { maxByteLength: size }]) as ArrayBuffer);
    let used = 0;
    while (used < size) {
      const count = readSync(descriptor, bytes, used, size - used, used);
      if (count === 0) throw new Error(`${file} was cut off while it was read`);
      used += count;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
