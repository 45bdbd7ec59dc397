/** Keeps the start of a response, to show what a failing target answered. */
import { isCredentialHeader, maskCredentials } from '../../config/redact.ts';
import type { Answer } from '../../core/probe.ts';
import { cleanLine, cutText } from '../../core/text.ts';
import { answerBody } from '../probe-answer.ts';
import type { BodyText } from '../../net/http/decode.ts';
import type { Head } from '../../net/http/redirect.ts';

const mostHeaders = 24;
const lineCharacters = 160;

/** More than 2 KiB of text can come of: what lies beyond is neither masked nor cleaned. */
const consideredCharacters = 16 * 1024;

interface Snapshot {
  readonly head: Head;
  readonly body: BodyText;
  /** Masks secrets: before anything is cut, since half a secret cannot be masked. */
  readonly redact: (text: string) => string;
}

/**
 * Printable throughout: at most 24 headers of 160 characters each, 2 KiB of body. Headers that carry credentials are
 * left out for every reader.
 */
export function answerOf({ head, body, redact }: Snapshot): Answer {
  const line = (text: string, maxCharacters = lineCharacters) =>
    cutText(cleanLine(redact(text)), maxCharacters);
  const headers = head.headers.filter(([name]) => !isCredentialHeader(name));
  const more = headers.length - mostHeaders;
  return {
    statusLine: line(`HTTP/${head.version ?? '1.1'} ${head.statusCode} ${head.statusText}`.trimEnd()),
    headers: headers.slice(0, mostHeaders).map(([name, value]) => {
      const shown = line(name, lineCharacters / 2);
      return [shown, line(maskCredentials(value), lineCharacters - shown.length - ': '.length)];
    }),
    ...(more > 0 && { moreHeaders: more }),
    body: body.kind === 'unreadable' ? `(a body that ${body.why})` : textBody(body.text, redact),
  };
}

/** Whether an answer came in HTTP/2, which is only asked for where a target refuses HTTP/1.1. */
export function isHttp2(answer: Answer | null | undefined): boolean {
  return answer?.statusLine.startsWith('HTTP/2 ') === true;
}

function textBody(text: string, redact: Snapshot['redact']): string {
  const start = text.slice(0, consideredCharacters);
  const beyond =
    text
      .slice(consideredCharacters)
      .trimEnd()
      .match(/\r\n|\r|\n/g)?.length ?? 0;
  // Text has no NUL; pictures, archives and executables do.
  if (start.includes('\0')) return '(binary data)';
  return answerBody(
    redact(start)
      .trimEnd()
      .split(/\r\n|\r|\n/),
    { redact: (line) => line, beyond },
  );
}
