#!/usr/bin/env node
/** Starts the program in dist/, which a checkout builds on its first start. */
import { existsSync } from 'node:fs';

const [major, minor, patch] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && (minor < 18 || (minor === 18 && patch < 1)))) {
  refuse(`statusd needs Node 20.18.1 or later; this is ${process.version}.\n  Install a newer Node.\n`);
}
const program = new URL('../dist/main.js', import.meta.url);
if (!existsSync(program)) await buildOnce();
await import(program.href);

async function buildOnce() {
  const { spawnSync } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (!existsSync(`${root}esbuild.config.js`)) {
    refuse(`statusd: the installation in ${root} is incomplete: it has no dist/.\n  Install it again.\n`);
  }
  if (process.stderr.isTTY) process.stderr.write('statusd: builds itself, once.\n');
  const { status, stderr } = spawnSync(process.execPath, ['esbuild.config.js', '--if-missing'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return;
  const reason = stderr.slice(stderr.lastIndexOf('statusd: '));
  refuse(
    reason.startsWith('statusd: ') ? reason : `statusd: ${root} cannot be built.\n  Run \`npm ci\` there.\n`,
  );
}

function refuse(message) {
  process.stderr.write(message);
  process.exit(1);
}
