/** Reads the configuration of Gatus: a file, or a folder of files. */
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { systemCode, whyNot } from '../../../engine/config/source.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { readWholeFile } from '../read-whole-file.ts';
import { type Merged, mergeParts, type FilePart } from './merge.ts';
import { expectGatus, readGatusYaml, readYaml } from './yaml.ts';

/** Thousands of endpoints are a megabyte. */
const maxBytes = 2_000_000;

const maxFiles = 1000;

/** Throws usage errors that name the file, and where they can the line. */
export async function readGatus(path: string): Promise<Merged> {
  const isFolder = await stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    const root = await readGatusYaml(await readWholeFile(path, maxBytes), basename(path));
    return { root, fileOf: () => null };
  }
  const parts: FilePart[] = [];
  let left = maxBytes;
  for (const file of await yamlFiles(path)) {
    const bytes = await readWholeFile(join(path, file), left);
    left -= bytes.length;
    const value = await readYaml(bytes, file);
    if (value !== null) parts.push({ file, value });
  }
  const merged = mergeParts(parts);
  return { ...merged, root: expectGatus(merged.root, basename(path)) };
}

/**
 * As Gatus finds them: in all folders below, in the order of their names. It passes over paths with two dots, because
 * a mounted ConfigMap holds every file once more in a folder named `..data`.
 */
async function yamlFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((cause: unknown) => {
      throw refuse(`${join(folder, below)} ${whyNot(systemCode(cause))}`, 'Check its owner and its mode.');
    });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(below, entry.name);
      if (path.includes('..')) continue;
      if (entry.isDirectory()) await walk(path);
      else if (['.yaml', '.yml'].includes(extname(path))) found.push(path);
      if (found.length > maxFiles)
        throw refuse(`${folder} holds over ${maxFiles} files`, 'Is it the right one?');
    }
  };
  await walk('');
  if (found.length > 0) return found;
  throw refuse(
    `${folder} holds no file that ends in .yaml or .yml`,
    'Name the folder that Gatus reads, or a file.',
  );
}

function refuse(message: string, hint: string): StatusdError {
  return new StatusdError('usage', message, { hint });
}
