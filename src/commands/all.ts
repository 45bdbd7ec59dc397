/** Every command there is, in the order in which help lists them. */
import type { StatusdCommandClass } from './base.ts';
import { CheckCommand } from './check.ts';

export const allCommands: readonly StatusdCommandClass[] = [CheckCommand];
