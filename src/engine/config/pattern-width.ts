/** Measures how much work a compiled regular expression is for each character, at worst. */
import type { RE2JS } from 're2js';

/** The instructions of the engine that the measure knows apart; all others consume nothing and go on at `out`. */
const alternative = 1;
const alternativeOfMatch = 2;
const fail = 5;
const match = 6;
const consuming = [8, 9, 10, 11];
const anyCharacter = 10;
const anyButNewline = 11;

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  /** Pairs of first and last code point, or a single code point. */
  readonly runes: Int32Array;
  readonly matchRune: (rune: number) => boolean;
}

/**
 * The most states the engine can be in after any one character. Each state it is in then was entered over an
 * instruction that takes this character, or at the start; so for each class of characters the states reachable from
 * all instructions that take it are added up.
 */
export function measureWidth(compiled: RE2JS): number {
  const { inst, start } = compiled.re2().prog as {
    readonly inst: readonly Instruction[];
    readonly start: number;
  };
  const reachable = inst.map((instruction) =>
    consuming.includes(instruction.op) ? countReachable(inst, instruction.out) : 0,
  );
  let widest = 0;
  for (const rune of representatives(inst)) {
    let width = 0;
    inst.forEach((instruction, index) => {
      if (takes(instruction, rune)) width += reachable[index] ?? 0;
    });
    widest = Math.max(widest, width);
  }
  return Math.min(inst.length, countReachable(inst, start) + widest);
}

/** How many instructions are reached from one without consuming a character, itself included. */
function countReachable(inst: readonly Instruction[], from: number): number {
  const seen = new Set<number>();
  const open = [from];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const instruction = inst[index];
    if (instruction === undefined || seen.has(index)) continue;
    seen.add(index);
    const { op } = instruction;
    if (op === fail || op === match || consuming.includes(op)) continue;
    open.push(instruction.out);
    if (op === alternative || op === alternativeOfMatch) open.push(instruction.arg);
  }
  return seen.size;
}

function takes(instruction: Instruction, rune: number): boolean {
  if (!consuming.includes(instruction.op)) return false;
  if (instruction.op === anyCharacter) return true;
  return instruction.op === anyButNewline ? rune !== 0x0a : instruction.matchRune(rune);
}

/** One character of each class that the instructions distinguish. */
function representatives(inst: readonly Instruction[]): ReadonlySet<number> {
  const runes = new Set([0, 0x0a, 0x0b]);
  for (const { op, runes: ranges } of inst) {
    if (!consuming.includes(op)) continue;
    ranges.forEach((rune, index) => {
      runes.add(rune);
      if (index % 2 === 1) runes.add(rune + 1);
      for (const other of bothCases(rune)) runes.add(other);
    });
  }
  return runes;
}

/** A single letter may stand for both of its cases. */
function bothCases(rune: number): readonly number[] {
  if (rune > 0x10ffff) return [];
  const letter = String.fromCodePoint(rune);
  return [letter.toLowerCase(), letter.toUpperCase()].map((other) => other.codePointAt(0) ?? rune);
}
