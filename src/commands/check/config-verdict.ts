/** Turns the loader's findings about a configuration into problems that every format can show. */
import { isAbsolute, relative } from 'node:path';
import { pathText } from '../../engine/config/finding.ts';
import type { NamedFinding } from '../../engine/config/finding.ts';
import { type Locate, placeOfFinding } from '../../engine/config/locate.ts';
import { ConfigError } from '../../engine/config/problem.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import type { CheckFormat } from './formats.ts';
import type { ConfigVerdict, ConfigProblem } from './report.ts';

/** Where file names are shown: how a format names a file depends on it. */
export interface FileNaming {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * How a format names a file: JSON in full, GitHub from the root of the repository, everything else from where
 * the user is. A file outside of that is named in full.
 */
export function fileNamer(format: CheckFormat, { cwd, env }: FileNaming): (file: string) => string {
  if (format === 'json' || format === 'ndjson') return (file) => file;
  const workspace = env['GITHUB_WORKSPACE'] ?? '';
  const base = format === 'github' && workspace !== '' ? workspace : cwd;
  return (file) => {
    const path = relative(base, file);
    return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path;
  };
}

/** The verdict on a configuration that `error` says cannot be used; null when the error is about something else. */
export function verdictOnError(error: unknown, nameOf: (file: string) => string): ConfigVerdict | null {
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ file, line, column, path, subject, message, hint }) => ({
      file: nameOf(file),
      line,
      column,
      path: path === '' ? null : path,
      subject,
      message,
      hint,
    }));
    return { file: error.file === null ? null : nameOf(error.file), problems };
  }
  if (!(error instanceof StatusdError) || !error.code.startsWith('config_')) return null;
  const { message, hint } = error;
  const problem = { file: null, line: null, column: null, path: null, subject: '', message, hint };
  return { file: null, problems: [problem] };
}

/** The loader's warnings, each at its place in its file. */
export function warningProblems(
  warnings: readonly NamedFinding[],
  locate: Locate,
  nameOf: (file: string) => string,
): Promise<ConfigProblem[]> {
  return Promise.all(
    warnings.map(async (finding) => {
      const { ownPath, subject, message, hint } = finding;
      const { file, line, column } = await placeOfFinding(finding, locate);
      return { file: nameOf(file), line, column, path: pathText(ownPath), subject, message, hint };
    }),
  );
}
