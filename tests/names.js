/**
 * Counts the type names that src exports with two meanings: a name is declared in one file of the tree, so that
 * a reader who has met it once knows it everywhere. Prints each that is not, and ends with 1.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const isType = (statement) =>
  ts.isInterfaceDeclaration(statement) ||
  ts.isTypeAliasDeclaration(statement) ||
  ts.isClassDeclaration(statement) ||
  ts.isEnumDeclaration(statement);
const isExported = ({ modifiers }) =>
  modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

const places = new Map();
for (const entry of readdirSync('src', { recursive: true })) {
  const file = join('src', String(entry));
  if (!/\.tsx?$/.test(file)) continue;
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023);
  for (const statement of statements) {
    if (!isType(statement) || !isExported(statement) || statement.name === undefined) continue;
    const name = statement.name.text;
    places.set(name, new Set([...(places.get(name) ?? []), file]));
  }
}
const shared = [...places].filter(([, files]) => files.size > 1);
for (const [name, files] of shared)
  process.stderr.write(`${name} is declared in ${[...files].join(' and ')}\n`);
process.exit(shared.length === 0 ? 0 : 1);
