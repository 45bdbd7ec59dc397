/** Tells everything that is wrong with test files at once. */
import { relative } from 'node:path';
import { sentence, type LoadProblem } from '../../engine/config/problem.ts';
import { StatusdError } from '../../engine/core/errors.ts';

/** One error with a line for each problem, the place first. */
export function problemsError(problems: readonly LoadProblem[], cwd: string): StatusdError {
  const lines = problems.map((problem) => {
    const file = problem.file.startsWith('/') ? shorter(problem.file, cwd) : problem.file;
    return `${file}:${problem.line}:${problem.column}  ${sentence(problem)}`;
  });
  const [only = ''] = lines;
  if (lines.length === 1) return new StatusdError('config_invalid', only);
  const all = lines.map((line) => `\n  ${line}`).join('');
  return new StatusdError('config_invalid', `there are ${lines.length} problems${all}`);
}

function shorter(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') ? file : path;
}
