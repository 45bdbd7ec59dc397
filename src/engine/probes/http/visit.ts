/** Asks somebody who is no target: by the certificates of this machine, over no proxy, by either family of addresses. */
import { judgeCertificate } from '../probe-certificate.ts';
import { loadHttpClient } from './client.ts';
import { follow, type FollowTerms, type Visit } from './follow.ts';
import { Journal } from './journal.ts';
import type { HttpRequest } from './request.ts';

export type VisitTerms = Pick<
  FollowTerms,
  'ctx' | 'deadline' | 'maxBodyBytes' | 'followsRedirects' | 'onUnanswered'
>;

/** Rejects with a ProbeFault when there is no answer at all. */
export async function visit(request: HttpRequest, terms: VisitTerms): Promise<Visit> {
  return follow(request, {
    ...terms,
    client: await loadHttpClient(),
    monitor: { proxy: null, tls_ca_file: null },
    families: [4, 6],
    journal: new Journal(),
    judgeTls: (secured) => {
      judgeCertificate(secured, { tls_verify: true, cert_pin: null });
    },
  });
}
