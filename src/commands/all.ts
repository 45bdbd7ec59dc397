/** Every command there is, in the order in which help lists them. */
import type { StatusdCommandClass } from './base.ts';
import { BackupCommand } from './backup.ts';
import { CheckCommand } from './check.ts';
import { CompletionCommand } from './completion.ts';
import { CompletionWordsCommand } from './completion/words.ts';
import { InitCommand } from './init.ts';
import { SchemaCommand } from './schema.ts';

export const allCommands: readonly StatusdCommandClass[] = [
  CheckCommand,
  InitCommand,
  BackupCommand,
  SchemaCommand,
  CompletionCommand,
  CompletionWordsCommand,
];
