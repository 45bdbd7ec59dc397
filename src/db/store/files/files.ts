/** The file operations that the store is built on: few, so that a test can simulate a failing disk. */

/** `create` makes a new file, 0600, and fails with EEXIST when there is one. Errors carry a system error code. */
export type OpenMode = 'read' | 'append' | 'create';

export interface OpenFile {
  /** One write(2): at the end (`append`, `create`). Answers how many bytes were taken, which may be fewer. */
  readonly write: (bytes: Uint8Array) => Promise<number>;
  /** One pread(2); fewer bytes than asked only at the end of the file. */
  readonly read: (into: Uint8Array, position: number) => Promise<number>;
  readonly facts: () => Promise<FileFacts>;
  /** How many bytes it has, at once. Absent: it may have to be waited for. */
  readonly sizeNow?: () => number;
  /**
   * `write` syncs the bytes that it took before it resolves, those alone (O_DSYNC). One that rejects may have left bytes
   * in the file, which later syncs say nothing of.
   */
  readonly isWriteThrough?: boolean;
  /** fdatasync(2): contents and size are on the disk when it resolves. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly inode: number;
}

export interface Files {
  readonly open: (path: string, mode: OpenMode) => Promise<OpenFile>;
  /** Null when there is nothing at `path`. Follows symbolic links. */
  readonly facts: (path: string) => Promise<FileFacts | null>;
  readonly list: (directory: string) => Promise<readonly string[]>;
  /** Gives the file at `from` a second name; fails with EEXIST when `to` is taken. */
  readonly link: (from: string, to: string) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Removing what is not there is no error. */
  readonly remove: (path: string) => Promise<void>;
  /** Makes the file readable by its owner only. */
  readonly restrict: (path: string) => Promise<void>;
  /** Makes links, renames and removals in `directory` durable. */
  readonly syncDirectory: (directory: string) => Promise<void>;
  /**
   * Calls `onEvent` whenever something was done in `directory`, by whichever process; answers how to stop, and null where
   * not everything is reported. Rejects with a system error. Absent: nothing is.
   */
  readonly listen?: (directory: string, onEvent: () => void) => Promise<(() => void) | null>;
  /** The path with every symbolic link followed, also when the file itself is missing. */
  readonly resolve: (path: string) => Promise<string>;
}
