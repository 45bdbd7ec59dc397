/** Replays the logs after a snapshot in order, past anything missing or damaged. */
import { StatusdError } from '../../engine/core/errors.ts';
import type { Files } from '../store/files/files.ts';
import type { Names } from '../store/files/names.ts';
import type { WalHeader } from './header.ts';
import { openWal, type OpenedWal } from './open.ts';
import type { WalGap, WalReader } from './reader.ts';
import type { StoreSchema } from '../store/operation.ts';
import type { Replica } from '../store/replica.ts';
import type { FileFinding } from '../store/snapshot/base.ts';
import { isSealed } from '../store/snapshot/superseded.ts';

export interface WalReplayOptions {
  readonly files: Files;
  readonly names: Names;
  readonly schema: StoreSchema;
  /** `append`: to write afterwards. */
  readonly mode: 'read' | 'append';
  /** Waits a moment for a write in progress. */
  readonly pause: () => Promise<void>;
}

export interface CurrentLog {
  readonly reader: WalReader;
  readonly header: WalHeader | null;
}

export class WalReplay {
  readonly findings: FileFinding[] = [];
  private readonly options: WalReplayOptions;
  private readonly replica: Replica;

  constructor(options: WalReplayOptions, replica: Replica) {
    this.options = options;
    this.replica = replica;
  }

  /** Replays log after log; answers the last one, or null when the one after a seal is not there. */
  async follow(): Promise<CurrentLog | null> {
    for (;;) {
      const path = this.path(this.replica.log);
      const log = await this.open(this.replica.log);
      if (log.is !== 'open') {
        if (log.is === 'stray')
          this.found({ file: path, message: strayMessage(path, log.header), keep: 'aside' });
        if (!(await this.skipMissing())) return null;
        continue;
      }
      const current = { reader: log.reader, header: log.header };
      try {
        const isSealed = await this.readAll(log.reader);
        const isLast = !isSealed && !(await this.hasSuccessor(log.reader));
        this.report(path, current, isLast);
        if (isLast) return current;
        // A writer after a seal relies on everything before it.
        if (this.options.mode === 'append') await log.reader.file.sync();
      } catch (error) {
        await log.reader.file.close();
        throw error;
      }
      await log.reader.file.close();
      this.replica.nextLog();
    }
  }

  /** Replays every log before `until`; false when one is missing or has no end. */
  async followTo(until: number): Promise<boolean> {
    while (this.replica.log < until) {
      const log = await this.open(this.replica.log);
      if (log.is !== 'open') return false;
      try {
        if (!(await this.readAll(log.reader))) return false;
      } finally {
        await log.reader.file.close();
      }
      this.replica.nextLog();
    }
    return true;
  }

  private open(number: number): Promise<OpenedWal> {
    const { files, mode, schema } = this.options;
    const place = { path: this.path(number), databaseId: this.replica.databaseId, number };
    return openWal(files, place, { mode, schema: schema.version });
  }

  /** Applies everything up to the seal or the end; answers whether there is a seal. */
  private async readAll(reader: WalReader): Promise<boolean> {
    for (;;) {
      const { records, isSealed, isEnd } = await reader.read();
      for (const { operations } of records) {
        const name = this.replica.unknownName(operations);
        if (name !== null) throw unknownOperation(this.path(this.replica.log), name);
      }
      this.replica.applyRecords(records);
      if (isSealed) return true;
      if (!isEnd) continue;
      if (reader.leftOver === null) return false;
      const { to } = reader.leftOver;
      await this.options.pause();
      if ((await reader.file.facts()).size === to) return false;
    }
  }

  /**
   * Whether records went on to the next log although this one shows no seal. Its name alone says nothing: it is
   * made first, and a crash may come before the seal. A snapshot that begins with it, and the log after it, are made
   * afterwards.
   */
  private async hasSuccessor(reader: WalReader): Promise<boolean> {
    const { databaseId, log } = this.replica;
    const next = await this.open(log + 1);
    const isInUse = next.is === 'open' && (await hasRecords(next.reader));
    const isLeft = isInUse || (await this.nextAfter(log + 1)) !== null;
    if (!isLeft && !(await isSealed(this.options, { databaseId, log }))) return false;
    // The seal came before all of these, so it is here now, unless it is lost.
    const path = this.path(log);
    if (!(await this.readAll(reader))) {
      this.found({
        file: path,
        message: `the end of ${path} is lost; changes may be missing`,
        keep: 'copy',
        isLoss: true,
      });
    }
    return true;
  }

  /** The next log of this database after log `number`, or null. */
  private async nextAfter(number: number): Promise<number | null> {
    const { files, names } = this.options;
    for (const later of names.logNumbers(await files.list(names.directory))) {
      if (later <= number) continue;
      const log = await this.open(later);
      if (log.is !== 'open') continue;
      await log.reader.file.close();
      return later;
    }
    return null;
  }

  /** Goes on to the next log that is there; false when there is none. */
  private async skipMissing(): Promise<boolean> {
    const { replica } = this;
    const path = this.path(replica.log);
    const next = await this.nextAfter(replica.log);
    // The first log of a database that was just made, or of a backup, has yet to be made.
    if (next !== null || replica.log > 1) {
      this.found({
        file: path,
        message: `${path} is missing; the changes in it are lost`,
        keep: 'none',
        isLoss: true,
      });
    }
    if (next === null) return false;
    while (replica.log < next) replica.nextLog();
    return true;
  }

  private report(path: string, { reader, header }: CurrentLog, isLast: boolean): void {
    if (header === null) {
      this.found({ file: path, message: `the beginning of ${path} is damaged`, keep: 'copy' });
    }
    const atEnd = isLast && reader.leftOver !== null ? [reader.leftOver] : [];
    for (const gap of [...reader.gaps, ...atEnd]) {
      // The header of a log is its own finding.
      if (header === null && gap.from === 0) continue;
      this.found(gapFinding(path, gap));
    }
  }

  private found(finding: FileFinding): void {
    this.findings.push(finding);
  }

  private path(number: number): string {
    return this.options.names.log(number);
  }
}

/** Whether a log holds more than its header; closes it. */
async function hasRecords(reader: WalReader): Promise<boolean> {
  try {
    for (;;) {
      const { records, isSealed, isEnd } = await reader.read();
      if (records.length > 0 || isSealed) return true;
      if (isEnd) return false;
    }
  } finally {
    await reader.file.close();
  }
}

/** A write that was cut off was never acknowledged; anything else may have been. */
export function gapFinding(file: string, { from, to, isCutOff }: WalGap): FileFinding {
  const place = `(${to - from} bytes at ${from})`;
  return isCutOff
    ? { file, message: `${file} holds an unfinished write ${place}, which was dropped`, keep: 'none' }
    : {
        file,
        message: `${file} is damaged ${place}; the changes there are lost`,
        keep: 'copy',
        isLoss: true,
      };
}

function strayMessage(path: string, header: WalHeader): string {
  return `${path} is log ${header.number} of database ${header.database}, which does not belong here`;
}

function unknownOperation(path: string, name: string): StatusdError {
  return new StatusdError(
    'store_unusable',
    `${path} holds a change '${name}' that this version does not know`,
    {
      hint: 'Use the statusd that wrote it, or a later one. Nothing was changed.',
    },
  );
}
