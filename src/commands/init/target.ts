/** Reads a target from one argument. */
import { isIPv6 } from 'node:net';
import { StatusdError } from '../../engine/core/errors.ts';
import type { TargetKind } from '../../engine/core/probe.ts';
import { cleanLine, cutText } from '../../engine/core/text.ts';
import { isHost, parseHostPort } from '../../engine/config/types/address.ts';

/** One monitor's worth of a question: what to ask, and of whom. */
export interface ProbeQuestion {
  readonly kind: TargetKind;
  /** As the `target` of a monitor has it. */
  readonly target: string;
}

/** What one argument asks for. Of several questions the first that is answered is the one to keep. */
export interface WantedTarget {
  /** The argument, fit to be shown. */
  readonly text: string;
  /** Without brackets and without port: what people call it. */
  readonly host: string;
  readonly questions: readonly [ProbeQuestion, ...ProbeQuestion[]];
}

/**
 * Reads `https://…`, `host`, `host/path`, `host:port`, `tcp://host:port`, `icmp://host`, `ping://host` or
 * `dns://name`. Throws a usage error that says what is wrong with anything else.
 */
export function wantedFrom(argument: string): WantedTarget {
  const text = cutText(cleanLine(argument), 200);
  if (argument.trim() === '') throw refuse('an empty argument is no target', forms);
  if (/[\s\p{Cc}]/u.test(argument)) throw refuse(`'${text}' holds blanks or control codes`, forms);
  const [, scheme, rest] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(argument) ?? [];
  if (scheme === undefined || rest === undefined) return plain(argument, text);
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https': {
      const url = webUrl(argument, text);
      return { text, host: hostOf(url), questions: [{ kind: 'http', target: url.href }] };
    }
    case 'tcp':
      return tcp(rest.replace(/\/$/, ''), text);
    case 'icmp':
    case 'ping':
      return named('icmp', rest.replace(/\/$/, '').replace(/^\[(.*)\]$/, '$1'), text);
    case 'dns':
      return named('dns', rest.replace(/\/$/, ''), text);
    default:
      throw refuse(`'${text}' has a scheme that statusd cannot probe`, forms);
  }
}

const forms =
  'A target is https://example.com, example.com, example.com:5432, tcp://host:port, icmp://host or dns://name.';

function refuse(message: string, hint: string): StatusdError {
  return new StatusdError('usage', message, { hint });
}

/** Without a scheme: a port alone asks for a connection, anything else for a page. */
function plain(argument: string, text: string): WantedTarget {
  if (parseHostPort(argument) !== null) return tcp(argument, text);
  const authority = isIPv6(argument) ? `[${argument}]` : argument;
  const secure = webUrl(`https://${authority}`, text);
  const clear = webUrl(`http://${authority}`, text);
  return {
    text,
    host: hostOf(secure),
    questions: [
      { kind: 'http', target: secure.href },
      { kind: 'http', target: clear.href },
    ],
  };
}

function tcp(authority: string, text: string): WantedTarget {
  const parsed = parseHostPort(authority);
  if (parsed === null || parsed.port === 0) throw refuse(`'${text}' names no host and port`, forms);
  return { text, host: parsed.host, questions: [{ kind: 'tcp', target: authority }] };
}

function named(kind: 'icmp' | 'dns', host: string, text: string): WantedTarget {
  if (!isHost(host)) throw refuse(`'${text}' names no host`, forms);
  return { text, host, questions: [{ kind, target: host }] };
}

function webUrl(written: string, text: string): URL {
  let url: URL;
  try {
    url = new URL(written);
  } catch (cause) {
    throw new StatusdError('usage', `'${text}' is no URL`, { hint: forms, cause });
  }
  if (!isHost(hostOf(url))) throw refuse(`'${text}' names no host`, forms);
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      `the URL of ${hostOf(url)} holds a user or a password`,
      'Leave them out, and put them in the file afterwards: headers = { Authorization = "Basic ${NAME}" }.',
    );
  }
  url.hash = '';
  return url;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}
