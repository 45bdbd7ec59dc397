/** A text that must not be shown: only `reveal` returns it. */

const mask = '[secret]';

/**
 * Wraps a token, password or private URL of the configuration. Printing, joining, inspecting or turning it into
 * JSON gives `[secret]`. Two secrets are compared with `equals`: deep-equality helpers cannot see inside.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Call it where the text is used, not earlier. */
  reveal(): string {
    return this.#text;
  }

  equals(other: Secret): boolean {
    return this.#text === other.#text;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return mask;
  }
}
