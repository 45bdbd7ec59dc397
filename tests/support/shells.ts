/** Completes command lines in real shells, with `statusd` on the path. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from './cli.ts';

export type ShellName = 'bash' | 'zsh' | 'fish';

export function hasShell(name: ShellName): boolean {
  return spawnSync(name, ['-c', 'exit 0']).status === 0;
}

/** A folder with a program `statusd`, and with a configuration whose words a shell must not expand. */
export class CompletionFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'statusd-completion-'));

  constructor(config: string) {
    const program = join(this.path, 'statusd');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(this.path, 'statusd.toml'), config);
  }

  get env(): Record<string, string> {
    return { PATH: `${this.path}:${process.env['PATH'] ?? ''}`, HOME: '/nonexistent', LANG: 'C.UTF-8' };
  }

  /** The script for a shell, written to a file. */
  script(shell: ShellName): string {
    const file = join(this.path, `completion.${shell}`);
    writeFileSync(file, execFileSync('statusd', ['completion', shell], { cwd: this.path, env: this.env }));
    return file;
  }

  run(command: string, args: readonly string[]): string {
    return execFileSync(command, args, { cwd: this.path, env: this.env, encoding: 'utf8', timeout: 60_000 });
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}

/** Two monitors, one of them in a group that is a trap for a shell that expands what it completes to. */
export const completionConfig = `
[[monitors]]
id = "api"
target = "https://example.com"
group = "Web $(touch pwned) \`touch pwned\` sites"

[[monitors]]
id = "app-db"
kind = "tcp"
target = "db.example.com:5432"
`;
