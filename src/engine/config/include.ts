/** Reads the files that `include` names, and adds their tables to those of the main file. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { inParallel } from '../core/in-parallel.ts';
import type { Steps } from '../core/yielding.ts';
import { type Environment, expandTable } from './expand.ts';
import { type ConfigFinding, failure, faulty, quote, subjectOf, warning } from './finding.ts';
import { isPattern, type ListMatches } from './list-matches.ts';
import { type ConfigFile, locator } from './locate.ts';
import { parseParts } from './parse-parts.ts';
import type { RawTable } from './parse.ts';
import { type LoadProblem, problemOf, type SourceName, textProblem } from './problem.ts';
import { maxConfigBytes, type ReadFile } from './read-file.ts';
import { tablesIn } from './read-sections.ts';
import { topRows } from './rows/top.ts';
import { allSections, heading } from './sections.ts';
import { decode, systemCode, whyNot } from './source.ts';
import { unknownSection } from './unknown-key.ts';

/** The main file as it was parsed. */
export interface MainFile extends ConfigFile {
  readonly text: string;
  readonly table: RawTable;
}

export interface IncludeTools {
  /** What variables in the paths stand for. */
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly listMatches: ListMatches;
  readonly yieldTurn: (() => Promise<void>) | undefined;
  readonly inSteps: <Made>(steps: Steps<Made>) => Made | Promise<Made>;
}

/** The files of a configuration as one. */
export interface WholeConfig {
  /** The main file without `include`, its lists followed by those of the other files. */
  readonly table: RawTable;
  readonly main: ConfigFile;
  readonly included: readonly ConfigFile[];
  /** Whether one of the included files may name a variable. */
  readonly hasVariables: boolean;
  readonly findings: readonly ConfigFinding[];
  /** What is wrong with files as such: no TOML, or with what an included file cannot have. */
  readonly problems: readonly LoadProblem[];
  /** Whether there may be tables that could not be read. */
  readonly isPartial: boolean;
  /** The paths of all files in their order, also of those that could not be read. */
  readonly paths: readonly string[];
}

/** What an included file may have. */
const shared = allSections.filter(({ name }) => ['monitors', 'channels', 'maintenance'].includes(name));
const sharedNames = shared.map(({ name }) => name);

/** How many files are read at a time. */
const mostAtOnce = 8;

/** All files of the configuration. The tables of one that cannot be read, or is no TOML, are missing: `isPartial`. */
export async function readIncluded(main: MainFile, tools: IncludeTools): Promise<WholeConfig> {
  const { include, ...own } = main.table;
  if (include === undefined) {
    return {
      table: main.table,
      main,
      included: [],
      hasVariables: false,
      findings: [],
      problems: [],
      isPartial: false,
      paths: [main.file],
    };
  }
  const expansion = await tools.inSteps(expandTable({ include }, tools.env));
  const { wanted, findings: unfound } = await pathsIn(expansion.table['include'], main, tools);
  const { contents, findings: unread } = await readAll(wanted, main, tools);
  const files: ParsedFile[] = [];
  const problems: LoadProblem[] = [];
  for (const content of contents) {
    const parsed = await parseIncluded(content, main, tools);
    if ('table' in parsed) files.push(parsed);
    problems.push(...parsed.problems);
    await tools.yieldTurn?.();
  }
  const joined = joinFiles({ ...main, table: own }, files);
  const findings = [...expansion.findings, ...unfound, ...unread];
  return {
    ...joined,
    findings: [...findings, ...joined.findings],
    problems,
    isPartial: problems.length > 0 || findings.some(({ severity }) => severity === 'error'),
    paths: [main.file, ...wanted.map(({ file }) => file)],
  };
}

interface WantedFile extends SourceName {
  /** The index of what names it in `include`. */
  readonly at: number;
}

/** Every file that `include` names, once, in its order; those of a pattern are sorted. */
async function pathsIn(
  include: unknown,
  { file: main }: MainFile,
  { listMatches }: IncludeTools,
): Promise<{ readonly wanted: readonly WantedFile[]; readonly findings: readonly ConfigFinding[] }> {
  const reading = topRows.include.type.read(include);
  if (!reading.isGood)
    return { wanted: [], findings: reading.faults.map((fault) => faulty(['include'], fault)) };
  const mainPath = resolve(main);
  const folder = dirname(mainPath);
  const wanted = new Map<string, WantedFile>();
  const findings: ConfigFinding[] = [];
  for (const [at, written] of reading.value.entries()) {
    const path = resolve(folder, written);
    if (isPattern(dirname(written))) {
      const hint = 'use them in the name of the file: "conf.d/*.toml"';
      findings.push(failure(['include', at], 'has * or ? in the name of a folder', hint));
    } else if (!isPattern(written)) {
      if (path === mainPath) findings.push(failure(['include', at], 'names this file itself', 'remove it'));
      else if (!wanted.has(path)) wanted.set(path, { ...nameIn(folder, path), at });
    } else {
      try {
        for (const match of await listMatches(path))
          if (match !== mainPath && !wanted.has(match)) wanted.set(match, { ...nameIn(folder, match), at });
      } catch (error) {
        const code = systemCode(error);
        const why = `names files in ${quote(dirname(path))}, which ${whyNot(code)}`;
        // It may be made later; but what is misspelt adds nothing either, and its monitors are watched by nobody.
        const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
        const hint = 'make the folder, or mend the path';
        findings.push(isAbsent ? warning(['include', at], why, hint) : failure(['include', at], why));
      }
    }
  }
  return { wanted: [...wanted.values()], findings };
}

