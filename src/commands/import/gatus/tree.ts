/** Reads values of the YAML of Gatus, which nobody has checked. */
import type { Remarks } from '../item.ts';
import { isRecord, type Loose, recordsIn } from '../record.ts';
import { hasVariables } from './environment.ts';
import { goDurationMs } from './duration.ts';

export { recordsIn, type Loose };

/** Text, and numbers as they are written; empty for anything else. */
export function textAt(record: Loose, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : '';
}

export function recordAt(record: Loose, key: string): Loose {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return isRecord(value) ? value : {};
}

export function textsAt(record: Loose, key: string): string[] {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (!Array.isArray(value)) return [];
  return (value as unknown[]).filter((one) => typeof one === 'string' || typeof one === 'number').map(String);
}

export function flagAt(record: Loose, key: string, fallback: boolean): boolean {
  const text = textAt(record, key);
  return text === '' ? fallback : text === 'true';
}

/** The seconds of a duration; null when there is none. One that cannot be read, or is a variable, is told. */
export function secondsAt(record: Loose, key: string, remarks: Remarks): number | null {
  const text = textAt(record, key);
  if (text === '') return null;
  const ms = goDurationMs(text);
  if (ms === null)
    remarks.drop(`${key}: ${hasVariables(text) ? 'a variable in place of a duration' : 'no duration'}`);
  return ms === null ? null : ms / 1000;
}

export function numberAt(record: Loose, key: string, fallback: number): number {
  const text = textAt(record, key);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? fallback : number;
}

/** Whether anything is given under a key. */
export function isGiven(record: Loose, key: string): boolean {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  if (value === undefined || value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
