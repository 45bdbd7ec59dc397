/** Removes credentials from addresses and headers. */
import { credentialName } from '../../engine/config/redact.ts';
import { parseUrl } from '../../engine/config/types/url.ts';
import { composed, type ComposedText } from './toml-value.ts';
import type { Secrets } from './variables.ts';

export interface CredentialOwner {
  readonly id: string;
  /** `of the monitor "Shop"`. */
  readonly whose: string;
  readonly secrets: Secrets;
}

export interface CredentialTarget {
  /** Without a login; credentials in the query are variables. */
  readonly target: string | ComposedText;
  /** The `Authorization` header for the login that was in the address; null: there was none. */
  readonly login: string | ComposedText | null;
}

/** An address that is none is left as it is, for the loader to judge. */
export function hideCredentials(address: string, owner: CredentialOwner): CredentialTarget {
  const url = parseUrl(address);
  if (url === null) return { target: address, login: null };
  const login = loginOf(url, owner);
  url.username = '';
  url.password = '';
  const bare = login === null ? address : url.href;
  const parts = bare.split(/(?<=[?&])/);
  const isSecret = (part: string) => {
    const [name = '', value = ''] = part.split('=');
    return value !== '' && credentialName.test(name);
  };
  if (!parts.slice(1).some(isSecret)) return { target: bare, login };
  const hidden = parts.flatMap((part, index) => {
    const [, name = '', value = '', rest = ''] = /^([^=]*=)([^&#]*)(.*)$/s.exec(part) ?? [];
    if (index === 0 || !isSecret(part)) return [part];
    const label = `${owner.id} ${name.slice(0, -1)}`;
    const origin = `the parameter ${name.slice(0, -1)} in the address ${owner.whose}`;
    return [name, owner.secrets.keep(value, { label, origin }), rest];
  });
  return { target: composed(...hidden), login };
}

function loginOf(url: URL, { id, whose, secrets }: CredentialOwner): string | ComposedText | null {
  if (url.username === '' && url.password === '') return null;
  const login = `${decode(url.username)}:${decode(url.password)}`;
  const origin = `user:password in the address ${whose}, in base64`;
  const kept = secrets.keep(Buffer.from(login).toString('base64'), { label: `${id} basic auth`, origin });
  return composed('Basic ', kept);
}

/** The value of a header, with what is secret in it as a variable: all but the scheme. */
export function secretHeader(name: string, value: string, owner: CredentialOwner): string | ComposedText {
  if (!credentialName.test(name) || value === '') return value;
  const [, scheme = '', rest = value] = /^((?:basic|bearer|token|digest|apikey)\s+)(.+)$/is.exec(value) ?? [];
  const about = {
    label: `${owner.id} ${name}`,
    origin: `the header ${name} ${owner.whose}${scheme === '' ? '' : `, after "${scheme.trim()}"`}`,
  };
  return composed(scheme, owner.secrets.keep(rest, about));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
