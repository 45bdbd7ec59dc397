/** Takes a request to its answer, through redirects. */
import { ProbeFault } from '../../net/faults.ts';
import { exchange, type HttpResponse } from '../../net/http/exchange.ts';
import { type LinkTerms, openLink } from './link.ts';
import { proxyName } from '../../net/http/proxy.ts';
import { type Head, nextStep, type RedirectStep } from '../../net/http/redirect.ts';
import type { HttpRequest } from '../../net/http/request.ts';

export interface Visit {
  /** The one that was answered. */
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** Why a redirect was not followed; continues the name of the target. Null when there was none. */
  readonly refusal: string | null;
}

export interface FollowTerms extends LinkTerms {
  readonly maxBodyBytes: number;
  readonly onUnanswered?: (() => void) | undefined;
  /** False takes a redirect for the answer. */
  readonly followsRedirects: boolean;
}

/** Rejects with a ProbeFault when there is no answer at all. */
export async function follow(first: HttpRequest, terms: FollowTerms): Promise<Visit> {
  const past = [first];
  const stepAfter = (head: Head): RedirectStep =>
    terms.followsRedirects ? nextStep(past, head) : { kind: 'arrived' };
  for (let request = first; ; ) {
    terms.tracer?.({ kind: 'request', method: request.method, url: request.url.href });
    const link = await openLink(request.url, terms);
    const wantsBody = (head: Head) => stepAfter(head).kind !== 'follow';
    const response = await exchange(request, { ...terms, link, wantsBody });
    const { proxy } = terms.monitor;
    if (response.statusCode === 407 && proxy !== null) throw unwelcome(new URL(proxy));
    const step = stepAfter(response);
    if (step.kind !== 'follow') {
      return { request, response, refusal: step.kind === 'refused' ? step.why : null };
    }
    request = step.request;
    past.push(request);
  }
}

/** A proxy answers in the place of a plain target: this is not what the target said. */
function unwelcome(proxy: URL): ProbeFault {
  const message = `${proxyName(proxy)} wants another user name or password (407)`;
  return new ProbeFault({ outcome: 'failed', category: 'connection', message });
}