function nameIn(folder: string, file: string): SourceName {
  const path = relative(folder, file);
  return { file, fileName: path.startsWith('..') || isAbsolute(path) ? file : path };
}

interface FileContent extends SourceName {
  readonly text: ReturnType<typeof decode>;
}

/** Several at a time; all files together have no more bytes than one may have. */
async function readAll(
  wanted: readonly WantedFile[],
  { text }: MainFile,
  { readFile }: IncludeTools,
): Promise<{ readonly contents: readonly FileContent[]; readonly findings: readonly ConfigFinding[] }> {
  const findings: ConfigFinding[] = [];
  let left = maxConfigBytes - Buffer.byteLength(text);
  const contents = await inParallel(wanted, mostAtOnce, async ({ file, fileName, at }) => {
    if (left < 0) return [];
    try {
      const bytes = await readFile(file, left);
      const isFirstTooMany = left >= 0 && bytes.length > left;
      left -= bytes.length;
      // The bytes lie in a larger piece of memory, which thousands of short files would fill.
      if (left >= 0) return [{ file, fileName, text: decode(bytes) }];
      const why = `names ${quote(fileName)}, with which the configuration is larger than 64 MiB`;
      if (isFirstTooMany) findings.push(failure(['include', at], why, 'is it the right file?'));
    } catch (error) {
      const why = `names ${quote(fileName)}, which ${whyNot(systemCode(error))}`;
      findings.push(failure(['include', at], why));
    }
    return [];
  });
  return { contents: contents.flat(), findings };
}

interface ParsedFile extends ConfigFile {
  readonly table: RawTable;
  readonly hasVariables: boolean;
}

type Parsing =
  | (ParsedFile & { readonly problems: readonly LoadProblem[] })
  | { readonly problems: readonly LoadProblem[] };

async function parseIncluded(
  { text, file, fileName }: FileContent,
  main: MainFile,
  { inSteps }: IncludeTools,
): Promise<Parsing> {
  const name = { file, fileName };
  if (typeof text !== 'string') return { problems: [textProblem(name, text)] };
  const parsed = await inSteps(parseParts(text));
  if ('fault' in parsed) return { problems: [textProblem(name, parsed.fault)] };
  const { table, parts } = parsed;
  const locate = locator({ ...name, parts });
  const problems: LoadProblem[] = [];
  for (const finding of refusals(table, main)) {
    const subject = subjectOf(finding.path, table);
    problems.push(
      problemOf({ ...finding, ownPath: finding.path, subject }, await locate(finding.path, finding.spot)),
    );
  }
  return { ...name, parts, table, hasVariables: text.includes('${'), problems };
}

/** What an included file has and cannot have. */
function refusals(table: RawTable, { fileName: main }: SourceName): readonly ConfigFinding[] {
  const strange = Object.keys(table).filter((key) => !sharedNames.includes(key));
  return [
    ...shared.flatMap((section) => tablesIn(section, table[section.name]).findings),
    ...strange.map((key): ConfigFinding => {
      const section = allSections.find(({ name }) => name === key);
      const place = { severity: 'error', path: [key], spot: 'key' } as const;
      const message = 'cannot be set in an included file';
      if (section !== undefined) return { ...place, message, hint: `move ${heading(section)} to ${main}` };
      return Object.hasOwn(topRows, key)
        ? { ...place, message, hint: `set ${key} in ${main}` }
        : unknownSection(key, sharedNames);
    }),
  ];
}

/** The tables of the main file first, then those of the others in their order. */
function joinFiles(
  main: MainFile,
  others: readonly ParsedFile[],
): Pick<WholeConfig, 'table' | 'main' | 'included' | 'hasVariables' | 'findings'> {
  const table: Record<string, unknown> = { ...main.table };
  const findings: ConfigFinding[] = [];
  const first = withCounts(main);
  const rest = others.map(withCounts);
  for (const section of shared) {
    const joined: unknown[] = [];
    for (const { table: own, counts } of [first, ...rest]) {
      const { items } = tablesIn(section, own[section.name]);
      for (const item of items) joined.push(item);
      counts.set(section.name, items.length);
    }
    findings.push(...tablesIn(section, main.table[section.name]).findings);
    if (joined.length > 0) table[section.name] = joined;
  }
  return {
    table,
    main: placesOnly(first),
    included: rest.map(placesOnly),
    hasVariables: others.some(({ hasVariables }) => hasVariables),
    findings,
  };
}

function withCounts<File extends ConfigFile & { readonly table: RawTable }>(file: File) {
  return { ...file, counts: new Map<string, number>() };
}

/** Places are kept as long as the configuration, tables are not. */
function placesOnly({ file, fileName, parts, counts }: ReturnType<typeof withCounts>): ConfigFile {
  return { file, fileName, parts, counts };
}
