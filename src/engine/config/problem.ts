/** The errors of a configuration, each with its place in the file. */
import { basename } from 'node:path';
import { StatusdError } from '../core/errors.ts';
import { counted } from '../core/words.ts';
import { pathText, type NamedFinding } from './finding.ts';

/** A place in a text: both count from 1, the column in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A file of a configuration. */
export interface SourceName {
  /** Its path: that of the configuration file as it was given. */
  readonly file: string;
  /** What messages call it: an included file by its path from the folder of the main file. */
  readonly fileName: string;
}

/** A place in one of the files of a configuration. */
export interface SourcePosition extends SourceName, TextPosition {}

export interface LoadProblem extends SourcePosition {
  /** `monitors[2].interval_secs`; empty for the file as a whole. */
  readonly path: string;
  /** The last key of the path. */
  readonly key: string;
  /** What the sentence begins with: `monitor "api": interval_secs`; empty for the file as a whole. */
  readonly subject: string;
  /** Continues the sentence that begins with the subject. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string | null;
}

/** A configuration that cannot be used, with every problem of it in the order of its files and lines. */
export class ConfigError extends StatusdError {
  readonly problems: readonly LoadProblem[];
  /** The main file; null: nothing is known of it. */
  readonly file: string | null;

  /** `files`: their order, that of the main file first and files beside it before that; absent: there is one. */
  constructor(problems: readonly LoadProblem[], files: readonly string[] = []) {
    const ranks = new Map(files.map((file, index) => [file, index]));
    const rankOf = ({ file }: LoadProblem) => ranks.get(file) ?? -1;
    const sorted = problems.toSorted(
      (a, b) => rankOf(a) - rankOf(b) || a.line - b.line || a.column - b.column,
    );
    super('config_invalid', describe(sorted));
    this.problems = sorted;
    this.file = files[0] ?? sorted[0]?.file ?? null;
  }
}

/** What messages call the main file, or the only one. */
export function mainName(file: string): SourceName {
  return { file, fileName: basename(file) };
}

/** A finding at its position. */
export function problemOf(finding: NamedFinding, position: SourcePosition): LoadProblem {
  const { ownPath: path, subject, message, hint } = finding;
  const key = path.findLast((step) => typeof step === 'string') ?? '';
  return { ...position, path: pathText(path), key, subject, message, hint };
}

/** A finding at its position, with the place of what it collides with, if that is in another file. */
export function collisionOf(
  finding: NamedFinding,
  position: SourcePosition,
  earlier: SourcePosition,
): LoadProblem {
  const problem = problemOf(finding, position);
  if (earlier.file === position.file) return problem;
  return { ...problem, message: `${problem.message}, at ${earlier.fileName}:${earlier.line}` };
}

/** What is wrong with a file that cannot be read as a table at all. */
export function textProblem(
  { file, fileName }: SourceName,
  { line, column, message, hint }: TextPosition & Pick<LoadProblem, 'message' | 'hint'>,
): LoadProblem {
  return { file, fileName, line, column, path: '', key: '', subject: '', message, hint };
}

/** A problem or finding without its place: `monitor "web": intervl_secs is an unknown key; did you mean interval_secs?` */
export function sentence({
  subject,
  message,
  hint,
}: Pick<LoadProblem, 'subject' | 'message' | 'hint'>): string {
  return `${subject === '' ? '' : `${subject} `}${message}${hint === null ? '' : `; ${hint}`}`;
}

/** All problems for people, one a line: the place, what is wrong, how to mend it. */
export function describeProblems(error: ConfigError): string {
  return lines(error.problems).join('\n');
}

/** More of them at once help nobody: a generated file repeats one mistake thousands of times. */
const mostShown = 50;

/** The first problems for people, and a line about the others; null: there are no others. Machines get all of them. */
export function shownProblems<P>(problems: readonly P[]): {
  readonly shown: readonly P[];
  readonly more: string | null;
} {
  const left = problems.length - mostShown;
  if (left <= 0) return { shown: problems, more: null };
  return { shown: problems.slice(0, mostShown), more: `and ${counted(left, 'more problem')}` };
}

function lines(problems: readonly LoadProblem[]): readonly string[] {
  const { shown, more } = shownProblems(problems);
  const texts = shown.map((problem) => {
    return `${problem.fileName}:${problem.line}:${problem.column}  ${sentence(problem)}`;
  });
  return more === null ? texts : [...texts, more];
}

function describe(problems: readonly LoadProblem[]): string {
  if (problems.length === 1) return lines(problems).join('');
  return [
    `the configuration has ${problems.length} problems`,
    ...lines(problems).map((line) => `  ${line}`),
  ].join('\n');
}
