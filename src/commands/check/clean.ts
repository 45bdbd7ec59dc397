/** Removes everything from a report that could act on the reader's terminal. */
import { cleanLine, cleanLines } from '../../engine/core/text.ts';
import type {
  CheckedMonitor,
  CheckReport,
  ConfigVerdict,
  FilePosition,
  Note,
  ConfigProblem,
} from './report.ts';

/**
 * The same report with every text from outside made printable: names and groups come from the
 * configuration, errors and answers from the target. Every format but JSON, which escapes, is rendered from this.
 */
export function cleanReport(report: CheckReport): CheckReport {
  return {
    ...report,
    file: cleanLine(report.file),
    results: report.results.map(cleanResult),
    causes: new Map([...report.causes].map(([id, name]) => [id, cleanLine(name)])),
    notes: report.notes.map(cleanNote),
  };
}

function cleanResult(result: CheckedMonitor): CheckedMonitor {
  const { answer } = result;
  return {
    ...result,
    name: cleanLine(result.name),
    group: cleanOrNull(result.group),
    error: cleanOrNull(result.error),
    curl: cleanOrNull(result.curl),
    position: cleanPosition(result.position),
    unmet: result.unmet.map(({ key, isMet, expected, actual }) => ({
      key,
      isMet,
      expected: cleanLine(expected),
      actual: cleanLine(actual),
    })),
    answer:
      answer === null
        ? null
        : {
            ...answer,
            statusLine: cleanLine(answer.statusLine),
            headers: answer.headers.map(([name, value]) => [cleanLine(name), cleanLine(value)] as const),
            body: cleanLines(answer.body).join('\n'),
          },
  };
}

export function cleanVerdict({ file, problems }: ConfigVerdict): ConfigVerdict {
  return {
    file: cleanOrNull(file),
    problems: problems.map(cleanProblem),
  };
}

export function cleanProblem(problem: ConfigProblem): ConfigProblem {
  return {
    ...problem,
    file: cleanOrNull(problem.file),
    path: cleanOrNull(problem.path),
    subject: cleanLine(problem.subject),
    message: cleanLine(problem.message),
    hint: cleanOrNull(problem.hint),
  };
}

function cleanNote(note: Note): Note {
  const { name, text, position } = note;
  return { ...note, name: cleanLine(name), text: cleanLine(text), position: cleanPosition(position) };
}

function cleanPosition(position: FilePosition | null): FilePosition | null {
  return position === null ? null : { ...position, file: cleanLine(position.file) };
}

function cleanOrNull(text: string | null): string | null {
  return text === null ? null : cleanLine(text);
}
